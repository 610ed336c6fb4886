"""The players of a finished game in the order of their gold: for its own page and for the page that is shared."""

from collections.abc import Sequence
from typing import NamedTuple

from engine.view import View
from webapp.i18n import Language
from webapp.picture.chart_data import ChartData, Series
from webapp.services.play.round_results import RoundOver


class RankedSeat(NamedTuple):
    """A player in the order of their gold; ties share a rank."""

    rank: int
    seat: int
    nuggets: int
    by_round: tuple[int, ...]
    is_winner: bool


def ranking(view: View, rounds: Sequence[RoundOver]) -> list[RankedSeat]:
    """Return all players, the richest first; of equally rich ones in the order of their seats."""
    totals = [sum(cards or ()) for cards in view.gold] or [0] * view.seats
    seats = sorted(range(view.seats), key=lambda seat: -totals[seat])
    return [
        RankedSeat(
            rank=1 + sum(total > totals[seat] for total in totals),
            seat=seat,
            nuggets=totals[seat],
            by_round=tuple(sum(over.gold[seat] or ()) for over in rounds),
            is_winner=seat in view.winners,
        )
        for seat in seats
    ]


def gold_legend(rounds: Sequence[RoundOver], language: Language) -> ChartData:
    """Return the rounds as the parts of the players' bars."""
    names = [language.gettext("Round %(round)s", round=over.number) for over in rounds]
    return bar_legend("gold-by-round", names)


def bar_legend(key: str, names: Sequence[str]) -> ChartData:
    """Return the names of the parts of bars, for their signs."""
    series = tuple(Series(name, (1,)) for name in names)
    return ChartData(key=key, title="", summary="", labels=("",), series=series)
