"""One reader's walk over the whole site, written down place by place."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from difflib import unified_diff
from email import message_from_bytes, policy
from http.cookies import SimpleCookie
from typing import Any

from sqlalchemy import insert
from werkzeug.routing import Rule
from werkzeug.test import TestResponse

from tasks import bots, deadlines, delivery, housekeeping
from tests.leaks.counterfactual_games import SEATS
from tests.leaks.ground import Ground
from tests.leaks.routes import FORMS, LAST, PATHS
from tests.leaks.stock import ZOE
from tests.support.cast import ALICE, BOB
from tests.support.factories import NOON, look
from tests.support.html import Page
from tests.support.visitors import Visitor
from webapp import urls
from webapp.mail.compose import Composer
from webapp.mail.errors import PermanentFailure, TransientFailure
from webapp.mail.parcel import RenderedEmail
from webapp.services.notifications.email_context import EmailContext
from webapp.services.tx import transaction
from webapp.store.schema.notifications import Notification

METHODS = ("GET", "HEAD", "OPTIONS", "PUT", "DELETE", "BREW")
"""All but POST, which goes with a form."""
LETTERS = "letters"
FAULTS = "locals of faults"
_NEARBY = {"Host": "127.0.0.1:8000"}
_LARGE = "x" * 70_000

_NEW_EVERY_TIME = (
    # A nonce, and the mark of a form.
    (r'nonce="[\w-]+"|nonce-[\w-]+|name="(?:csrf_token|form_id)" value="[^"]+"', "NEW"),
    # Rates are counted by the clock of the machine.
    (r"(?m)^(X-RateLimit-Reset|Retry-After): \d+", r"\1: SOON"),
    # So are the times that requests took, and the length of the page that tells them.
    (r"(?m)^(lodepost_request_seconds_(?:sum|bucket)\{.*?\}) \S+", r"\1 TAKEN"),
    # And the instants of log lines, with the place in memory of what a traceback names.
    (r'"at": "[^"]+"', '"at": "THEN"'),
    (r"\b0x[0-9a-f]{6,}", "0xPLACE"),
    # What the driver says of a pipeline that failed hangs on how fast the database was.
    (r'(?m)^.*"logger": "psycopg", "message": "error ignored terminating.*\n', ""),
    # Of the style sheet, the day until which it may be kept.
    (r"(?m)^(Expires|Date): .*", r"\1: THEN"),
    (r"lodepost_test_\d+_\d+", "DATABASE"),
)
"""What differs between two answers although nothing is told by it."""
_NEW_IN_EVERY_FAULT = (
    # Cookies, marks of forms, nonces: longer than the name of any card, of any person, of any table.
    (r"[\w.=-]{22,}", "TOKEN"),
    (r"\b\d+\.\d{3,}", "SECONDS"),
)
"""What differs beside that between the variables of two faults. Nothing else is left out anywhere."""


def neutral(text: str) -> str:
    """The text without what is new every time."""
    for pattern, instead in _NEW_EVERY_TIME:
        text = re.sub(pattern, instead, text)
    return text


def walk(one: Ground, *, only: frozenset[str] = frozenset()) -> dict[str, str]:
    """All that a reader of this world is told, and all that is written down meanwhile, by the place where it is said.

    ``only`` these endpoints, with LETTERS also letters: for tests of the walk itself.
    """
    said = dict(_pages(one, only))
    said |= dict(_letters(one)) if not only or LETTERS in only else {}
    said |= dict(_faults(one)) if not only else {}
    said["journal"] = neutral(one.journal.getvalue())
    said[FAULTS] = neutral("\n".join(one.locals.seen))
    said["nudges"] = " ".join(sorted(one.sent))
    return said


def differences(here: dict[str, str], there: dict[str, str]) -> dict[str, str]:
    """The places where two worlds were told otherwise, each with the lines in which they differ."""
    changed = {
        place: _changed(place, here.get(place, ""), there.get(place, "")) for place in here | there
    }
    return {place: lines for place, lines in changed.items() if lines}


def _changed(place: str, here: str, there: str) -> str:
    leave_out = _NEW_IN_EVERY_FAULT if place == FAULTS else ()
    for pattern, instead in leave_out:
        here, there = re.sub(pattern, instead, here), re.sub(pattern, instead, there)
    if here == there:
        return ""
    return "\n".join(unified_diff(here.splitlines(), there.splitlines(), lineterm="", n=0))


def _pages(one: Ground, only: frozenset[str]) -> Iterator[tuple[str, str]]:
    visitor = one.visitor()
    token = visitor.token()
    rules = [rule for rule in one.app.url_map.iter_rules() if not only or rule.endpoint in only]
    paths = {rule.endpoint: list(PATHS[rule.endpoint](one)) for rule in rules}
    for path in sorted({path for tried in paths.values() for path in tried}):
        yield _told(one, visitor, path, method="GET")
    for path in sorted({tried[0] for tried in paths.values()}):
        for method in METHODS[1:]:
            yield _told(one, visitor, path, method=method)
    for path in _choices(one, visitor) if not only else ():
        yield _told(one, visitor, path, method="GET")
    yield _told(one, visitor, urls.metrics(), method="GET", headers=_NEARBY)
    for rule in sorted(rules, key=_order):
        if rule.endpoint in FORMS:
            yield from _posts(one, visitor, rule, token)


def _order(rule: Rule) -> tuple[int, str]:
    return (LAST.index(rule.endpoint) + 1 if rule.endpoint in LAST else 0, rule.endpoint)


def _choices(one: Ground, visitor: Visitor) -> list[str]:
    """Where the links of the table lead, and the links there: cards, places and persons that can be chosen."""
    begin = urls.game(one.stock.running)
    cards = _links(visitor, begin, begin + "?")
    return sorted({path for card in cards for path in (card, *_links(visitor, card, begin + "?"))})


def _links(visitor: Visitor, path: str, prefix: str) -> list[str]:
    links = Page(visitor.get(path).text).links
    paths = (link.href.partition("#")[0] for link in links)
    return [path for path in paths if path.startswith(prefix)]


def _posts(one: Ground, visitor: Visitor, rule: Rule, token: str) -> Iterator[tuple[str, str]]:
    """Forms as they should be, without the mark of the browser, too large, and of no kind that is read."""
    paths = list(PATHS[rule.endpoint](one))
    yield _told(one, visitor, paths[0], note="unmarked", data={"x": "y"})
    yield _told(one, visitor, paths[0], note="large", data={"x": _LARGE})
    yield _told(one, visitor, paths[0], note="json", data=b"{}", content_type="application/json")
    for path in paths:
        for number, fields in enumerate(FORMS[rule.endpoint](one)):
            note = f"{rule.endpoint} {number}"
            yield _told(one, visitor, path, note=note, data={"csrf_token": token, **fields})


def _told(
    one: Ground, visitor: Visitor, path: str, *, method: str = "POST", note: str = "", **wishes: Any
) -> tuple[str, str]:
    one.asked.clear()
    answer = visitor.client.open(path, method=method, **wishes)
    text = f"{wire(one, answer)}\n(statements: {len(one.asked)})"
    answer.close()
    return f"{method} {path} {note}".strip(), neutral(text)


def wire(one: Ground, answer: TestResponse) -> str:
    """All that an answer says: status, header and body. Of a cookie that is signed, what it holds."""
    header = [
        (name, _worn(one, value) if name == "Set-Cookie" else value)
        for name, value in answer.headers
        if not (name == "Content-Length" and answer.request.path == urls.metrics())
    ]
    lines = "\n".join(f"{name}: {value}" for name, value in header)
    return f"{answer.status}\n{lines}\n\n{answer.text}"


def _worn(one: Ground, cookie: str) -> str:
    """A cookie opened: its signature and the random mark of the browser are new every time, the rest is not."""
    name = one.app.config["SESSION_COOKIE_NAME"]
    morsel = SimpleCookie(cookie).get(name)
    reader = one.app.session_interface.get_signing_serializer(one.app)  # type: ignore[attr-defined]
    if morsel is None or not morsel.value:
        return re.sub("Expires=[^;]+", "", cookie)
    held = reader.loads(morsel.value) | {"csrf_token": "NEW"}
    rest = re.sub("Expires=[^;]+", "", cookie.replace(morsel.value, ""))
    return f"{rest} {json.dumps(held, sort_keys=True)}"


def _faults(one: Ground) -> Iterator[tuple[str, str]]:
    """What is asked for too often, and what cannot be stored: the database refuses it, and quotes the row that it refuses."""
    visitor = one.visitor()
    fields = {"csrf_token": visitor.token(), "address": "often@example.test"}
    for number in range(11):
        yield _told(one, visitor, urls.sign_in(), note=f"again {number}", data=fields)
    one.say("ALTER TABLE turn ADD CONSTRAINT no_more CHECK (seq < 0) NOT VALID")
    # Whatever goes in here, the reader may know of it: the own hand and the menu.
    for number, action in enumerate(Page(visitor.get(urls.game(one.stock.running)).text).forms):
        yield _told(one, visitor, action.action, note=f"fault {number}", data=action.fields)
    yield from _sweep(one)
    one.app.jinja_env.globals["mine_picture"] = _fail
    yield _told(one, visitor, urls.game(one.stock.running), method="GET", note="cannot be drawn")


def _fail(*_: object, **__: object) -> str:
    message = "No pictures today."
    raise RuntimeError(message)


def _sweep(one: Ground) -> Iterator[tuple[str, str]]:
    """The clock, bots and chores at work while no turn can be stored."""
    late = replace(one.context, now=lambda: NOON + timedelta(days=30))
    for job in (
        deadlines.sweep,
        bots.play,
        housekeeping.report_delays,
        housekeeping.delete_expired,
    ):
        job(late)
        yield f"worker {job.__module__}", ""


def _letters(one: Ground) -> Iterator[tuple[str, str]]:
    """Letters of every kind to everybody; of all of them, those to the reader. Some relays fail."""
    _owe_everything(one)
    one.recording.after = _failing
    delivery.deliver(replace(one.context, composer=_Failing(one, one.context.composer)))
    mine = one.guest()
    for parcel in one.recording.parcels:
        if mine is not None and parcel.recipient == mine.person.address:
            yield _letter(parcel)


class _Failing(Composer):
    """Composes as told; but letters to Alice, or if she is the reader to Bob, cannot be composed."""

    def __init__(self, one: Ground, composer: Composer) -> None:
        self._composer = composer
        self._unlucky = BOB if one.observer == SEATS.index(ALICE) else ALICE

    def compose(self, digest: EmailContext, *, now: datetime) -> bytes:
        if digest.envelope.name == self._unlucky.name:
            _fail()
        return self._composer.compose(digest, now=now)


def _failing(parcel: RenderedEmail) -> None:
    if parcel.recipient == ZOE.address:
        raise PermanentFailure(f"550 5.1.1 <{parcel.recipient}>: no such user")
    if b"Feedback-ID: sign-in" in parcel.message:
        raise TransientFailure(f"451 4.7.1 <{parcel.recipient}>: later")


def _letter(parcel: RenderedEmail) -> tuple[str, str]:
    message = message_from_bytes(parcel.message, policy=policy.default)
    parts = [str(part.get_content()) for part in message.walk() if not part.is_multipart()]
    kind, number = str(message["Feedback-ID"]).partition(":")[0], message["Message-ID"]
    raw = parcel.message.decode()
    return f"letter {kind} {number}", "\n\n".join([str(parcel.senders), raw, *parts])


def _owe_everything(one: Ground) -> None:
    """Owe everybody at the running game a letter of every kind that tells of it."""
    row = look(one.database, one.stock.running, one.stock.seated[0]).row
    assert row.deadline_at is not None
    occasions = {"your-turn": 0, "reminder": int(row.deadline_at.timestamp()), "dealt": 0}
    rounds = {f"round-over {ended}": ended for ended in range(1, row.round)}
    owed = [
        {
            "id": 936_900_000 + number * 10 + seat,
            "kind": kind.split()[0],
            "game_id": row.id,
            "seq": row.turn_seq,
            "account_id": one.stock.seated[seat].person.id,
            "occasion": occasion,
            "owed_at": NOON,
            "due_at": NOON,
        }
        for number, (kind, occasion) in enumerate((occasions | rounds).items())
        for seat in range(len(SEATS))
    ]
    with transaction(one.database) as tx:
        tx.connection.execute(insert(Notification), owed)
