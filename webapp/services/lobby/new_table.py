"""Opening a table: its settings, its secrets and its slug."""

from datetime import datetime, timedelta
from typing import Final

import msgspec

from engine.cards import HAND_SIZES
from engine.fairness import SECRET_SIZE, Secrets, commitments
from engine.rulebook import HouseRules
from engine.rulebooks.catalogue import RULEBOOKS
from webapp.services.accounts.person import Person
from webapp.services.errors import Denied, FieldError, FieldErrors, NotAllowed, out_of_range
from webapp.services.keys import Keyring, RandomBytes, TokenSource, hash_of
from webapp.services.lobby.invitation_links import add_invitation
from webapp.services.lobby.permissions import require_name
from webapp.services.tx import Tx
from webapp.store.lobby import tables
from webapp.store.lobby.tables import NewTable

MIN_ALLOWANCE: Final = timedelta(minutes=5)
MAX_ALLOWANCE: Final = timedelta(days=30)
MOST_OPEN_TABLES: Final = 30
"""Tables of one host that have not been dealt."""

_SLUG_ALPHABET: Final = "23456789abcdefghijkmnpqrstuvwxyz"
_SLUG_BYTES: Final = 8
_SLUG_LENGTH: Final = 12
"""Characters of a slug: 60 bits, so that no one finds a game by guessing."""


class TableSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What the host chooses; with ``starter`` None the starting player is drawn (R6)."""

    rulebook: str
    seats: int
    house: HouseRules
    allowance: timedelta
    public: bool
    starter: int | None = None


def open_table(
    tx: Tx,
    host: Person,
    settings: TableSettings,
    *,
    form_token: str = "",
    source: TokenSource,
    now: datetime,
) -> str:
    """Store a new table with its secrets, give seat 0 to the host, and return the slug.

    The slug depends on host, settings and ``form_token`` if there is one, so a form sent twice opens one table. Raises
    FieldErrors for impossible settings, NotAllowed for a host without a name or with too many tables.
    """
    require_name(host)
    _check_settings(settings)
    slug = _slug(
        _slug_bytes(host, settings, form_token, source.keys)
        if form_token
        else source.random_bytes(_SLUG_BYTES)
    )
    if tables.slug_exists(tx.connection, slug):
        return slug
    if tables.count_before_deal(tx.connection, host.id) >= MOST_OPEN_TABLES:
        raise NotAllowed(Denied.TOO_MANY_TABLES)
    table = _new_table(host, settings, slug, random_bytes=source.random_bytes, now=now)
    game_id = tables.add(tx.connection, table)
    # None if the same form was being stored at the same time: the insert waited for that transaction.
    if game_id is not None:
        tables.seat_person(tx.connection, game_id, 0, account_id=host.id, name=host.name)
        add_invitation(tx, game_id, host, address=None, source=source, now=now)
    return slug


def _check_settings(settings: TableSettings) -> None:
    errors = [*_seat_errors(settings), *_allowance_errors(settings)]
    if settings.rulebook not in RULEBOOKS:
        errors.insert(0, FieldError("rulebook", "unknown"))
    if errors:
        raise FieldErrors(*errors)


def _seat_errors(settings: TableSettings) -> list[FieldError]:
    if settings.seats not in HAND_SIZES:
        return [out_of_range("seats", min(HAND_SIZES), max(HAND_SIZES))]
    if settings.starter is not None and not 0 <= settings.starter < settings.seats:
        return [out_of_range("starter", 0, settings.seats - 1)]
    return []


def _allowance_errors(settings: TableSettings) -> list[FieldError]:
    if MIN_ALLOWANCE <= settings.allowance <= MAX_ALLOWANCE:
        return []
    low, high = (int(limit / timedelta(minutes=1)) for limit in (MIN_ALLOWANCE, MAX_ALLOWANCE))
    return [out_of_range("allowance", low, high)]


def _new_table(
    host: Person, settings: TableSettings, slug: str, *, random_bytes: RandomBytes, now: datetime
) -> NewTable:
    gold, round_1, round_2, round_3 = (random_bytes(SECRET_SIZE) for _ in range(4))
    secrets = Secrets(gold=gold, round_1=round_1, round_2=round_2, round_3=round_3)
    return NewTable(
        slug=slug,
        host_id=host.id,
        host_name=host.name,
        rulebook=settings.rulebook,
        house=msgspec.to_builtins(settings.house),
        seats=settings.seats,
        starter=settings.starter,
        allowance=settings.allowance,
        public=settings.public,
        opened_at=now,
        secrets=(gold, round_1, round_2, round_3),
        commitments=" ".join(commitments(slug, secrets)),
    )


def _slug_bytes(host: Person, settings: TableSettings, form_token: str, keys: Keyring) -> bytes:
    """Return bytes that only the server can compute, so that no one derives the slug from the form."""
    token = keys.token("table", host.id, form_token, msgspec.json.encode(settings))
    return hash_of(token)[:_SLUG_BYTES]


def _slug(random: bytes) -> str:
    number = int.from_bytes(random, "big")
    base = len(_SLUG_ALPHABET)
    return "".join(_SLUG_ALPHABET[number // base**digit % base] for digit in range(_SLUG_LENGTH))
