"""The finished rounds of a game as one viewer may see them: the last mine, the winning path, roles and gold.

Everything comes from the position before the next deal, so nothing of the round under way can be in it.
"""

from collections.abc import Sequence

import msgspec

from engine.cards import Card
from engine.cells import Cell
from engine.evolve import initial_state
from engine.finished_rounds import FinishedRound, finished_rounds, kept_turns, winning_path
from engine.narration import LineKey
from engine.state import RoundResult, State
from engine.view import View, view_for
from engine.wire import decode_events
from webapp.kernel.redacted import Redacted
from webapp.play.access import LoadedGame
from webapp.play.history import HistoryEntry
from webapp.play.queries.turns import TurnRow


class RoundOver(Redacted, frozen=True, kw_only=True):
    """A finished round as a viewer may know it."""

    number: int
    seqs: tuple[int, ...]
    """Its turns, without those that were taken back."""
    result: RoundResult
    view: View
    """What the viewer knew when the round ended; once the game is over, all of it."""
    path: tuple[Cell, ...]
    """The winning path; empty if the treasure was not found."""
    gold: tuple[tuple[int, ...] | None, ...]
    """The gold cards that each seat won in this round; None if they are still secret (R46)."""
    is_gold_pending: bool
    """Whether players are still picking their gold."""
    hands: tuple[tuple[Card, ...], ...] = ()
    """What everyone held at the end; only once the game is over."""

    @property
    def first_seq(self) -> int:
        return self.seqs[0]


def rounds_over(
    game: LoadedGame, turns: Sequence[TurnRow], seat: int | None
) -> tuple[RoundOver, ...]:
    """Return the finished rounds of a game from its whole log, with every secret once the game is over."""
    start = initial_state(game.row.rulebook, game.house, game.row.seat_count)
    log = [decode_events(turn.events) for turn in turns]
    reveal_all = game.is_revealed
    rounds: list[RoundOver] = []
    for finished in finished_rounds(start, log, game.state):
        view = view_for(finished.state, seat, reveal_all=reveal_all)
        over = _round_over(finished, view, rounds[-1].view if rounds else None)
        rounds.append(
            msgspec.structs.replace(over, hands=_all_hands(finished.state)) if reveal_all else over
        )
    return tuple(rounds)


def _all_hands(state: State) -> tuple[tuple[Card, ...], ...]:
    return tuple(view_for(state, seat).hand for seat in range(state.seats))


def kept_seqs(turns: Sequence[TurnRow]) -> frozenset[int]:
    """Return the numbers of the turns of a whole log that were not taken back."""
    return frozenset(kept_turns([decode_events(turn.events) for turn in turns]))


def is_round_news(
    entries: Sequence[HistoryEntry], own_turn: HistoryEntry | None, view: View
) -> bool:
    """Return whether the viewer has not played in this round yet; ``entries`` are the turns after their ``own_turn``.

    While gold is shared the round is news for everyone. It stays so for the player whose own turn ended the round.
    """
    if not view.results:
        return False
    if view.awaiting is not None and view.awaiting.kind == "gold":
        return True
    news = entries if own_turn is None else (own_turn, *entries)
    return any(
        line.key is LineKey.ROUND_DEALT and line.round == view.round
        for entry in news
        for line in entry.lines
    )


def _round_over(finished: FinishedRound, view: View, earlier_view: View | None) -> RoundOver:
    earlier_gold = ((),) * view.seats if earlier_view is None else earlier_view.gold
    return RoundOver(
        number=finished.number,
        seqs=finished.seqs,
        result=finished.state.results[-1],
        view=view,
        path=winning_path(view.mine),
        gold=tuple(
            None if cards is None else cards[len(earlier_cards or ()) :]
            for cards, earlier_cards in zip(view.gold, earlier_gold, strict=True)
        ),
        is_gold_pending=view.awaiting is not None and view.awaiting.kind == "gold",
    )
