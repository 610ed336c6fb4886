"""What each player did in a finished game, counted from its history: pure functions."""

import itertools
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from statistics import median
from typing import Final

import msgspec

from engine.narration import Line, LineKey
from webapp.clock.turn import SOURCES_PLAYED_IN_PERSON
from webapp.play.history import HistoryEntry

TURN_KEYS: Final = frozenset(
    {
        LineKey.CARD_LAID,
        LineKey.TOOL_BROKEN,
        LineKey.OWN_TOOL_BROKEN,
        LineKey.TOOL_REPAIRED,
        LineKey.OWN_TOOL_REPAIRED,
        LineKey.ROCK_FELL,
        LineKey.GOAL_SEEN,
        LineKey.GOAL_LOOKED_AT,
        LineKey.CARD_DISCARDED,
        LineKey.DISCARDED,
    }
)
"""The lines of which every turn with a card has exactly one."""


class SeatStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """What the player who has a seat at the end did; nothing of those who had it before."""

    seat: int
    since_seq: int
    """The first turn that counts: the deal, or when the player took the seat over."""
    turns: int
    paths: int
    treasures: int
    breaks: int
    """How often they broke a tool of someone else."""
    repairs: int
    """How often they repaired a tool of someone else."""
    maps: int
    rockfalls: int
    median_answer: timedelta | None
    """How soon they played, in the middle of all turns that they played in person; None if there are too few."""


_FEWEST_ANSWERS: Final = 5


def seat_statistics(entries: Sequence[HistoryEntry], seat_count: int) -> tuple[SeatStatistics, ...]:
    """Return what the player in each seat did; ``entries`` are all turns that count, from the first deal on."""
    return tuple(_statistics_of(seat, entries) for seat in range(seat_count))


def _statistics_of(seat: int, entries: Sequence[HistoryEntry]) -> SeatStatistics:
    since_seq = max((entry.seq for entry in entries if _is_handover(entry, seat)), default=0)
    counts = Counter(
        line.key
        for entry in entries
        if entry.seq >= since_seq
        for line in entry.lines
        if line.seat == seat
    )
    return SeatStatistics(
        seat=seat,
        since_seq=since_seq,
        turns=sum(counts[key] for key in TURN_KEYS),
        paths=counts[LineKey.CARD_LAID],
        treasures=counts[LineKey.TREASURE_TURNED],
        breaks=counts[LineKey.TOOL_BROKEN],
        repairs=counts[LineKey.TOOL_REPAIRED],
        maps=counts[LineKey.GOAL_SEEN],
        rockfalls=counts[LineKey.ROCK_FELL],
        median_answer=_median_answer(seat, entries, since_seq),
    )


def _is_handover(entry: HistoryEntry, seat: int) -> bool:
    return any(line.key is LineKey.SEAT_HANDED_OVER and line.seat == seat for line in entry.lines)


def _median_answer(seat: int, entries: Sequence[HistoryEntry], since_seq: int) -> timedelta | None:
    """Return the median time from the turn before until this player's, for turns with a card played in person."""
    answers = [
        (entry.at - earlier.at).total_seconds()
        for earlier, entry in itertools.pairwise(entries)
        if entry.seat == seat
        and earlier.seq >= since_seq
        and entry.by in SOURCES_PLAYED_IN_PERSON
        and _has_turn(entry.lines)
    ]
    return timedelta(seconds=median(answers)) if len(answers) >= _FEWEST_ANSWERS else None


def _has_turn(lines: Sequence[Line]) -> bool:
    return any(line.key in TURN_KEYS for line in lines)
