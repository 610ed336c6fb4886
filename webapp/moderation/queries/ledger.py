"""The ledger: what moderators did. Rows are only ever added; a trigger refuses everything else."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import ColumnElement, ScalarSelect, Select, and_, exists, func, select
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import aliased

from webapp.accounts.schema import Account
from webapp.clubs.schema import Club
from webapp.kernel.game_status import GameStatus
from webapp.kernel.rights import SERVER, VOTE, GameRight
from webapp.kernel.tx import Tx
from webapp.lobby.schema import Seat, Sitting
from webapp.moderation.queries.public_columns import GAME
from webapp.moderation.queries.shown_acts import name_at_table
from webapp.moderation.schema import LedgerEntry

OPERATOR_REF: Final = "operator"
"""In a filter: entries of the operator, who has no account."""


class LedgerLine(msgspec.Struct, frozen=True):
    """An entry with what it was about, by the names of today; a ``None`` name is not about such a thing."""

    id: int
    at: datetime
    act: str
    actor_ref: str | None
    actor_name: str | None
    acted_as: str
    seat: int | None
    name_at_table: str | None
    """Of the player it is about, if it is about a game."""
    before: dict[str, Any]
    after: dict[str, Any]
    reason: str
    is_undoing: bool
    is_undone: bool
    game_slug: str | None
    host_name: str | None
    table_name: str | None
    club_slug: str | None
    club_name: str | None
    person_ref: str | None
    person_name: str | None


class LedgerFilter(NamedTuple):
    """Which entries to return: all, or those of one act, one moderator, one game and one person."""

    act: str | None = None
    actor_ref: str | None = None
    game_slug: str | None = None
    person_ref: str | None = None


_actor = aliased(Account, name="actor")
_person = aliased(Account, name="person")
_undoing_entry = aliased(LedgerEntry, name="undoing")


_COLUMNS = (
    LedgerEntry.id,
    LedgerEntry.at,
    LedgerEntry.act,
    LedgerEntry.actor_id,
    Account.name,
    LedgerEntry.acted_as,
    LedgerEntry.seat,
    LedgerEntry.seq,
    LedgerEntry.before,
    LedgerEntry.after,
    LedgerEntry.reason,
    LedgerEntry.undoes,
)


_LOCK_SEED: Final = 2
"""Keeps the locks of actors apart from those of addresses."""


class NewLedgerEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An act to be recorded; the fields mean what the columns of ``LedgerEntry`` mean."""

    act: str
    actor_id: int | None
    acted_as: str
    game_id: int | None = None
    seat: int | None = None
    seq: int | None = None
    club_id: int | None = None
    account_id: int | None = None
    before: Mapping[str, Any] = {}
    after: Mapping[str, Any] = {}
    reason: str
    form_id: str
    undoes: int | None = None
    at: datetime


class LedgerRow(msgspec.Struct, frozen=True):
    """An act that was recorded, with the name of its actor as it is today."""

    id: int
    at: datetime
    act: str
    actor_id: int | None
    actor_name: str | None
    acted_as: str
    seat: int | None
    seq: int | None
    before: dict[str, Any]
    after: dict[str, Any]
    reason: str
    undoes: int | None


def add(tx: Tx, entry: NewLedgerEntry) -> int | None:
    """Add an entry and return its id; None if its form or what it undoes has an entry already."""
    inserted_row = tx.execute(
        postgresql.insert(LedgerEntry)
        .values(msgspec.structs.asdict(entry))
        .on_conflict_do_nothing()
        .returning(LedgerEntry.id)
    )
    return inserted_row.scalar_one_or_none()


def was_seat_lost(tx: Tx, game_id: int) -> bool:
    """Return whether the server has ever opened a seat of this game."""
    is_opening = exists().where(
        LedgerEntry.game_id == game_id,
        LedgerEntry.act == GameRight.OPEN_SEAT,
        LedgerEntry.acted_as == SERVER,
    )
    return bool(tx.execute(select(is_opening)).scalar_one())


def entry_of_form(tx: Tx, form_id: str) -> int | None:
    """Return the entry that a form has made, if it was sent before."""
    return tx.execute(
        select(LedgerEntry.id).where(LedgerEntry.form_id == form_id)
    ).scalar_one_or_none()


def newest_sanction(tx: Tx, account_id: int) -> int:
    """Return the newest act on a person that is neither about a game nor about a club; 0 if there is none."""
    newest_entry_id = func.coalesce(func.max(LedgerEntry.id), 0)
    return tx.execute(
        select(newest_entry_id)
        .where(LedgerEntry.account_id == account_id)
        .where(LedgerEntry.game_id.is_(None), LedgerEntry.club_id.is_(None))
    ).scalar_one()


def find(tx: Tx, entry_id: int, *, game_id: int) -> LedgerRow | None:
    """Return one entry about this game."""
    row = tx.execute(
        select(*_COLUMNS)
        .outerjoin(Account, Account.id == LedgerEntry.actor_id)
        .where(LedgerEntry.id == entry_id, LedgerEntry.game_id == game_id)
    ).first()
    return None if row is None else LedgerRow(*row)


def newest_acted_as(tx: Tx, game_id: int, act: str, *, seat: int | None) -> str | None:
    """Return as what someone acted who performed this act last, on this seat if there is one; None if no one did."""
    query = (
        select(LedgerEntry.acted_as)
        .where(LedgerEntry.game_id == game_id, LedgerEntry.act == act)
        .order_by(LedgerEntry.id.desc())
        .limit(1)
    )
    if seat is not None:
        query = query.where(LedgerEntry.seat == seat)
    return tx.execute(query).scalar_one_or_none()


def count_acts(
    tx: Tx, game_id: int, act: str, *, from_seq: int, since: datetime | None = None
) -> int:
    """Return how often an act was recorded since a turn of a game, without those that were undone."""
    undoing_entry = aliased(LedgerEntry, name="undoing")
    query = (
        select(func.count())
        .select_from(LedgerEntry)
        .where(LedgerEntry.game_id == game_id, LedgerEntry.act == act)
        .where(LedgerEntry.seq >= from_seq, LedgerEntry.undoes.is_(None))
        .where(~exists().where(undoing_entry.undoes == LedgerEntry.id))
    )
    if since is not None:
        query = query.where(LedgerEntry.at > since)
    return tx.execute(query).scalar_one()


def count_of_site(tx: Tx, act: str, *, since: datetime) -> int:
    """Return how often an act was recorded on the whole site since an instant."""
    query = select(func.count()).where(LedgerEntry.act == act, LedgerEntry.at > since)
    return tx.execute(query).scalar_one()


def entries_of_game(tx: Tx, game_id: int, *, limit: int) -> tuple[LedgerRow, ...]:
    """Return the newest entries about a game, newest first."""
    rows = tx.execute(
        select(*_COLUMNS)
        .outerjoin(Account, Account.id == LedgerEntry.actor_id)
        .where(LedgerEntry.game_id == game_id)
        .order_by(LedgerEntry.id.desc())
        .limit(limit)
    )
    return tuple(LedgerRow(*row) for row in rows)


class ActCount(msgspec.Struct, frozen=True, kw_only=True):
    """Which entries are counted; ``actor_id`` None is the operator."""

    act: str
    game_id: int
    actor_id: int | None
    since: datetime


def lock_actor(tx: Tx, actor_id: int | None) -> None:
    """Make other acts of this actor, None for the operator, wait until the transaction ends.

    To be called after the games are locked, in a statement before the one that counts: a statement that waits for a lock
    counts what was there before it waited.
    """
    key = func.hashtextextended("operator" if actor_id is None else str(actor_id), _LOCK_SEED)
    tx.execute(select(func.pg_advisory_xact_lock(key)))


def nth_newest_times(
    tx: Tx, act_count: ActCount, most_in_game: int, most_by_actor: int
) -> tuple[datetime | None, datetime | None]:
    """Return when the entry was made that must pass ``since`` before one more is allowed: in the game, and by the actor.

    None where fewer entries than ``limit`` were made since then.
    """
    newest_time_in_game = _nth_newest_time(
        act_count, LedgerEntry.game_id == act_count.game_id, most_in_game
    )
    newest_time_by_actor = _nth_newest_time(act_count, _is_actor(act_count.actor_id), most_by_actor)
    row = tx.execute(select(newest_time_in_game, newest_time_by_actor)).one()
    return row[0], row[1]


def nth_newest_time_of_others(
    tx: Tx,
    game_id: int,
    counted_acts: Collection[str],
    *,
    since: datetime,
    limit: int,
) -> datetime | None:
    """Return when the act was performed that must pass ``since`` before one more is allowed, of these kinds; None if none must."""
    return tx.execute(
        select(LedgerEntry.at)
        .where(LedgerEntry.game_id == game_id, LedgerEntry.at > since)
        .where(LedgerEntry.act.in_(counted_acts))
        .where(LedgerEntry.acted_as.not_in((VOTE, SERVER)))
        .order_by(LedgerEntry.at.desc())
        .offset(limit - 1)
        .limit(1)
    ).scalar_one_or_none()


def newest_time_in_turn(tx: Tx, game_id: int, act: str, *, from_seq: int) -> datetime | None:
    """Return when an act was performed last since this turn of the game."""
    return tx.execute(
        select(func.max(LedgerEntry.at)).where(
            LedgerEntry.game_id == game_id, LedgerEntry.act == act, LedgerEntry.seq >= from_seq
        )
    ).scalar_one()


def _nth_newest_time(
    act_count: ActCount, scope: ColumnElement[bool], limit: int
) -> ScalarSelect[datetime]:
    return (
        select(LedgerEntry.at)
        .where(scope, LedgerEntry.act == act_count.act, LedgerEntry.at > act_count.since)
        .order_by(LedgerEntry.at.desc())
        .offset(limit - 1)
        .limit(1)
        .scalar_subquery()
    )


def _is_actor(actor_id: int | None) -> ColumnElement[bool]:
    if actor_id is None:
        return LedgerEntry.actor_id.is_(None)
    return LedgerEntry.actor_id == actor_id


def newest_entries(
    tx: Tx,
    ledger_filter: LedgerFilter,
    *,
    viewer_id: int,
    max_entries: int,
    before_id: int | None = None,
) -> tuple[LedgerLine, ...]:
    """Return the newest entries that the viewer may read, newest first, before an id."""
    query = _entries().where(~is_hidden_peek(viewer_id)).limit(max_entries)
    if before_id is not None:
        query = query.where(LedgerEntry.id < before_id)
    rows = tx.execute(query.where(*_conditions(ledger_filter)))
    return tuple(LedgerLine(*row) for row in rows)


def is_hidden_peek(viewer_id: int) -> ColumnElement[bool]:
    """Return whether an entry is a peek that the viewer, who has or had a seat there, learns of only when the game ends."""
    seat = exists().where(Seat.game_id == LedgerEntry.game_id, Seat.account_id == viewer_id)
    sitting = exists().where(
        Sitting.game_id == LedgerEntry.game_id, Sitting.account_id == viewer_id
    )
    is_over = GAME.c.status.in_((GameStatus.FINISHED, GameStatus.CANCELLED))
    return and_(LedgerEntry.act == "peek", GAME.c.id.is_not(None), ~is_over, seat | sitting)


def _entries() -> Select[Any]:
    return (
        select(
            LedgerEntry.id,
            LedgerEntry.at,
            LedgerEntry.act,
            _actor.ref,
            _actor.name,
            LedgerEntry.acted_as,
            LedgerEntry.seat,
            name_at_table(LedgerEntry),
            LedgerEntry.before,
            LedgerEntry.after,
            LedgerEntry.reason,
            LedgerEntry.undoes.is_not(None),
            exists().where(_undoing_entry.undoes == LedgerEntry.id),
            GAME.c.slug,
            GAME.c.host_name,
            GAME.c.table_name,
            Club.slug,
            Club.name,
            _person.ref,
            _person.name,
        )
        .outerjoin(_actor, _actor.id == LedgerEntry.actor_id)
        .outerjoin(_person, _person.id == LedgerEntry.account_id)
        .outerjoin(GAME, GAME.c.id == LedgerEntry.game_id)
        .outerjoin(Club, Club.id == LedgerEntry.club_id)
        .order_by(LedgerEntry.id.desc())
    )


def _conditions(ledger_filter: LedgerFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if ledger_filter.act is not None:
        conditions.append(LedgerEntry.act == ledger_filter.act)
    if ledger_filter.actor_ref == OPERATOR_REF:
        conditions.append(LedgerEntry.actor_id.is_(None))
    elif ledger_filter.actor_ref is not None:
        conditions.append(LedgerEntry.actor_id == _id_of_account(ledger_filter.actor_ref))
    if ledger_filter.game_slug is not None:
        game_id = select(GAME.c.id).where(GAME.c.slug == ledger_filter.game_slug).scalar_subquery()
        conditions.append(LedgerEntry.game_id == game_id)
    if ledger_filter.person_ref is not None:
        conditions.append(LedgerEntry.account_id == _id_of_account(ledger_filter.person_ref))
    return conditions


def _id_of_account(ref: str) -> ColumnElement[int]:
    # A scalar subquery, so that Postgres knows the id before it chooses an index.
    account = aliased(Account)
    return select(account.id).where(account.ref == ref).scalar_subquery()
