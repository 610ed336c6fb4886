"""The chart of a club's standings: how the wins of the leading players have grown, day by day."""

from collections.abc import Sequence
from datetime import date
from typing import Protocol

from webapp.i18n import Language
from webapp.picture.chart_data import ChartData, Series
from webapp.picture.charts import MAX_SERIES
from webapp.wording.perspective import joined_words, player_name
from webapp.wording.times import day_of_month, day_of_year


class RankedPlayer(Protocol):
    """A line of the standings, as services have it."""

    @property
    def name(self) -> str: ...
    @property
    def wins(self) -> int: ...
    @property
    def days_of_wins(self) -> Sequence[date]: ...


def wins_chart(standings: Sequence[RankedPlayer], language: Language) -> ChartData | None:
    """Return the wins of the leading players up to each day on which one of them has won; None if no one has."""
    leading_players = [row for row in standings if row.wins][:MAX_SERIES]
    if not leading_players:
        return None
    days = sorted({day for row in leading_players for day in row.days_of_wins})
    return ChartData(
        key="wins",
        title=language.gettext("Wins of the leading players"),
        summary=_leaders_sentence(leading_players, language),
        labels=_day_labels(days, language),
        series=tuple(
            Series(
                name=_player_name(row, language),
                values=tuple(sum(win_day <= day for win_day in row.days_of_wins) for day in days),
            )
            for row in leading_players
        ),
    )


def _day_labels(days: Sequence[date], language: Language) -> tuple[str, ...]:
    """Return the days, with their year only if it is not the same one."""
    is_one_year = days[0].year == days[-1].year
    day_text_of = day_of_month if is_one_year else day_of_year
    return tuple(day_text_of(day, language) for day in days)


def _leaders_sentence(leading_players: Sequence[RankedPlayer], language: Language) -> str:
    top_wins = leading_players[0].wins
    names = tuple(_player_name(row, language) for row in leading_players if row.wins == top_wins)
    return language.ngettext(
        "Most wins: %(names)s, with %(num)s.",
        "Most wins: %(names)s, with %(num)s.",
        top_wins,
        names=joined_words(names, language),
    )


def _player_name(row: RankedPlayer, language: Language) -> str:
    return player_name(row.name, language)
