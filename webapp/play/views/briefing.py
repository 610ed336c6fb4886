"""What someone who has just taken over a seat needs to know: exactly what the seat has seen, and who sits where since when."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from engine.cards import Card
from engine.narration import Line, LineKey
from engine.view import View
from webapp.accounts.person import Person, Viewer
from webapp.kernel.redacted import Redacted
from webapp.kernel.refusals import NotFound
from webapp.kernel.tx import Tx
from webapp.play.access import game_for
from webapp.play.history import HistoryEntry, history_for
from webapp.play.queries import turn_log
from webapp.play.summaries import SeatSummary, TableSummary, seat_summaries, table_summary
from webapp.play.views.players import SeatHistory, seat_histories


class BriefingPage(Redacted, frozen=True, kw_only=True):
    """The game as the viewer's seat knows it; nothing of it comes from another seat."""

    me: Person
    seat: int
    table: TableSummary
    seats: tuple[SeatSummary, ...]
    view: View
    discards: tuple[Card, ...]
    """The cards that the seat has discarded in this round, oldest first."""
    seat_histories: tuple[SeatHistory, ...]
    """The seats that have changed hands."""
    deadline_at: datetime | None
    """None while the game is paused, or waits for a bot."""


def briefing_page(tx: Tx, slug: str, viewer: Viewer) -> BriefingPage:
    """Return the briefing of the viewer's seat. Raises NotFound without one, and before the deal."""
    game, seat, person = game_for(tx, slug, viewer)
    if seat is None or person is None or not game.is_dealt:
        raise NotFound
    view = game.view(seat)
    turns = turn_log.all_turns(tx, game.row.id)
    entries = history_for(turns, seat, reveal_all=False)
    return BriefingPage(
        me=person,
        seat=seat,
        table=table_summary(game.row),
        seats=seat_summaries(game.row, me=seat, gone=view.gone),
        view=view,
        discards=discards_of_round(entries),
        seat_histories=seat_histories(tx, game.row),
        deadline_at=None if game.row.paused_at else game.row.deadline_at,
    )


def discards_of_round(entries: Sequence[HistoryEntry]) -> tuple[Card, ...]:
    """Return the cards that this seat, whose history it is, has discarded since the last deal."""
    discards: list[Card] = []
    for line in _lines(entries):
        if line.key is LineKey.ROUND_DEALT:
            discards.clear()
        elif line.key is LineKey.CARD_DISCARDED and line.card is not None:
            discards.append(line.card)
    return tuple(discards)


def _lines(entries: Iterable[HistoryEntry]) -> list[Line]:
    return [line for entry in entries for line in entry.lines]
