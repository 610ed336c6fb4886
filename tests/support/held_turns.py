"""Held turns in tests: held, withdrawn and played as the pages do it, and what became of them."""

from datetime import datetime

from sqlalchemy import select

from engine.actions import Action, Discard
from engine.wire import decode_action
from tests.support.calls import sweep_with_calls_sent
from tests.support.factories import Guest, stored_game
from tests.support.transactions import NOON, pick_first, transaction
from webapp.accounts.profile import change_hold_minutes
from webapp.clock.held_turn import HeldTurn
from webapp.clock.schema import DeadlineEvent
from webapp.clock.sweep import SweepResult
from webapp.kernel.tx import Database
from webapp.mail.schema import Notification
from webapp.play.access import game_for
from webapp.play.schema import Turn
from webapp.play.turns.turn_holding import (
    play_held_turn,
    play_or_hold,
    shown_held_turn,
    withdraw_turn,
)


def enable_held_turns(database: Database, guest: Guest, *, minutes: int = 10) -> Guest:
    """Hold the guest's turns for some minutes from now on."""
    with transaction(database) as tx:
        change_hold_minutes(tx, guest.person, minutes=minutes)
    return guest


def card_of(database: Database, slug: str, alice: Guest, number: int = 0) -> Discard:
    return Discard(sorted(set(stored_game(database, slug, alice).state.hands[0]))[number])


def hold_turn(
    database: Database, slug: str, guest: Guest, action: Action | None = None, now: datetime = NOON
) -> HeldTurn | None:
    action = action or card_of(database, slug, guest)
    with transaction(database, now) as tx:
        access = game_for(tx, slug, guest.cookie, mode="play")
        return play_or_hold(tx, access, action, seq=access.game.seq)


def withdraw_held_turn(
    database: Database, slug: str, guest: Guest, *, seq: int = 0, now: datetime
) -> None:
    with transaction(database, now) as tx:
        access = game_for(tx, slug, guest.cookie, mode="change")
        withdraw_turn(tx, access, seq=seq)


def play_held_turn_now(
    database: Database, slug: str, guest: Guest, *, seq: int = 0, now: datetime
) -> None:
    with transaction(database, now) as tx:
        access = game_for(tx, slug, guest.cookie, mode="change")
        play_held_turn(tx, access, seq=seq)


def run_sweep(database: Database, now: datetime) -> SweepResult:
    with transaction(database) as tx:
        return sweep_with_calls_sent(tx, now=now, random_below=pick_first)


def held_turn_shown_to(database: Database, slug: str, guest: Guest) -> HeldTurn | None:
    with transaction(database) as tx:
        return shown_held_turn(game_for(tx, slug, guest.cookie))


def stored_turn(database: Database, seq: int = 1) -> tuple[int | None, str, Action, datetime]:
    with transaction(database) as tx:
        turn = tx.execute(select(Turn).where(Turn.seq == seq)).one()
    return turn.seat, turn.by, decode_action(turn.action), turn.at


def deadline_events(database: Database) -> list[tuple[str, datetime]]:
    with transaction(database) as tx:
        query = select(DeadlineEvent.kind, DeadlineEvent.at).order_by(DeadlineEvent.id)
        return [(kind, at) for kind, at in tx.execute(query)]


def notification_count(database: Database) -> int:
    with transaction(database) as tx:
        return len(tx.execute(select(Notification.id)).all())
