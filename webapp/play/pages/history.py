"""The history of a game: every turn so far, the mine as it was after one of them, and what a bot believed."""

from collections.abc import Sequence
from itertools import groupby
from math import ceil
from typing import Final

from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from webapp.kernel import urls
from webapp.kernel.refusals import NotFound
from webapp.picture.charts import MAX_SERIES, ChartData, Series
from webapp.picture.pips import pips_of
from webapp.play.bots.bot_beliefs import RoundBeliefs
from webapp.play.history import HistoryEntry
from webapp.play.views.history_page import HistoryPage, history_page, round_page
from webapp.web.context import current_context
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import checked_viewer, locale_of, token
from webapp.wording.digest import without_undone_turns
from webapp.wording.perspective import Perspective, perspective_at

pages = Blueprint("history", __name__)

_MOST_ENTRIES: Final = 12
"""How many turns a page lists: few enough for a page below 40 kB with ten hands and their pictures."""


@pages.get(urls.history.rule)
def show_history(slug: str) -> ResponseReturnValue:
    """Show the history for the viewer; ``until`` picks the turn for the mine, ``seat`` limits the list to one player, ``bot`` picks a belief."""
    context = current_context()
    until, seat, bot = (
        _number_from(request.args.get(name, "")) for name in ("until", "seat", "bot")
    )
    with context.read_only() as tx:
        page = history_page(tx, slug, token(), until=until, bot=bot)
    if seat is not None and seat >= len(page.seats):
        raise NotFound
    language = locale_of(page.me).language
    perspective = perspective_at(page.seats, language)
    shown_entries = [entry for entry in page.entries if seat is None or entry.seat == seat]
    return render_page(
        "play/history/history.html",
        viewer=checked_viewer(page.me),
        nav_position=PagePosition(urls.history(slug), slug),
        page=page,
        view=page.view,
        perspective=perspective,
        turns_by_round=_newest_first(shown_entries[-_MOST_ENTRIES:], page),
        earlier_seq=shown_entries[-_MOST_ENTRIES - 1].seq
        if len(shown_entries) > _MOST_ENTRIES
        else None,
        step=page.entries[-1],
        undone_seqs={entry.seq for entry in page.entries}
        - {entry.seq for entry in without_undone_turns(page.entries)},
        pips=pips_of(page.entries[-1:], {}, perspective),
        messages=[message for message in page.messages if seat is None or message.seat == seat],
        only_seat=seat,
        script=context.stepper_script,
        only_bot=None if page.beliefs is None else page.bots.index(page.beliefs.bot),
        belief_charts=[] if page.beliefs is None else _belief_charts(page.beliefs, perspective),
    )


@pages.get(urls.round_result.rule)
def show_round(slug: str, number: int) -> ResponseReturnValue:
    """Show how a round ended, as far as the viewer may know it."""
    with current_context().read_only() as tx:
        page = round_page(tx, slug, token(), number)
    return render_page(
        "play/over/round.html",
        viewer=checked_viewer(page.me),
        nav_position=PagePosition(urls.round_result(slug, number), slug),
        page=page,
        perspective=perspective_at(page.seats, locale_of(page.me).language),
    )


def _newest_first(
    entries: Sequence[HistoryEntry], page: HistoryPage
) -> list[tuple[int, list[HistoryEntry]]]:
    """Return the turns, the newest first, under the numbers of their rounds."""
    round_by_seq = {seq: each.number for each in page.rounds for seq in each.seqs}
    groups = groupby(reversed(entries), key=lambda entry: round_by_seq[entry.seq])
    return [(number, list(group)) for number, group in groups]


def _number_from(text: str) -> int | None:
    """Return a turn, a seat or a bot from the query, or None for anything else."""
    is_number = text.isascii() and text.isdigit() and len(text) < 10  # noqa: PLR2004
    return int(text) if is_number else None


def _belief_charts(beliefs: RoundBeliefs, perspective: Perspective) -> list[ChartData]:
    """Return the charts of a bot in a round, with about the same number of lines in each."""
    other_seats = [seat for seat in range(len(perspective.names)) if seat != beliefs.bot.seat]
    chart_count = ceil(len(other_seats) / MAX_SERIES)
    size = ceil(len(other_seats) / chart_count)
    return [
        _belief_chart(beliefs, other_seats[start : start + size], perspective)
        for start in range(0, len(other_seats), size)
    ]


def _belief_chart(
    beliefs: RoundBeliefs, seats: Sequence[int], perspective: Perspective
) -> ChartData:
    language = perspective.language
    return ChartData(
        key=f"beliefs-{seats[0] + 1}",
        title=language.gettext(
            "%(name)s about %(others)s",
            name=beliefs.bot.name,
            others=perspective.names_of(tuple(seats)),
        ),
        summary=_belief_summary(beliefs, seats, perspective),
        labels=tuple(map(str, beliefs.seqs)),
        series=tuple(
            Series(perspective.name(seat), tuple(row[seat] for row in beliefs.suspicions))
            for seat in seats
        ),
        unit="percent",
        min_scale_top=1.0,
    )


def _belief_summary(beliefs: RoundBeliefs, seats: Sequence[int], perspective: Perspective) -> str:
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
