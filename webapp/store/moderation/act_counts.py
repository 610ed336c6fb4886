"""How often an act was performed of late, read from the ledger: in one game, and by one actor in all games."""

from collections.abc import Collection
from datetime import datetime
from typing import Final

import msgspec
from sqlalchemy import ColumnElement, Connection, ScalarSelect, func, select

from webapp.rights import SERVER, VOTE
from webapp.store.schema.moderation import LedgerEntry

_LOCK_SEED: Final = 2
"""Keeps the locks of actors apart from those of addresses."""


class ActCount(msgspec.Struct, frozen=True, kw_only=True):
    """Which entries are counted; ``actor_id`` None is the operator."""

    act: str
    game_id: int
    actor_id: int | None
    since: datetime


def lock_actor(connection: Connection, actor_id: int | None) -> None:
    """Make other acts of this actor, None for the operator, wait until the transaction ends.

    To be called after the games are locked, in a statement before the one that counts: a statement that waits for a lock
    counts what was there before it waited.
    """
    key = func.hashtextextended("operator" if actor_id is None else str(actor_id), _LOCK_SEED)
    connection.execute(select(func.pg_advisory_xact_lock(key)))


def nth_newest_times(
    connection: Connection, act_count: ActCount, most_in_game: int, most_by_actor: int
) -> tuple[datetime | None, datetime | None]:
    """Return when the entry was made that must pass ``since`` before one more is allowed: in the game, and by the actor.

    None where fewer entries than ``limit`` were made since then.
    """
    newest_time_in_game = _nth_newest_time(
        act_count, LedgerEntry.game_id == act_count.game_id, most_in_game
    )
    newest_time_by_actor = _nth_newest_time(act_count, _is_actor(act_count.actor_id), most_by_actor)
    row = connection.execute(select(newest_time_in_game, newest_time_by_actor)).one()
    return row[0], row[1]


def nth_newest_time_of_others(
    connection: Connection,
    game_id: int,
    uncounted_acts: Collection[str],
    *,
    since: datetime,
    limit: int,
) -> datetime | None:
    """Return when the act was performed that must pass ``since`` before one more is allowed, of all but some kinds; None if none must."""
    return connection.execute(
        select(LedgerEntry.at)
        .where(LedgerEntry.game_id == game_id, LedgerEntry.at > since)
        .where(LedgerEntry.act.not_in({"peek", *uncounted_acts}))
        .where(LedgerEntry.acted_as.not_in((VOTE, SERVER)))
        .order_by(LedgerEntry.at.desc())
        .offset(limit - 1)
        .limit(1)
    ).scalar_one_or_none()


def newest_time_in_turn(
    connection: Connection, game_id: int, act: str, *, from_seq: int
) -> datetime | None:
    """Return when an act was performed last since this turn of the game."""
    return connection.execute(
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
