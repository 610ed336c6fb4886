"""What a player finds who gets an opened seat back, and with what clock a substitute begins."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy import select, update

from tests.support.acts import HOUR, perform_act, undo_act
from tests.support.cast import DAVE
from tests.support.factories import DAY, Guest, play_turn, sign_in_guest, stored_game
from tests.support.held_turns import (
    card_of,
    enable_held_turns,
    held_turn_shown_to,
    hold_turn,
    run_sweep,
    stored_turn,
)
from tests.support.late_games import set_late_rules
from tests.support.plans import make_plan, plans_by_seat, turns
from tests.support.transactions import NOON, transaction
from webapp.accounts.schema import Account
from webapp.clock.schema import Absence
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.mail.schema import Notification
from webapp.play.plans import PlanEnd, plan_of

MINUTE = timedelta(minutes=1)
OPEN, PERSON, BOT = GameRight.OPEN_SEAT, GameRight.SEAT_PERSON, GameRight.SEAT_BOT


def _seat_dave(database: Database, slug: str, seat: int, now: datetime = NOON) -> Guest:
    dave = sign_in_guest(database, DAVE)
    perform_act(database, slug, PERSON, seat=seat, name="Dave", address=DAVE.address, now=now)
    return dave


def test_plan_counts_again_for_the_player_who_gets_the_seat_back(
    database: Database, guests: list[Guest], slug: str
) -> None:
    make_plan(database, slug, guests[1])
    entry = perform_act(database, slug, OPEN, seat=1)
    undo_act(database, slug, OPEN, entry)
    play_turn(database, slug, guests[0])
    assert turns(database)[1:] == [(1, 0, "player"), (2, 1, "plan")]


def test_plan_is_not_followed_while_the_seat_is_open_and_its_player_reads_why(
    database: Database, guests: list[Guest], slug: str
) -> None:
    make_plan(database, slug, guests[1])
    entry = perform_act(database, slug, OPEN, seat=1)
    play_turn(database, slug, guests[0])
    assert turns(database)[1:] == [(1, 0, "player")]
    run_sweep(database, NOON + DAY)
    undo_act(database, slug, OPEN, entry, now=NOON + DAY)
    plan = plans_by_seat(database, slug, guests[0])[1]
    assert (plan.plan, plan.end) == (None, PlanEnd.SEAT_OPEN)


@pytest.mark.parametrize("act", [PERSON, BOT])
def test_plan_of_the_leaver_is_deleted_once_someone_has_the_seat(
    database: Database, guests: list[Guest], slug: str, act: GameRight
) -> None:
    make_plan(database, slug, guests[1])
    perform_act(database, slug, OPEN, seat=1)
    if act == PERSON:
        _seat_dave(database, slug, 1)
    else:
        perform_act(database, slug, BOT, seat=1)
    game = stored_game(database, slug, guests[0])
    assert (game.plans, plan_of(game.plans, 1, game.row.seats)) == ((), None)


def test_held_turn_enters_after_the_player_got_the_seat_back(
    database: Database, guests: list[Guest], slug: str
) -> None:
    action = card_of(database, slug, guests[0])
    hold_turn(database, slug, enable_held_turns(database, guests[0]), action)
    entry = perform_act(database, slug, OPEN, seat=0, now=NOON + MINUTE)
    assert run_sweep(database, NOON + 11 * MINUTE).expired_count == 0
    undo_act(database, slug, OPEN, entry, now=NOON + 20 * MINUTE)
    assert held_turn_shown_to(database, slug, guests[0]) is not None
    assert run_sweep(database, NOON + 20 * MINUTE).expired_count == 1
    assert stored_turn(database)[:3] == (0, "player", action)


@pytest.mark.parametrize("end", ["deadline", "pause"])
def test_held_turn_that_was_dropped_while_the_seat_was_open_is_shown_to_its_player(
    database: Database, guests: list[Guest], slug: str, end: str
) -> None:
    hold_turn(database, slug, enable_held_turns(database, guests[0]))
    entry = perform_act(database, slug, OPEN, seat=0, now=NOON + MINUTE)
    if end == "pause":
        perform_act(database, slug, GameRight.PAUSE, now=NOON + HOUR)
    else:
        run_sweep(database, NOON + DAY)
    undo_act(database, slug, OPEN, entry, now=NOON + DAY)
    held_turn = held_turn_shown_to(database, slug, guests[0])
    assert held_turn is not None
    assert held_turn.action is None


def test_substitute_is_not_shown_the_held_turn_of_the_leaver(
    database: Database, guests: list[Guest], slug: str
) -> None:
    hold_turn(database, slug, enable_held_turns(database, guests[0]))
    perform_act(database, slug, OPEN, seat=0, now=NOON + MINUTE)
    dave = _seat_dave(database, slug, 0, NOON + 2 * MINUTE)
    assert held_turn_shown_to(database, slug, dave) is None
    assert run_sweep(database, NOON + 20 * MINUTE).expired_count == 0
    assert b"action" not in (stored_game(database, slug, dave).row.held_turn or b"")


def test_substitute_on_turn_has_the_clock_of_their_own_absences_and_wishes(
    database: Database, guests: list[Guest], slug: str
) -> None:
    set_late_rules(database, slug, absence_cap=9 * DAY)
    dave = sign_in_guest(database, DAVE)
    absence = Absence(
        account_id=dave.person.id,
        kind="dates",
        from_at=NOON + 12 * HOUR,
        until_at=NOON + 3 * DAY,
        declared_at=NOON,
    )
    with transaction(database) as tx:
        fields = ("account_id", "kind", "from_at", "until_at", "declared_at")
        tx.execute(Absence.__table__.insert(), {name: getattr(absence, name) for name in fields})
        tx.execute(update(Account).where(Account.id == dave.person.id).values(reminder_hours=[6]))
    perform_act(database, slug, OPEN, seat=0)
    _seat_dave(database, slug, 0)
    row = stored_game(database, slug, dave).row
    assert row.deadline_at == NOON + 3 * DAY + 12 * HOUR
    assert row.remind_at == row.wake_at == row.deadline_at - 6 * HOUR


def test_returned_player_is_reminded_when_they_wish(
    database: Database, guests: list[Guest], slug: str
) -> None:
    with transaction(database) as tx:
        tx.execute(
            update(Account).where(Account.id == guests[1].person.id).values(reminder_hours=[5])
        )
    entry = perform_act(database, slug, OPEN, seat=1)
    play_turn(database, slug, guests[0])
    undo_act(database, slug, OPEN, entry, now=NOON + HOUR)
    row = stored_game(database, slug, guests[0]).row
    assert row.remind_at == row.wake_at == NOON + DAY - 5 * HOUR


def test_player_whose_call_was_dropped_while_the_seat_was_open_is_called_again(
    database: Database, guests: list[Guest], slug: str
) -> None:
    call_of_alice = (
        Notification.kind == "your-turn",
        Notification.account_id == guests[0].person.id,
    )
    entry = perform_act(database, slug, OPEN, seat=0)
    with transaction(database) as tx:
        dropped = {"status": "dropped", "reason": "not-seated", "settled_at": NOON}
        tx.execute(update(Notification).where(*call_of_alice).values(dropped))
    undo_act(database, slug, OPEN, entry, now=NOON + HOUR)
    with transaction(database) as tx:
        statuses = tx.connection.scalars(select(Notification.status).where(*call_of_alice)).all()
    assert sorted(statuses) == ["dropped", "pending"]
