"""A game that is over, with everything opened: its rounds, what each player did, awards, and who knew what when."""

from collections.abc import Sequence

from engine.cards import Card, Goal
from engine.cells import GOAL_CELLS, Cell
from engine.narration import LineKey
from webapp.kernel.redacted import Redacted
from webapp.play.access import LoadedGame
from webapp.play.history import HistoryEntry, history_for
from webapp.play.queries.turns import TurnRow
from webapp.play.views.awards import Award, awards_of
from webapp.play.views.game_statistics import SeatStatistics, seat_statistics
from webapp.play.views.round_results import RoundOver, kept_seqs, rounds_over


class SeenGoal(Redacted, frozen=True, kw_only=True):
    """A goal that a player looked at with a map."""

    seq: int
    seat: int
    cell: Cell
    goal: Goal


class OpenedRound(Redacted, frozen=True, kw_only=True):
    """A round after the end of the game: who saw which goal, who discarded what, and what they still held."""

    over: RoundOver
    treasure_cell: Cell
    seen_goals: tuple[SeenGoal, ...]
    discards: tuple[tuple[Card, ...], ...]
    """By seat, in order."""
    hands: tuple[tuple[Card, ...], ...]
    """By seat, at the end of the round."""


class FinishedGame(Redacted, frozen=True, kw_only=True):
    """All that the page of a finished game adds to its table; ``rounds`` are the finished ones of a cancelled game."""

    rounds: tuple[OpenedRound, ...]
    statistics: tuple[SeatStatistics, ...]
    awards: tuple[Award, ...]
    shortened_to: int | None
    """The last round, if the players agreed to end the game before the last one."""


def finished_game(game: LoadedGame, turns: Sequence[TurnRow], seat: int | None) -> FinishedGame:
    """Return what happened in a game that is over; ``turns`` is its whole log."""
    assert game.is_revealed
    kept = kept_seqs(turns)
    entries = history_for([turn for turn in turns if turn.seq in kept], seat, reveal_all=True)
    rounds = rounds_over(game, turns, seat)
    statistics = seat_statistics(entries, game.row.seat_count)
    people = [each.number for each in game.row.seats if not each.is_bot]
    return FinishedGame(
        rounds=tuple(_opened_round(over, entries) for over in rounds),
        statistics=statistics,
        awards=awards_of(statistics, rounds, people) if game.state.winners else (),
        shortened_to=next(
            (
                line.round
                for entry in reversed(entries)
                for line in entry.lines
                if line.key is LineKey.GAME_SHORTENED
            ),
            None,
        ),
    )


def _opened_round(over: RoundOver, entries: Sequence[HistoryEntry]) -> OpenedRound:
    seqs = frozenset(over.seqs)
    entries = [entry for entry in entries if entry.seq in seqs]
    lines = [(entry.seq, line) for entry in entries for line in entry.lines]
    return OpenedRound(
        over=over,
        treasure_cell=GOAL_CELLS[over.view.goals.index("treasure")],
        seen_goals=tuple(
            SeenGoal(seq=seq, seat=line.seat, cell=line.cell, goal=line.goal)
            for seq, line in lines
            if line.key is LineKey.GOAL_SEEN
            and line.seat is not None
            and line.cell is not None
            and line.goal is not None
        ),
        discards=tuple(
            tuple(
                line.card
                for _, line in lines
                if line.key is LineKey.CARD_DISCARDED and line.seat == seat and line.card
            )
            for seat in range(over.view.seats)
        ),
        hands=over.hands,
    )
