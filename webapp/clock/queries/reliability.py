"""How the latest turns of players ended, from the events of their deadlines."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

import msgspec
from sqlalchemy import (
    BigInteger,
    DateTime,
    Executable,
    Integer,
    bindparam,
    exists,
    func,
    or_,
    select,
    text,
    true,
)
from sqlalchemy.orm import aliased

from webapp.clock.schema import DeadlineEvent
from webapp.clock.turn import END_KINDS
from webapp.kernel.statements import Statement, array_rows, is_one_of
from webapp.kernel.tx import Tx
from webapp.lobby.schema import is_alone_with_bots

MIN_TURNS: Final = 10
"""Players with fewer turns are new: a share would say nothing about them."""


# As literals: only then does a prepared statement use the partial index.
_HAS_ENDED: Final = f"kind IN {END_KINDS}"
_EXCUSING_KINDS: Final = ("shifted", "undelivered")


class Reliability(msgspec.Struct, frozen=True, kw_only=True):
    """How the latest turns of a player ended."""

    on_time_count: int = 0
    late_count: int = 0
    missed_day_count: int = 0
    """Days with missed turns."""
    excused_count: int = 0

    @property
    def turns(self) -> int:
        """Return how many turns count."""
        return self.on_time_count + self.late_count + self.missed_day_count

    @property
    def percent(self) -> int | None:
        """Return the share of turns in time, rounded down; None for a new player."""
        return None if self.turns < MIN_TURNS else self.on_time_count * 100 // self.turns


def count_turn_ends(
    tx: Tx, account_ids: Sequence[int], *, since: datetime, limit: int
) -> dict[int, Reliability]:
    """Return how the latest turns of each of these players since then ended, at most ``limit`` each; players without any are left out."""
    rows = COUNT_ENDS_STATEMENT.run(tx, account_ids=list(account_ids), since=since, limit=limit)
    return {
        account_id: Reliability(
            on_time_count=on_time,
            late_count=late,
            missed_day_count=missed_days,
            excused_count=excused,
        )
        for account_id, on_time, late, missed_days, excused in rows
    }


def _count_ends_statement() -> Executable:
    accounts, event = array_rows(account_ids=BigInteger()), DeadlineEvent
    undoing = aliased(DeadlineEvent, name="undoing")
    is_undone = exists().where(
        undoing.game_id == event.game_id,
        undoing.turn_seq == event.turn_seq,
        undoing.kind == "undone",
    )
    latest = (
        select(event.game_id, event.turn_seq, event.kind, event.at, event.cause)
        .where(event.account_id == accounts.c.account_ids)
        .where(event.at >= bindparam("since", type_=DateTime(timezone=True)))
        .where(text(_HAS_ENDED), or_(event.by == "player", event.kind == "missed"), ~is_undone)
        .where(~is_alone_with_bots(event.game_id, event.seat))
        .order_by(event.at.desc())
        .limit(bindparam("limit", type_=Integer))
        .lateral("latest")
    )
    other = aliased(DeadlineEvent, name="other")
    is_excused = or_(
        latest.c.cause != "",
        exists().where(
            other.game_id == latest.c.game_id,
            other.turn_seq == latest.c.turn_seq,
            or_(*(other.kind == kind for kind in _EXCUSING_KINDS)),
        ),
    )
    ends = (
        select(accounts.c.account_ids, latest.c.kind, latest.c.at, is_excused.label("is_excused"))
        .select_from(accounts.join(latest, true()))
        .subquery("ends")
    )
    days = func.date(func.timezone("UTC", ends.c.at)).distinct()
    return select(
        ends.c.account_ids,
        func.count().filter(ends.c.kind == "played"),
        func.count().filter(ends.c.kind == "late", ~ends.c.is_excused),
        func.count(days).filter(ends.c.kind == "missed", ~ends.c.is_excused),
        func.count().filter(ends.c.kind != "played", ends.c.is_excused),
    ).group_by(ends.c.account_ids)


COUNT_ENDS_STATEMENT: Final = Statement(_count_ends_statement)


def median_answer_times(tx: Tx, account_ids: Sequence[int], *, since: datetime) -> list[timedelta]:
    """Return the median answer time, by the calendar, of each of these players with enough turns since then.

    Games with bots alone do not count: there people play at once, or leave the game for later, and no one waits for them.
    """
    rows = _MEDIAN_TIMES_STATEMENT.run(tx, account_ids=list(account_ids), since=since)
    return [timedelta(seconds=float(median)) for (median,) in rows]


def _median_times_statement() -> Executable:
    start_event, end_event = aliased(DeadlineEvent), aliased(DeadlineEvent)
    seconds = func.extract("epoch", end_event.at - start_event.at)
    return (
        select(func.percentile_cont(0.5).within_group(seconds))
        .select_from(end_event)
        .join(
            start_event,
            (start_event.game_id == end_event.game_id)
            & (start_event.turn_seq == end_event.turn_seq)
            & (start_event.kind == "started"),
        )
        .where(is_one_of(end_event.account_id, "account_ids"))
        .where(end_event.at >= bindparam("since", type_=DateTime(timezone=True)))
        .where(or_(end_event.kind == "played", end_event.kind == "late"))
        .where(~is_alone_with_bots(end_event.game_id, end_event.seat))
        .group_by(end_event.account_id)
        .having(func.count() >= MIN_TURNS)
        .order_by(end_event.account_id)
    )


_MEDIAN_TIMES_STATEMENT: Final = Statement(_median_times_statement)
