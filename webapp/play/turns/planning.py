"""Making, changing and discarding a plan. Only the person in the seat ever learns that there is one."""

from engine.plans import (
    MAX_PLANNED_ACTIONS,
    Plan,
    PlannedAction,
    plannable_actions,
    planning_view,
    require_plannable,
)
from engine.view import View
from webapp.accounts.person import Person
from webapp.kernel.redacted import Redacted
from webapp.kernel.refusals import (
    DenialReason,
    FieldError,
    FieldErrors,
    NotAllowed,
    NotFound,
    StaleTurn,
)
from webapp.kernel.tx import Tx
from webapp.play.access import GameAccess, LoadedGame
from webapp.play.plans import SeatPlan, encode_plans, plan_of, plans_without_seat
from webapp.play.queries import changes
from webapp.play.summaries import SeatSummary, TableSummary, seat_summaries, table_summary


class PlanPage(Redacted, frozen=True, kw_only=True):
    """What a player can plan, and what they have planned."""

    me: Person | None
    seat: int
    table: TableSummary
    seats: tuple[SeatSummary, ...]
    view: View
    """The view as if it were the player's turn."""
    menu: tuple[PlannedAction, ...]
    """Every action that can be planned; empty while no plan can be made."""
    plan: SeatPlan | None
    denial: DenialReason | None
    """Why no plan can be made now."""


def plan_page(access: GameAccess) -> PlanPage:
    """Return the plan of the viewer. Raises NotFound for everyone who has no seat, and before the deal."""
    game, seat, person = access
    if seat is None or not game.is_dealt:
        raise NotFound
    denial = planning_denial(game, seat)
    view = planning_view(game.view(seat))
    return PlanPage(
        me=person,
        seat=seat,
        table=table_summary(game.row),
        seats=seat_summaries(game.row, me=seat, gone=view.gone),
        view=view,
        menu=() if denial else plannable_actions(view),
        plan=plan_of(game.plans, seat, game.row.seats),
        denial=denial,
    )


def save_plan(tx: Tx, access: GameAccess, plan: Plan, *, seq: int) -> None:
    """Keep a plan for the viewer's next turn instead of the one they had; the game must be locked (mode "change").

    Raises NotAllowed if the game is no longer at ``seq``, because the viewer has not seen what happened since, or if no plan
    can be made; FieldErrors, and IllegalAction for an action that cannot be planned.
    """
    game, seat, person = _require_seat(access)
    if denial := planning_denial(game, seat):
        raise NotAllowed(denial)
    if seq != game.seq:
        raise NotAllowed(DenialReason.PLAN_OUT_OF_DATE)
    plan = _checked_plan(plan, planning_view(game.view(seat)))
    old_plan = plan_of(game.plans, seat, game.row.seats)
    if old_plan is not None and old_plan.plan == plan:
        return
    new_plan = SeatPlan(seat=seat, account_id=person.id, made_at_seq=seq, made_at=tx.now, plan=plan)
    _write_plans(tx, game, (*plans_without_seat(game.plans, seat), new_plan))


def discard_plan(tx: Tx, access: GameAccess) -> None:
    """Discard the viewer's plan, if they have one; the game must be locked (mode "change")."""
    game, seat, _ = _require_seat(access)
    if plan_of(game.plans, seat, game.row.seats) is not None:
        _write_plans(tx, game, plans_without_seat(game.plans, seat))


def _require_seat(access: GameAccess) -> tuple[LoadedGame, int, Person]:
    """Return the game, the viewer's seat and the viewer. Raises NotAllowed, and NotFound before the deal."""
    game, seat, person = access
    if seat is None or person is None:
        raise NotAllowed(DenialReason.NOT_SEATED)
    if not game.is_dealt:
        raise NotFound
    return game, seat, person


def planning_denial(game: LoadedGame, seat: int) -> DenialReason | None:
    """Return why the player in a seat cannot make a plan now."""
    if not game.status.is_under_way:
        return DenialReason.NOTHING_TO_PLAN
    view = game.view(seat)
    if view.awaiting is None or seat in view.gone:
        return DenialReason.NOTHING_TO_PLAN
    if view.awaiting.kind == "gold":
        return DenialReason.BETWEEN_ROUNDS
    return DenialReason.PLANS_OWN_TURN if view.awaiting.seat == seat else None


def _checked_plan(plan: Plan, view: View) -> Plan:
    """Return the plan as it is stored. Raises FieldErrors, and IllegalAction for an action that cannot be planned."""
    if not plan.actions:
        raise FieldErrors(FieldError("steps", "required"))
    if len(plan.actions) > MAX_PLANNED_ACTIONS:
        raise FieldErrors(FieldError("steps", "too-many", {"max": MAX_PLANNED_ACTIONS}))
    actions = tuple(require_plannable(view, action) for action in plan.actions)
    if len(set(actions)) < len(actions):
        raise FieldErrors(FieldError("steps", "duplicate"))
    return Plan(actions, tuple(dict.fromkeys(plan.conditions)))


def _write_plans(tx: Tx, game: LoadedGame, plans: tuple[SeatPlan, ...]) -> None:
    row = game.row
    # By seat: the order in which plans were made may not show in anything.
    stored_plans = encode_plans(tuple(sorted(plans, key=lambda plan: plan.seat)))
    expected = changes.ExpectedPosition(row.id, row.seq, row.status)
    if not changes.change_game(tx, expected, {"plans": stored_plans}):
        raise StaleTurn(row.seq)
