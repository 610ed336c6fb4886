"""How long players take to answer, from the events of their turns."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, func, select
from sqlalchemy.orm import aliased

from webapp.store.schema.clock import DeadlineEvent

MIN_TURNS: Final = 10
"""Fewer turns say nothing about a player."""


def medians(
    connection: Connection, account_ids: Sequence[int], *, since: datetime
) -> list[timedelta]:
    """Return the median answer time, by the calendar, of each of these players with enough turns since then."""
    started, ended = aliased(DeadlineEvent), aliased(DeadlineEvent)
    seconds = func.extract("epoch", ended.at - started.at)
    rows = connection.execute(
        select(func.percentile_cont(0.5).within_group(seconds))
        .select_from(ended)
        .join(
            started,
            (started.game_id == ended.game_id)
            & (started.turn_seq == ended.turn_seq)
            & (started.kind == "started"),
        )
        .where(ended.account_id.in_(account_ids), ended.at >= since)
        .where(ended.kind.in_(("played", "late")))
        .group_by(ended.account_id)
        .having(func.count() >= MIN_TURNS)
        .order_by(ended.account_id)
    )
    return [timedelta(seconds=float(median)) for (median,) in rows]
