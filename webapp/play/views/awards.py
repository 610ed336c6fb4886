"""The awards of a finished game, from what everyone may read then: the same for every reader, and shared by ties."""

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import timedelta
from enum import StrEnum
from typing import Final

import msgspec

from engine.state import RoundResult
from webapp.play.views.game_statistics import SeatStatistics
from webapp.play.views.round_results import RoundOver


class AwardKey(StrEnum):
    """What an award is for; pages and emails have a name for each."""

    TREASURES = "treasures"
    SABOTAGE = "sabotage"
    PATHS = "paths"
    REPAIRS = "repairs"
    BREAKS = "breaks"
    MAPS = "maps"
    ROCKFALLS = "rockfalls"
    QUICKEST = "quickest"


class Award(msgspec.Struct, frozen=True, kw_only=True):
    """An award and the seats that share it: ``count`` of something, or how soon they played."""

    key: AwardKey
    seats: tuple[int, ...]
    count: int = 0
    answer: timedelta | None = None


_COUNTS: Final[dict[AwardKey, Callable[[SeatStatistics], int]]] = {
    AwardKey.TREASURES: lambda statistics: statistics.treasures,
    AwardKey.PATHS: lambda statistics: statistics.paths,
    AwardKey.REPAIRS: lambda statistics: statistics.repairs,
    AwardKey.BREAKS: lambda statistics: statistics.breaks,
    AwardKey.MAPS: lambda statistics: statistics.maps,
    AwardKey.ROCKFALLS: lambda statistics: statistics.rockfalls,
}
_ORDER: Final = tuple(AwardKey)


def awards_of(
    statistics: Sequence[SeatStatistics], rounds: Sequence[RoundOver], people: Collection[int]
) -> tuple[Award, ...]:
    """Return the awards; none for what no one did, or what everyone did equally often. ``people`` are the seats without bots."""
    awards = [
        *_count_awards(statistics),
        *_sabotage_award(statistics, rounds),
        *_quickest_award([each for each in statistics if each.seat in people]),
    ]
    return tuple(sorted(awards, key=lambda award: _ORDER.index(award.key)))


def _count_awards(statistics: Sequence[SeatStatistics]) -> Iterator[Award]:
    for key, count_of in _COUNTS.items():
        yield from _award_for_most(key, [count_of(each) for each in statistics])


def _sabotage_award(
    statistics: Sequence[SeatStatistics], rounds: Sequence[RoundOver]
) -> Iterator[Award]:
    wins = [
        sum(
            _has_sabotaged(each.seat, over.result)
            for over in rounds
            if over.seqs[0] >= each.since_seq
        )
        for each in statistics
    ]
    yield from _award_for_most(AwardKey.SABOTAGE, wins)


def _has_sabotaged(seat: int, result: RoundResult) -> bool:
    return result.winners == "saboteurs" and result.roles[seat] == "saboteur"


def _award_for_most(key: AwardKey, counts: Sequence[int]) -> Iterator[Award]:
    most = max(counts)
    seats = tuple(seat for seat, count in enumerate(counts) if count == most)
    if most and len(seats) < len(counts):
        yield Award(key=key, seats=seats, count=most)


def _quickest_award(statistics: Sequence[SeatStatistics]) -> Iterator[Award]:
    """Yield an award if at least two people can be compared; bots answer after a time of their own."""
    answers = {
        each.seat: each.median_answer for each in statistics if each.median_answer is not None
    }
    if len(answers) < 2:  # noqa: PLR2004 - one alone is quicker than no one
        return
    best = min(answers.values())
    seats = tuple(seat for seat, answer in answers.items() if answer == best)
    if len(seats) < len(answers):
        yield Award(key=AwardKey.QUICKEST, seats=seats, answer=best)
