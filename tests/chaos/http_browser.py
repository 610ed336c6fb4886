"""An HTTP client with cookies that sends each request to the next of several web servers of one site."""

import http.client
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from http.cookiejar import CookieJar
from typing import Final, NamedTuple
from urllib.parse import urlencode

from tests.chaos.player_log import PlayerLog
from tests.support.html import Form, Page

_TIMEOUT_SECONDS: Final = 120.0
_EXPLANATIONS_BY_STATUS: Final = {429: "That was too often", 503: "Back in a moment"}
"""What the page must say at a status that is not a fault of the request."""


class Response(NamedTuple):
    status: int
    location: str
    text: str


class NoResponse(Exception):
    """No complete response arrived; the server may still have done what was requested."""


class UnexpectedResponse(Exception):
    """The site responded with another page than expected."""

    def __init__(self, response: Response) -> None:
        super().__init__(f"status {response.status}")
        self.response = response


class HttpBrowser:
    """One person's browser. Every request goes to the next server."""

    def __init__(
        self, addresses: Sequence[str], log: PlayerLog, cookies: CookieJar | None = None
    ) -> None:
        self._addresses = addresses
        self._log = log
        self._request_count = 0
        self._cookies = CookieJar() if cookies is None else cookies
        self._opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}),
            _NoRedirects(),
            urllib.request.HTTPCookieProcessor(self._cookies),
        )

    def copies_for_servers(self, count: int) -> list["HttpBrowser"]:
        """Return windows of this browser, each at one server; together they use all servers."""
        servers = (self._addresses[number % len(self._addresses)] for number in range(count))
        return [HttpBrowser([server], self._log, self._cookies) for server in servers]

    def page(self, path: str) -> Page:
        """Return the page at a path. Raises NoResponse, or UnexpectedResponse for any status but 200."""
        response = self.get(path)
        if response.status != 200:
            raise UnexpectedResponse(response)
        return Page(response.text)

    def get(self, path: str) -> Response:
        return self._request(path, None)

    def send(self, form: Form, **changed_fields: str) -> Response:
        """Submit a form of a page with these fields changed."""
        return self.post(form.action, form.fields | changed_fields)

    def post(self, path: str, fields: Mapping[str, str | list[str]]) -> Response:
        return self._request(path, urlencode(fields, doseq=True).encode())

    def _request(self, path: str, body: bytes | None) -> Response:
        self._request_count += 1
        address = self._addresses[self._request_count % len(self._addresses)]
        request = urllib.request.Request(address + path, data=body)
        response = self._open_request(request)
        self._check_response(response, path)
        return response

    def _open_request(self, request: urllib.request.Request) -> Response:
        try:
            with self._opener.open(request, timeout=_TIMEOUT_SECONDS) as response:
                return Response(response.status, "", response.read().decode())
        except urllib.error.HTTPError as error:
            return self._error_response(error)
        except (OSError, http.client.HTTPException) as failure:
            self._log.count_response("no response")
            raise NoResponse from failure

    def _error_response(self, error: urllib.error.HTTPError) -> Response:
        with error:
            try:
                text = error.read().decode()
            except (OSError, http.client.HTTPException) as failure:
                self._log.count_response("no response")
                raise NoResponse from failure
        return Response(error.code, error.headers.get("Location", ""), text)

    def _check_response(self, response: Response, path: str) -> None:
        """Log a fault for every server error, traceback, or error page without an explanation."""
        self._log.count_response(str(response.status))
        is_allowed = response.status < 500 or response.status in _EXPLANATIONS_BY_STATUS
        is_explained = _EXPLANATIONS_BY_STATUS.get(response.status, "") in response.text
        if not (is_allowed and is_explained) or "Traceback" in response.text:
            # The rest of the path may contain a token.
            self._log.add_fault(
                f"{response.status} at {path[:12]}: {Page(response.text).text[:120]}"
            )


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the player reads its target."""

    def redirect_request(self, *_: object) -> None:
        """Return None, which stops urllib from following."""
