"""What nobody, or nobody else, may ever be told, word for word: it is looked for as it stands and in every usual disguise."""

import base64
import html
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from urllib.parse import quote

from sqlalchemy import text

from tests.leaks.ground import METRICS_TOKEN, Ground, Reader
from tests.leaks.stock import SALTS, ZOE
from tests.support.cast import MO
from tests.support.factories import KEYS, look
from tests.support.visitors import SECRET_KEY
from webapp.services.accounts.sign_in import sign_in_token
from webapp.services.lobby.invitation_links import invitation_token


class Needle(NamedTuple):
    """A secret in one word. ``known_to`` are the readers who have it from elsewhere."""

    name: str
    value: str | bytes
    known_to: frozenset[Reader] = frozenset()


def needles(one: Ground) -> Iterator[Needle]:
    """Every secret of this site that is a word of its own. Cards and roles are not: worlds are compared for those."""
    yield Needle("the key of the site", SECRET_KEY)
    yield Needle("the token of those who watch", METRICS_TOKEN)
    yield from _of_persons(one)
    yield from _of_strangers(one)
    yield from _of_games(one)
    for seat, salt in SALTS.items():
        yield Needle(f"the salt of seat {seat} before the freeze", salt, frozenset({seat}))


def _of_persons(one: Ground) -> Iterator[Needle]:
    readers: tuple[Reader, ...] = (0, 1, 2, 3, "stranger")
    for reader, guest in zip(readers, (*one.stock.seated, one.stock.mallory), strict=True):
        person, own = guest.person, frozenset({reader})
        yield Needle(f"the address of {person.name}", person.address, own)
        yield Needle(f"the number of {person.name}", str(person.id))
        yield Needle(f"the session of {person.name}", guest.cookie, own)
        for scope in ("everything", "reminders"):
            token = KEYS.token("unsubscribe", person.address, scope, None)
            yield Needle(f"how {person.name} ends {scope}", token, own)
        for (ref,) in _rows(one, "SELECT ref FROM session WHERE account_id = :id", id=person.id):
            yield Needle(f"the name of a session of {person.name}", str(ref), own)


def _of_strangers(one: Ground) -> Iterator[Needle]:
    yield Needle("an address that was invited", ZOE.address, frozenset({1}))
    yield Needle("an address that wants to sign in", MO.address)
    for address, nonce in _rows(one, "SELECT address, nonce FROM invitation"):
        # The table's own link is known to those at the table, who hand it on: to everybody in these tests.
        if address is not None:
            yield Needle("the mailed invitation", invitation_token(bytes(nonce), KEYS))
    for (nonce,) in _rows(one, "SELECT nonce FROM sign_in WHERE used_at IS NULL"):
        yield Needle("the code of somebody's sign-in", KEYS.code(bytes(nonce)))
        yield Needle("the link of somebody's sign-in", sign_in_token(bytes(nonce), KEYS))


def _of_games(one: Ground) -> Iterator[Needle]:
    for slug in (one.stock.running, one.stock.private, one.stock.lobby, one.stock.checking):
        yield Needle(
            f"the number of {slug}", str(look(one.database, slug, one.stock.seated[1]).row.id)
        )
    for row in _rows(one, "SELECT gold, round_1, round_2, round_3 FROM secret"):
        for number, secret in enumerate(row):
            yield Needle(f"secret {number} of a deal", bytes(secret))


def _rows(one: Ground, statement: str, **values: object) -> list[tuple[object, ...]]:
    with one.database.engine.begin() as connection:
        return [tuple(row) for row in connection.execute(text(statement), values)]


def found(said: dict[str, str], hidden: Iterable[Needle], reader: Reader) -> dict[str, str]:
    """The places at which something stands that this reader may not know, each with what it is."""
    unknown = [needle for needle in hidden if reader not in needle.known_to]
    return {
        place: ", ".join(sorted({needle.name for needle in unknown if _is_in(needle, words)}))
        for place, words in said.items()
        if any(_is_in(needle, words) for needle in unknown)
    }


def _is_in(needle: Needle, words: str) -> bool:
    return any(form in words and _stands_alone(form, words) for form in _forms(needle.value))


def _stands_alone(form: str, words: str) -> bool:
    """A number that is part of another is none."""
    if not form.isdigit():
        return True
    return re.search(rf"(?<![0-9A-Za-z]){form}(?![0-9A-Za-z])", words) is not None


def _forms(value: str | bytes) -> set[str]:
    raw = value if isinstance(value, bytes) else value.encode()
    encoded = base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode()
    forms = {raw.hex(), raw.hex().upper(), *(form.rstrip("=") for form in encoded), repr(raw)[2:-1]}
    if isinstance(value, bytes):
        return forms
    return forms | {value, value.upper(), quote(value, safe=""), html.escape(value)}
