"""The ledger as site moderators read it: entries about games, people, clubs and the site, newest first."""

from datetime import datetime
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import ColumnElement, Select, and_, exists, select
from sqlalchemy.orm import aliased

from webapp.accounts.schema import Account
from webapp.clubs.schema import Club
from webapp.kernel.game_status import GameStatus
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
