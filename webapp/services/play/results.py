"""The public result of a game, from its last position."""

from engine.state import State
from webapp.store.play.results import ResultRow


def results_of(state: State) -> tuple[ResultRow, ...]:
    """Return what each seat has won; nothing before the end of the game, when gold is not public."""
    if not state.winners:
        return ()
    return tuple(
        ResultRow(seat=seat, gold=sum(cards), is_winner=seat in state.winners)
        for seat, cards in enumerate(state.gold)
    )
