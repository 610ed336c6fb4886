"""The charts of what a bot believed: a line for every other player, in as many charts as that needs."""

from collections.abc import Sequence
from math import ceil

from webapp.picture.chart_data import ChartData, Series
from webapp.picture.charts import MAX_SERIES
from webapp.services.play.bot_beliefs import RoundBeliefs
from webapp.wording.bots import bot_label
from webapp.wording.perspective import Perspective


def belief_charts(beliefs: RoundBeliefs, perspective: Perspective) -> list[ChartData]:
    """Return the charts of a bot in a round, with about the same number of lines in each."""
    other_seats = [seat for seat in range(len(perspective.names)) if seat != beliefs.bot.seat]
    chart_count = ceil(len(other_seats) / MAX_SERIES)
    size = ceil(len(other_seats) / chart_count)
    return [
        _chart(beliefs, other_seats[start : start + size], perspective)
        for start in range(0, len(other_seats), size)
    ]


def _chart(beliefs: RoundBeliefs, seats: Sequence[int], perspective: Perspective) -> ChartData:
    language = perspective.language
    return ChartData(
        key=f"beliefs-{seats[0] + 1}",
        title=language.gettext(
            "%(name)s about %(others)s",
            name=bot_label(beliefs.bot.name, beliefs.bot.level, language),
            others=perspective.names_of(tuple(seats)),
        ),
        summary=_summary(beliefs, seats, perspective),
        labels=tuple(map(str, beliefs.seqs)),
        series=tuple(
            Series(perspective.label(seat), tuple(row[seat] for row in beliefs.suspicions))
            for seat in seats
        ),
        unit="percent",
        min_scale_top=1.0,
    )


def _summary(beliefs: RoundBeliefs, seats: Sequence[int], perspective: Perspective) -> str:
    """Return whom the bot suspected most at last."""
    if not beliefs.suspicions:
        return ""
    latest_suspicions = beliefs.suspicions[-1]
    most_suspected_seat = max(seats, key=lambda seat: latest_suspicions[seat])
    return perspective.language.gettext(
        "After turn %(turn)s, %(bot)s suspected %(name)s most: %(percent)s%%.",
        turn=beliefs.seqs[-1],
        bot=beliefs.bot.name,
        name=perspective.name(most_suspected_seat),
        percent=round(100 * latest_suspicions[most_suspected_seat]),
    )
