"""How long players take to answer, from the events of their turns."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import func, select
from sqlalchemy.orm import aliased

from webapp.clock.schema import DeadlineEvent
from webapp.kernel.tx import Tx
from webapp.lobby.schema import is_alone_with_bots

MIN_TURNS: Final = 10
"""Fewer turns say nothing about a player."""


def median_answer_times(tx: Tx, account_ids: Sequence[int], *, since: datetime) -> list[timedelta]:
    """Return the median answer time, by the calendar, of each of these players with enough turns since then.

    Games with bots alone do not count: there people play at once, or leave the game for later, and no one waits for them.
    """
    start_event, end_event = aliased(DeadlineEvent), aliased(DeadlineEvent)
    seconds = func.extract("epoch", end_event.at - start_event.at)
    rows = tx.execute(
        select(func.percentile_cont(0.5).within_group(seconds))
        .select_from(end_event)
        .join(
            start_event,
            (start_event.game_id == end_event.game_id)
            & (start_event.turn_seq == end_event.turn_seq)
            & (start_event.kind == "started"),
        )
        .where(end_event.account_id.in_(account_ids), end_event.at >= since)
        .where(end_event.kind.in_(("played", "late")))
        .where(~is_alone_with_bots(end_event.game_id, end_event.seat))
        .group_by(end_event.account_id)
        .having(func.count() >= MIN_TURNS)
        .order_by(end_event.account_id)
    )
    return [timedelta(seconds=float(median)) for (median,) in rows]
