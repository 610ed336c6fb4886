"""Leaks made on purpose, one for each way by which something could leave the site: the walk must find every one of them."""

import logging
import zlib
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

from flask import Response, request
from markupsafe import Markup

from tests.leaks.ground import Ground, Plant
from tests.leaks.stock import SALTS
from tests.leaks.walk import LETTERS
from tests.support.cast import MO
from tests.support.factories import look
from webapp.mail.compose import Composer
from webapp.mail.parcel import RenderedEmail
from webapp.services.notifications.email_context import EmailContext

_log = logging.getLogger("a.leak")
OTHER = 2
"""The seat whose hand is given away; the walk is made as seat 1."""


class Planted(NamedTuple):
    """A leak: what it is called, the endpoint that shows it, the place where it is looked for, and how it is made."""

    name: str
    endpoint: str
    place: str
    put: Plant


def hand(one: Ground) -> str:
    """What a seat holds, in one word."""
    return "+".join(one.state.hands[OTHER])


def _bit(one: Ground) -> int:
    """As little of a hand as can be told."""
    return zlib.crc32(hand(one).encode()) & 1


def _answering(endpoint: str, change: Callable[[Ground, Response], object]) -> Plant:
    """Something is done to every answer of an endpoint; to any refusal for the endpoint ``refusals``."""

    def put(one: Ground) -> None:
        def leak(response: Response) -> Response:
            refused = endpoint == "refusals" and response.status_code >= 400
            if refused or request.endpoint == endpoint:
                change(one, response)
            return response

        one.app.after_request(leak)

    return put


def _append(word: Callable[[Ground], str]) -> Callable[[Ground, Response], None]:
    def change(one: Ground, response: Response) -> None:
        response.direct_passthrough = False
        response.set_data(response.get_data() + f"<!-- {word(one)} -->".encode())

    return change


def _header(one: Ground, response: Response) -> None:
    response.headers["X-Hand"] = hand(one)


def _cookie(one: Ground, response: Response) -> None:
    response.set_cookie("hand", hand(one))


def _location(one: Ground, response: Response) -> None:
    response.headers["Location"] = f"/#{hand(one)}"


def _status(one: Ground, response: Response) -> None:
    response.status_code = (404, 410)[_bit(one)]


def _length(one: Ground, response: Response) -> None:
    if request.method == "HEAD":
        response.headers["Content-Length"] = str(1000 + _bit(one))


def _order(one: Ground, response: Response) -> None:
    lines = response.get_data(as_text=True).splitlines()
    lines.sort(reverse=bool(_bit(one)))
    response.set_data("\n".join(lines))


def _log_hand(one: Ground, _response: Response) -> None:
    _log.debug("A page was shown: %s.", hand(one))


def _log_address(one: Ground, _response: Response) -> None:
    _log.debug("A page was shown to a friend of %s.", one.stock.seated[OTHER].person.address)


def _read_more(one: Ground, _response: Response) -> None:
    for _ in range(_bit(one)):
        look(one.database, one.stock.running, one.stock.seated[0])


def _nudge(one: Ground, _response: Response) -> None:
    one.sent.append(f"post {hand(one)}")


def _describe(name: str) -> Plant:
    """A picture says in its description what it does not show."""

    def put(one: Ground) -> None:
        drawn: Callable[..., Markup] = one.app.jinja_env.globals[name]  # type: ignore[assignment]

        def leak(*args: Any, **wishes: Any) -> Markup:
            return drawn(*args, **wishes) + Markup("<desc>{}</desc>").format(hand(one))

        leak.__dict__.update(vars(drawn))
        one.app.jinja_env.globals[name] = leak

    return put


class _Leaky(Composer):
    """Changes what another composer has written."""

    def __init__(self, composer: Composer, change: Callable[[bytes], bytes]) -> None:
        self._composer = composer
        self._change = change

    def compose(self, digest: EmailContext, *, now: datetime) -> bytes:
        return self._change(self._composer.compose(digest, now=now))


def _writing(before: bytes, leak: Callable[[Ground], str]) -> Plant:
    """Every letter holds a word more, before the first of these."""

    def put(one: Ground) -> None:
        def change(message: bytes) -> bytes:
            return message.replace(before, leak(one).encode() + before, 1)

        one.context = replace(one.context, composer=_Leaky(one.context.composer, change))

    return put


def _logging_transport(one: Ground) -> None:
    def tell(parcel: RenderedEmail) -> None:
        _log.debug("Handing over to %s.", parcel.recipient)

    one.recording.before = tell


def _failing_in_words(one: Ground) -> None:
    """A fault whose own words quote a hand."""

    @one.app.before_request
    def fail() -> None:
        if request.endpoint == "about.show_about":
            raise RuntimeError(hand(one))


def _failing_with_locals(one: Ground) -> None:
    @one.app.before_request
    def fail() -> None:
        if request.endpoint == "about.show_about":
            cards = hand(one)
            raise RuntimeError("x" * len(cards[:0]))


def _salt(_: Ground) -> str:
    return SALTS[OTHER]


def _secret(one: Ground) -> str:
    secret = look(one.database, one.stock.running, one.stock.seated[0]).row.secret
    assert secret is not None
    return secret.round_3.hex()


def _table(endpoint: str, name: str, place: str, word: Callable[[Ground], str]) -> Planted:
    return Planted(name, endpoint, place, _answering(endpoint, _append(word)))


def _change(
    endpoint: str, name: str, place: str, change: Callable[[Ground, Response], object]
) -> Planted:
    return Planted(name, endpoint, place, _answering(endpoint, change))


PLANTED = (
    _table("table.show_game", "a page", "GET /games/", hand),
    _table("table.show_game", "a role in a page", "GET /games/", lambda one: repr(one.state.roles)),
    _table("table.show_game", "goals in a page", "GET /games/", lambda one: repr(one.state.goals)),
    _table("table.show_game", "the deck", "GET /games/", lambda one: "".join(one.state.deck)),
    _table("table.show_game", "gold", "GET /games/", lambda one: repr(one.state.gold)),
    _table("fairness.show_fairness", "the secret of a deal", "GET /games/", _secret),
    _table("table.show_game", "salt before the freeze", "GET /games/", _salt),
    _table("home.show_home", "an address", "GET /", lambda _: MO.address),
    _table(
        "home.show_home",
        "the number of an account",
        "GET /",
        lambda one: str(one.stock.seated[OTHER].person.id),
    ),
    _table("home.show_home", "a session", "GET /", lambda one: one.stock.seated[OTHER].cookie),
    _table("fairness.download_record", "an export", "GET /games/", hand),
    _table("history.show_history", "history", "GET /games/", hand),
    _table("static", "a file", "GET /static/", hand),
    _table("health.show_health", "health", "GET /healthz", hand),
    _table("health.show_metrics", "a figure", "GET /metrics", hand),
    _table("table.submit_turn", "a refused turn", "POST /games/", hand),
    _change("refusals", "a page of refusal", "POST /games/", _append(hand)),
    _change("table.show_game", "a header", "GET /games/", _header),
    _change("home.show_home", "a cookie", "GET /", _cookie),
    _change("home.open_next_game", "a redirect", "GET /next", _location),
    _change("refusals", "a status", "POST /games/", _status),
    _change("table.show_game", "a length", "HEAD /games/", _length),
    _change("rules.show_comparison", "an order", "GET /rules", _order),
    _change("table.show_game", "a question to the database", "GET /games/", _read_more),
    _change("home.show_home", "a log line", "journal", _log_hand),
    _change("home.show_home", "an address in a log line", "journal", _log_address),
    _change("home.show_home", "a nudge", "nudges", _nudge),
    Planted("a picture", "table.show_game", "GET /games/", _describe("mine_picture")),
    Planted("the name of a card", "table.show_game", "GET /games/", _describe("card_picture")),
    Planted("the text of a letter", LETTERS, "letter", _writing(b"Lodepost", hand)),
    Planted("the HTML of a letter", LETTERS, "letter", _writing(b"</body>", hand)),
    Planted(
        "a header of a letter",
        LETTERS,
        "letter",
        _writing(b"MIME-Version:", lambda one: f"X-Hand: {hand(one)}\r\n"),
    ),
    Planted("a log line of the worker", LETTERS, "journal", _logging_transport),
    Planted("the words of a fault", "about.show_about", "journal", _failing_in_words),
    Planted("the locals of a fault", "about.show_about", "locals of faults", _failing_with_locals),
)
