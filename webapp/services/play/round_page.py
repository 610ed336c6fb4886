"""The page of one finished round: for those who may see the game, and with every secret once the game is over."""

from webapp.services.accounts.person import Person, Viewer
from webapp.services.errors import NotFound
from webapp.services.play.access import game_for
from webapp.services.play.finished_game import OpenedRound, finished_game
from webapp.services.play.round_results import RoundOver, rounds_over
from webapp.services.play.summaries import (
    SeatSummary,
    TableSummary,
    seat_summaries,
    table_summary,
)
from webapp.services.tx import Tx
from webapp.store.play import turn_log
from webapp.store.redacted import Redacted


class RoundPage(Redacted, frozen=True, kw_only=True):
    me: Person | None
    seat: int | None
    table: TableSummary
    seats: tuple[SeatSummary, ...]
    over: RoundOver
    round_count: int
    """How many rounds are over."""
    opened: OpenedRound | None
    """The secrets of the round; None as long as the game is in progress."""


def round_page(tx: Tx, slug: str, viewer: Viewer, number: int) -> RoundPage:
    """Return a finished round as the viewer may know it. Raises NotFound, also for a round that is not over."""
    game, seat, person = game_for(tx, slug, viewer)
    if not game.is_dealt:
        raise NotFound
    turns = turn_log.all_turns(tx.connection, game.row.id)
    rounds = rounds_over(game, turns, seat)
    if not 1 <= number <= len(rounds):
        raise NotFound
    finished = finished_game(game, turns, seat) if game.is_revealed else None
    return RoundPage(
        me=person,
        seat=seat,
        table=table_summary(game.row),
        seats=seat_summaries(game.row, me=seat),
        over=rounds[number - 1],
        round_count=len(rounds),
        opened=None if finished is None else finished.rounds[number - 1],
    )
