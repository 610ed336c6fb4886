"""Turns that only their players know of: plans, and a held turn. The counterfactual game has them, the game has none."""

from collections.abc import Sequence
from typing import NamedTuple

from engine.actions import Discard
from engine.plans import CancelCondition, Plan
from engine.state import State
from engine.view import awaiting, legal_actions, view_for
from tests.support.factories import DAY, Guest
from tests.support.transactions import NOON
from webapp.clock.held_turn import HeldTurn
from webapp.play.plans import PlanEnd, SeatPlan


class HiddenTurns(NamedTuple):
    """The turns that people have planned, and one that is held."""

    plans: tuple[SeatPlan, ...]
    held_turn: HeldTurn | None


def hidden_turns_of(
    guests: Sequence[Guest],
    state: State,
    observer: int | None,
    is_counterfactual: bool,  # noqa: FBT001
) -> HiddenTurns:
    """Return the plans and the held turn of everyone but the observer: none in the game, all of them in the counterfactual."""
    if not is_counterfactual:
        return HiddenTurns((), None)
    return HiddenTurns(
        _plans_of_others(guests, observer), _held_turn_of_others(guests, state, observer)
    )


def _plans_of_others(guests: Sequence[Guest], observer: int | None) -> tuple[SeatPlan, ...]:
    """Return the plans of everyone but the observer, some of every kind.

    Nothing in them is ever legal, because a turn that took no time may be seen by everyone.
    """
    plan = Plan((Discard("no-such-card"),), tuple(CancelCondition))
    return tuple(
        SeatPlan(
            seat=seat,
            account_id=guest.person.id,
            made_at_seq=0,
            made_at=NOON,
            plan=plan if seat % 2 else None,
            end=None if seat % 2 else PlanEnd.GOAL_REVEALED,
        )
        for seat, guest in enumerate(guests)
        if seat != observer
    )


def _held_turn_of_others(
    guests: Sequence[Guest], state: State, observer: int | None
) -> HeldTurn | None:
    """Return the turn that the player on turn holds, unless it is the observer."""
    awaited = awaiting(state)
    if awaited is None or awaited.seat == observer:
        return None
    return HeldTurn(
        seat=awaited.seat,
        account_id=guests[awaited.seat].person.id,
        seq=state.seq,
        held_at=NOON,
        due_at=NOON + DAY / 2,
        deadline_at=NOON + DAY,
        wake_at=NOON + DAY,
        action=legal_actions(view_for(state, awaited.seat))[0],
    )
