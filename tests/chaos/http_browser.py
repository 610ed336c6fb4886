"""A browser without scripts that knows several web servers of one site, and goes to the next when one is gone."""

import http.client
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from http.cookiejar import CookieJar
from typing import Final, NamedTuple
from urllib.parse import urlencode

from tests.chaos.notes import Notes
from tests.support.html import Form, Page

_PATIENCE: Final = 30.0
_CLEAR: Final = {429: "That was too often", 503: "Back in a moment"}
"""What the page says to whom it is not the fault of."""


class Answer(NamedTuple):
    status: int
    location: str
    text: str


class Away(Exception):
    """Nobody answered, or not to the end: what was asked for may have been done all the same."""


class Unwelcome(Exception):
    """The site answered, and not with the page that was wanted."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(f"status {answer.status}")
        self.answer = answer


class Browser:
    """One person's cookies. Every request goes to the next of the servers."""

    def __init__(
        self, addresses: Sequence[str], notes: Notes, cookies: CookieJar | None = None
    ) -> None:
        self._addresses = addresses
        self._notes = notes
        self._turn = 0
        self._cookies = CookieJar() if cookies is None else cookies
        self._opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}),
            _Staying(),
            urllib.request.HTTPCookieProcessor(self._cookies),
        )

    def windows(self, count: int) -> list["Browser"]:
        """So many windows of this browser, each at one server, the servers taking turns."""
        places = (self._addresses[number % len(self._addresses)] for number in range(count))
        return [Browser([place], self._notes, self._cookies) for place in places]

    def page(self, path: str) -> Page:
        """The page at a path. Raises Away, or Unwelcome for any status but 200."""
        answer = self.get(path)
        if answer.status != 200:
            raise Unwelcome(answer)
        return Page(answer.text)

    def get(self, path: str) -> Answer:
        return self._ask(path, None)

    def send(self, form: Form, **changed: str) -> Answer:
        """Send a form of a page as it stands, with these fields changed."""
        return self.post(form.action, form.fields | changed)

    def post(self, path: str, fields: Mapping[str, str]) -> Answer:
        return self._ask(path, urlencode(fields).encode())

    def _ask(self, path: str, body: bytes | None) -> Answer:
        self._turn += 1
        address = self._addresses[self._turn % len(self._addresses)]
        request = urllib.request.Request(address + path, data=body)
        answer = self._answer_to(request)
        self._judge(answer, path)
        return answer

    def _answer_to(self, request: urllib.request.Request) -> Answer:
        try:
            with self._opener.open(request, timeout=_PATIENCE) as answer:
                return Answer(answer.status, "", answer.read().decode())
        except urllib.error.HTTPError as refusal:
            return self._refused(refusal)
        except (OSError, http.client.HTTPException) as lost:
            self._notes.answer("nobody answered")
            raise Away from lost

    def _refused(self, refusal: urllib.error.HTTPError) -> Answer:
        with refusal:
            try:
                text = refusal.read().decode()
            except (OSError, http.client.HTTPException) as lost:
                self._notes.answer("nobody answered")
                raise Away from lost
        return Answer(refusal.code, refusal.headers.get("Location", ""), text)

    def _judge(self, answer: Answer, path: str) -> None:
        """No visitor ever meets a fault of ours, a traceback, or a refusal without words."""
        self._notes.answer(str(answer.status))
        clear = answer.status < 500 or answer.status in _CLEAR
        worded = _CLEAR.get(answer.status, "") in answer.text
        if not (clear and worded) or "Traceback" in answer.text:
            # A path may hold a token: only where it leads is told.
            self._notes.fault(f"{answer.status} at {path[:12]}: {Page(answer.text).words[:120]}")


class _Staying(urllib.request.HTTPRedirectHandler):
    """Follows nothing: where an answer leads is for the player to see."""

    def redirect_request(self, *_: object) -> None:
        """Nowhere."""
