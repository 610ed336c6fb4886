"""Plans in tests: made and discarded as the pages do it, and what became of them."""

from datetime import datetime

import msgspec
from sqlalchemy import func, select, update

from engine.actions import Discard
from engine.plans import CancelCondition, Plan, PlannedAction
from engine.wire import encode_state
from tests.support.factories import Guest, stored_game
from tests.support.transactions import NOON, transaction
from webapp.kernel.tx import Database
from webapp.mail.schema import Notification
from webapp.play.access import game_for
from webapp.play.plans import SeatPlan
from webapp.play.schema import Game, Turn
from webapp.play.turns.planning import discard_plan, save_plan


def make_plan(
    database: Database,
    slug: str,
    guest: Guest,
    *actions: PlannedAction,
    conditions: tuple[CancelCondition, ...] = (),
    seq: int | None = None,
    now: datetime = NOON,
) -> None:
    """Plan these actions for the guest's next turn, or else to discard the first card of the hand."""
    with transaction(database, now) as tx:
        access = game_for(tx, slug, guest.cookie, mode="change")
        if not actions:
            actions = (Discard(access.game.view(access.seat).hand[0]),)
        plan = Plan(actions, conditions)
        save_plan(tx, access, plan, seq=access.game.seq if seq is None else seq)


def drop_plan(database: Database, slug: str, guest: Guest) -> None:
    """Discard the guest's plan."""
    with transaction(database) as tx:
        discard_plan(tx, game_for(tx, slug, guest.cookie, mode="change"))


def plans_by_seat(database: Database, slug: str, guest: Guest) -> dict[int, SeatPlan]:
    """Return the plans of a game by seat."""
    return {plan.seat: plan for plan in stored_game(database, slug, guest).plans}


def change_state(database: Database, slug: str, guest: Guest, **changes: object) -> None:
    """Change the stored position: hands, mine, goals, roles, deck ..."""
    game = stored_game(database, slug, guest)
    state = encode_state(msgspec.structs.replace(game.state, **changes))
    with transaction(database) as tx:
        tx.execute(update(Game).where(Game.id == game.row.id).values(state=state))


def turns(database: Database) -> list[tuple[int, int | None, str]]:
    """Return number, seat and source of every turn."""
    with transaction(database) as tx:
        rows = tx.execute(select(Turn.seq, Turn.seat, Turn.by).order_by(Turn.seq))
        return [(seq, seat, by) for seq, seat, by in rows]


def emails_since(database: Database, last_id: int) -> list[tuple[str, int | None]]:
    """Return kind and recipient of the notifications after this one."""
    query = select(Notification.kind, Notification.account_id).where(Notification.id > last_id)
    with transaction(database) as tx:
        return [(kind, account) for kind, account in tx.execute(query)]


def last_notification_id(database: Database) -> int:
    """Return the newest notification."""
    with transaction(database) as tx:
        return tx.execute(select(func.max(Notification.id))).scalar_one()
