"""The turns that follow another one by themselves: plans, and gold picks that are left to the server."""

from typing import NamedTuple

from engine.actions import Action, TakeGold
from engine.record import TurnSource
from engine.state import GoldChoice, State
from webapp.play.plans import SeatPlan, planned_turn
from webapp.play.queries.rows import SeatRow


class AutomaticTurn(NamedTuple):
    """A turn that follows another one by itself."""

    seat: int
    by: TurnSource
    action: Action

    def __repr__(self) -> str:
        return f"<AutomaticTurn {self.seat}>"


def automatic_turn(
    state: State, seats: tuple[SeatRow, ...], plans: tuple[SeatPlan, ...]
) -> AutomaticTurn | None:
    """Return the turn that follows by itself: a gold pick that is left to the server, or one that its player has planned."""
    if picker := _automatic_picker(state, seats):
        gold_pick, picked_by = _best_gold_pick(state, picker)
        return AutomaticTurn(picker.number, picked_by, gold_pick)
    action = planned_turn(plans, state, seats)
    if action is None or state.turn is None:
        return None
    return AutomaticTurn(state.turn, "plan", action)


def _automatic_picker(state: State, seats: tuple[SeatRow, ...]) -> SeatRow | None:
    """Return the seat that picks gold next, if it is a bot or a person who lets the server pick."""
    if not isinstance(state.choice, GoldChoice):
        return None
    seat = seats[state.choice.seat]
    return seat if seat.is_bot or seat.picks_gold else None


def _best_gold_pick(state: State, picker: SeatRow) -> tuple[TakeGold, TurnSource]:
    assert isinstance(state.choice, GoldChoice)
    return TakeGold(max(state.choice.cards)), "bot" if picker.is_bot else "plan"
