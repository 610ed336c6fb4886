"""A browser without scripts that reaches the site through a proxy, over TLS and one kept connection."""

import http.client
import re
import socket
import ssl
from collections.abc import Mapping
from typing import Final, NamedTuple
from urllib.parse import urlencode

from tests.deploy.proxies import HOST, RunningProxy
from tests.support.html import Form, Page

_TIMEOUT_SECONDS: Final = 240.0


class Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    text: str


class RequestFailed(Exception):
    """The proxy answered with an error, or not at all."""


class ProxyClient:
    """One browser; its requests come from ``source``, an address of this machine."""

    def __init__(
        self, running: RunningProxy, *, source: str = "127.0.0.1", cookie: str = ""
    ) -> None:
        self._connection = _Connection(running, source)
        self._cookie = cookie

    def get(self, path: str, **headers: str) -> Answer:
        return self._request("GET", path, None, headers)

    def post(self, path: str, fields: Mapping[str, str], **headers: str) -> Answer:
        form_type = {"Content-Type": "application/x-www-form-urlencoded"}
        return self._request("POST", path, urlencode(fields).encode(), {**form_type, **headers})

    def page(self, path: str) -> Page:
        """Return the page at a path. Raises RequestFailed."""
        return Page(_successful(self.get(path), f"GET {path}").text)

    def send(self, form: Form, **changed_fields: str) -> Answer:
        """Submit a form. Raises RequestFailed unless the answer is a redirect."""
        answer = self.post(form.action, form.fields | changed_fields)
        return _successful(answer, f"POST {form.action}")

    def close(self) -> None:
        self._connection.close()

    def _request(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> Answer:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        cookies = {"Cookie": self._cookie} if self._cookie else {}
        try:
            self._connection.request(method, path, body, {"Host": HOST, **cookies, **names})
            with self._connection.getresponse() as response:
                answer = Answer(
                    response.status, response.headers, response.read().decode(errors="replace")
                )
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            raise RequestFailed(f"{method} {path}: {error!r}") from error
        self._keep_cookie(answer)
        return answer

    def _keep_cookie(self, answer: Answer) -> None:
        cookie_match = re.match(r"[^;]+", answer.headers.get("Set-Cookie", ""))
        if cookie_match:
            self._cookie = cookie_match[0]


class _Connection(http.client.HTTPSConnection):
    """A connection to the proxy that names the site, although the site's name has no address here."""

    def __init__(self, running: RunningProxy, source: str) -> None:
        context = ssl.create_default_context(cafile=str(running.certificate))
        super().__init__(HOST, context=context, timeout=_TIMEOUT_SECONDS)
        self._tls_context = context
        self._address = ("::1" if ":" in source else "127.0.0.1", running.port)
        self._source = (source, 0)

    def connect(self) -> None:
        connection = socket.create_connection(self._address, _TIMEOUT_SECONDS, self._source)
        self.sock = self._tls_context.wrap_socket(connection, server_hostname=HOST)


def _successful(answer: Answer, what: str) -> Answer:
    if answer.status not in {200, 303}:
        raise RequestFailed(f"{what}: {answer.status} {answer.text[:200]!r}")
    return answer
