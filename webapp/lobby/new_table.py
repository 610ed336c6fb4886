"""Opening a table: its settings, its name, its secrets and its slug."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

import msgspec

from engine.cards import HAND_SIZES
from engine.commitments import SECRET_SIZE, Secrets, commitments
from engine.rulebook import HouseRules
from engine.rulebooks.catalogue import RULEBOOKS
from webapp.accounts.names import name_errors, normalize_name, person_name_errors
from webapp.accounts.person import Person
from webapp.clock.pace.pace import LateRules, Pace, late_rules_json, pace_json
from webapp.clock.paces import pace_field_errors
from webapp.clubs.access import club_id_for_table
from webapp.kernel.keyring import (
    RANDOM_SLUG_BYTES,
    Keyring,
    TokenSource,
    slug_of_bytes,
    slug_of_token,
)
from webapp.kernel.refusals import DenialReason, FieldError, FieldErrors, NotAllowed, out_of_range
from webapp.kernel.tx import Tx
from webapp.lobby.invitations import add_invitation
from webapp.lobby.queries import tables
from webapp.lobby.queries.tables import NewTable
from webapp.lobby.ready_check import require_name
from webapp.lobby.seats import condition_errors, lock_game_count, require_room_for_game
from webapp.site.current_settings import limit_of

TABLES_PER_DAY: Final = 40
"""Tables that one person can open in a day, also if they cancel them again."""
MAX_TABLE_NAME_LENGTH: Final = 40


class TableSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What the host chooses; with ``starter`` None the starting player is drawn (R6)."""

    rulebook: str
    seats: int
    house: HouseRules
    pace: Pace
    public: bool
    starter: int | None = None
    club: str = ""
    """The slug of the club in which the table is opened; empty for none."""
    late_rules: LateRules = LateRules()
    table_name: str = ""
    """The name as typed; empty for the usual name."""


def open_table(
    tx: Tx,
    host: Person,
    settings: TableSettings,
    *,
    form_token: str = "",
) -> str:
    """Store a new table with its secrets, give seat 0 to the host, and return the slug.

    The slug depends on host, settings and ``form_token`` if there is one, so a form sent twice opens one table. Raises
    FieldErrors for impossible settings, NotAllowed for a host without a name or with too many tables or games.
    """
    require_name(host)
    _check_settings(
        settings,
        table_name_errors(tx, host, settings.table_name)
        + condition_errors(tx, settings.late_rules, host),
    )
    slug = (
        slug_of_token(_form_key(host, settings, form_token, tx.tokens.keys))
        if form_token
        else slug_of_bytes(tx.tokens.random_bytes(RANDOM_SLUG_BYTES))
    )
    if tables.slug_exists(tx, slug):
        return slug
    # The account before the club: a deletion locks them in this order.
    lock_game_count(tx, host)
    club_id = club_id_for_table(tx, host, settings.club)
    if tables.count_before_deal(tx, host.id) >= limit_of(tx, "most_open_tables"):
        raise NotAllowed(DenialReason.TOO_MANY_TABLES)
    if tables.count_opened(tx, host.id, since=tx.now - timedelta(days=1)) >= TABLES_PER_DAY:
        raise NotAllowed(DenialReason.OPENED_ENOUGH_TODAY)
    require_room_for_game(tx, host)
    table = _new_table(host, settings, slug, source=tx.tokens, now=tx.now)
    game_id = tables.add_table(tx, msgspec.structs.replace(table, club_id=club_id))
    # None if the same form was being stored at the same time: the insert waited for that transaction.
    if game_id is not None:
        tables.seat_person(tx, game_id, 0, account_id=host.id, name=host.name)
        add_invitation(tx, game_id, host, invitee=None)
    return slug


def table_name_errors(tx: Tx, host: Person, typed_name: str) -> tuple[FieldError, ...]:
    """Return why a table of this host cannot be called this, if anything; an empty name stands for the usual one.

    A name that contains a title of the site, or looks like the name of a moderator, could be mistaken for a message of the server.
    """
    name = normalize_name(typed_name)
    if not name:
        return ()
    errors = name_errors(name, max_length=MAX_TABLE_NAME_LENGTH) or person_name_errors(
        tx, host, name
    )
    return tuple(FieldError("table_name", error.code, error.params) for error in errors)


def _check_settings(settings: TableSettings, more_errors: Iterable[FieldError]) -> None:
    errors = [*_seat_errors(settings), *pace_field_errors(settings.pace), *more_errors]
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


def _new_table(
    host: Person, settings: TableSettings, slug: str, *, source: TokenSource, now: datetime
) -> NewTable:
    gold, round_1, round_2, round_3 = (source.random_bytes(SECRET_SIZE) for _ in range(4))
    secrets = Secrets(gold=gold, round_1=round_1, round_2=round_2, round_3=round_3)
    return NewTable(
        slug=slug,
        host_id=host.id,
        host_name=host.name,
        table_name=normalize_name(settings.table_name),
        rulebook=settings.rulebook,
        house=msgspec.to_builtins(settings.house),
        seats=settings.seats,
        starter=settings.starter,
        allowance=settings.pace.time_per_turn,
        pace=pace_json(settings.pace),
        late_rules=late_rules_json(settings.late_rules),
        public=settings.public,
        opened_at=now,
        secrets=(gold, round_1, round_2, round_3),
        commitments=" ".join(commitments(slug, secrets)),
        thread_id=source.keys.message_id("root", slug),
    )


def _form_key(host: Person, settings: TableSettings, form_token: str, keys: Keyring) -> str:
    """Return a token that only the server can compute, so that no one derives the slug from the form."""
    return keys.token("table", host.id, form_token, msgspec.json.encode(settings))
