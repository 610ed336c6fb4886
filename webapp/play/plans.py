"""The plans of the people in a game, as stored in its row: kept, cancelled and followed while turns are taken.

They are in the game's row, and not in a table of their own, so that every turn reads them without another statement, and
writes what is left of them in its one guarded statement: a turn that was decided before a plan changed is not written. A plan
belongs to a person. It ends with their turn, the round or a rewind, and a substitute inherits none.
"""

import logging
from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import Final

import msgspec

from engine.events import Event, GameEnded, RoundEnded
from engine.plans import CancelCondition, Plan, PlannedAction, cancelled_by, planned_action
from engine.state import State
from engine.view import awaiting, view_for
from webapp.kernel.redacted import Redacted
from webapp.play.queries.rows import SeatRow

_log = logging.getLogger(__name__)


class PlanEnd(StrEnum):
    """Why a plan ended without being followed."""

    GOAL_REVEALED = "goal-revealed"
    OWN_TOOL_BROKEN = "own-tool-broken"
    ROCKFALL_PLAYED = "rockfall-played"
    AREA_CHANGED = "area-changed"
    NOTHING_LEGAL = "nothing-legal"
    REWOUND = "rewound"
    SEAT_OPEN = "seat-open"
    """Its player had lost the seat when their turn came."""


_END_BY_CONDITION: Final = {condition: PlanEnd(condition.value) for condition in CancelCondition}


class SeatPlan(Redacted, frozen=True, kw_only=True, omit_defaults=True):
    """The plan of the person in a seat, or why their last plan ended; it is kept until their next turn or plan."""

    seat: int
    account_id: int
    """Who made it: the plan of a former player counts for nothing."""
    made_at_seq: int
    """The turn after which it was made."""
    made_at: datetime
    plan: Plan | None = None
    """None once it has ended: what was planned is deleted at once."""
    end: PlanEnd | None = None


def decode_plans(stored_plans: bytes | None) -> tuple[SeatPlan, ...]:
    """Return the plans of a game. Those of another release that cannot be read count as none, so that the game continues."""
    if stored_plans is None:
        return ()
    try:
        return _DECODER.decode(stored_plans)
    except msgspec.DecodeError:
        _log.error("The plans of a game cannot be read; they are not followed.")
        return ()


def encode_plans(plans: tuple[SeatPlan, ...]) -> bytes | None:
    """Return the plans as JSON; None if there are none."""
    return _ENCODER.encode(plans) if plans else None


def plan_of(
    plans: tuple[SeatPlan, ...], number: int, seats: tuple[SeatRow, ...]
) -> SeatPlan | None:
    """Return the plan of the person who has a seat now."""
    account_id = seats[number].account_id
    owner = (number, account_id)
    return next((plan for plan in plans if (plan.seat, plan.account_id) == owner), None)


def plans_without_seat(plans: tuple[SeatPlan, ...], seat: int) -> tuple[SeatPlan, ...]:
    """Return the plans of the other seats."""
    return tuple(plan for plan in plans if plan.seat != seat)


def plans_after_turn(
    plans: tuple[SeatPlan, ...],
    seats: tuple[SeatRow, ...],
    *,
    seat: int | None,
    events: Iterable[Event],
) -> tuple[SeatPlan, ...]:
    """Return what is left of the plans after a turn of a seat: not its own one, nor any once the round has ended.

    The plan of a player who has lost this seat ends, and they can read why if they return.
    """
    if not plans:
        return ()
    events = tuple(events)
    if any(isinstance(event, RoundEnded | GameEnded) for event in events):
        return ()
    return tuple(
        _ended_plan(plan, PlanEnd.SEAT_OPEN)
        if plan.seat == seat
        else _plan_after_events(plan, events)
        for plan in plans
        if plan.seat != seat or seats[plan.seat].is_free
    )


def plans_after_rewind(plans: tuple[SeatPlan, ...]) -> tuple[SeatPlan, ...]:
    """Return the plans of a game that returns to an earlier turn: all of them end."""
    return tuple(_ended_plan(plan, PlanEnd.REWOUND) for plan in plans)


def end_plan_of_awaited_seat(
    plans: tuple[SeatPlan, ...], state: State, seats: tuple[SeatRow, ...]
) -> tuple[SeatPlan, ...]:
    """Return the plans once the game waits for a player: if that player has a plan, nothing in it is legal, or the seat is open."""
    awaited = awaiting(state)
    if awaited is None:
        return ()
    end = PlanEnd.SEAT_OPEN if seats[awaited.seat].is_free else PlanEnd.NOTHING_LEGAL
    return tuple(_ended_plan(plan, end) if plan.seat == awaited.seat else plan for plan in plans)


def planned_turn(
    plans: tuple[SeatPlan, ...], state: State, seats: tuple[SeatRow, ...]
) -> PlannedAction | None:
    """Return what the seat that the game waits for has planned, if that is legal now."""
    awaited = awaiting(state) if plans else None
    if awaited is None:
        return None
    plan = plan_of(plans, awaited.seat, seats)
    if plan is None or plan.plan is None:
        return None
    return planned_action(plan.plan, view_for(state, awaited.seat))


def _plan_after_events(plan: SeatPlan, events: tuple[Event, ...]) -> SeatPlan:
    if plan.plan is None:
        return plan
    condition = cancelled_by(plan.plan, plan.seat, events)
    return plan if condition is None else _ended_plan(plan, _END_BY_CONDITION[condition])


def _ended_plan(plan: SeatPlan, end: PlanEnd) -> SeatPlan:
    return plan if plan.plan is None else msgspec.structs.replace(plan, plan=None, end=end)


_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final = msgspec.json.Decoder(tuple[SeatPlan, ...])
