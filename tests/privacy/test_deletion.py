from datetime import time

import pytest
from sqlalchemy import insert, select
from sqlalchemy.exc import OperationalError

from tests.support.acts import ledger_acts, perform_act, recipients, undo_act
from tests.support.cast import ALICE, BOB, CAROL, DAVE
from tests.support.factories import (
    Guest,
    deal_game,
    deal_short_game,
    open_table,
    play_to_end,
    seat_guest,
    sign_in_guest,
    sign_in_guests,
    stored_game,
)
from tests.support.transactions import NOON, transaction
from webapp.accounts.profile import change_hold_minutes
from webapp.accounts.queries.accounts import lock_account
from webapp.accounts.schema import Account, Session, SignIn
from webapp.accounts.sessions import person_for
from webapp.clock.absences import start_holiday
from webapp.clock.email_times import TypedQuietHours, change_quiet_hours, change_reminders
from webapp.clock.local_periods import LocalPeriod
from webapp.clock.schema import Absence, QuietHours
from webapp.kernel.refusals import DenialReason, FieldErrors, NotAllowed
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.lobby.queries.open_seats import mark_informed
from webapp.lobby.schema import Seat, Sitting
from webapp.lobby.volunteers import change_volunteer
from webapp.mail.outbox import delivery
from webapp.mail.preparation import prepare_emails
from webapp.moderation.schema import SavedFilter
from webapp.play.schema import Game
from webapp.play.views.fairness_page import export
from webapp.privacy.deletion import delete_account, deletion_page
from webapp.privacy.queries import own_data


def delete_account_of(
    database: Database, guest: Guest, *, typed_address: str | None = None
) -> None:
    address = guest.person.address if typed_address is None else typed_address
    with transaction(database) as tx:
        delete_account(tx, guest.person, typed_address=address)


def test_deleted_account_keeps_no_personal_data(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    delete_account_of(database, alice, typed_address=f" {ALICE.address.upper()} ")
    with transaction(database) as tx:
        assert person_for(tx, alice.cookie) is None
        row = tx.execute(select(Account.address, Account.name)).one()
        assert tuple(row) == (None, "")
        for table in (Session, SignIn):
            assert tx.execute(select(table)).first() is None


def test_same_address_gets_a_new_account_afterwards(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    delete_account_of(database, alice)
    new_alice = sign_in_guest(database, ALICE)
    assert new_alice.person.id != alice.person.id
    delete_account_of(database, new_alice)


@pytest.mark.parametrize("typed_address", ["", "delete", BOB.address])
def test_account_stays_unless_its_address_is_typed(database: Database, typed_address: str) -> None:
    alice = sign_in_guest(database, ALICE)
    with pytest.raises(FieldErrors):
        delete_account_of(database, alice, typed_address=typed_address)
    with transaction(database) as tx:
        assert person_for(tx, alice.cookie) == alice.person


def test_seat_in_a_running_game_is_opened_and_the_others_are_informed(
    database: Database, guests: list[Guest], slug: str
) -> None:
    alice, bob, carol = guests
    with transaction(database) as tx:
        assert [game.slug for game in deletion_page(tx, bob.person).running_games] == [slug]
    delete_account_of(database, bob)
    game = stored_game(database, slug, alice)
    assert game.status == "running"
    assert game.row.seats[1].is_free
    assert game.row.seats[1].name == ""
    assert recipients(database, "player-left") == [alice.person.id, carol.person.id]
    with transaction(database) as tx:
        assert tx.connection.scalars(select(Sitting.name)).all() == [""]


def test_game_without_another_person_is_cancelled(database: Database) -> None:
    alice, bob = sign_in_guests(database, ALICE, BOB)
    slug = deal_game(database, [alice])
    delete_account_of(database, alice)
    with transaction(database) as tx:
        assert tx.connection.scalars(select(Game.status).where(Game.slug == slug)).one() == (
            "cancelled"
        )
    assert recipients(database, "player-left") == []
    assert ledger_acts(database) == ["cancel-game"]
    delete_account_of(database, bob)


def test_paused_game_continues_without_the_player(
    database: Database, guests: list[Guest], slug: str
) -> None:
    perform_act(database, slug, GameRight.PAUSE)
    delete_account_of(database, guests[0])
    game = stored_game(database, slug, guests[1])
    assert (game.status, game.row.seats[0].is_free) == ("paused", True)
    assert game.row.host_id == guests[1].person.id


def test_seat_that_was_opened_before_is_not_given_back_to_a_deleted_account(
    database: Database, guests: list[Guest], slug: str
) -> None:
    opening_entry = perform_act(database, slug, GameRight.OPEN_SEAT, seat=1)
    delete_account_of(database, guests[1])
    assert stored_game(database, slug, guests[0]).row.seats[1].name == ""
    with pytest.raises(NotAllowed) as error_info:
        undo_act(database, slug, GameRight.OPEN_SEAT, opening_entry)
    assert error_info.value.reason == DenialReason.CANNOT_BE_UNDONE


def test_finished_game_of_others_stays_intact(database: Database) -> None:
    guests = sign_in_guests(database, ALICE, BOB, CAROL)
    slug = deal_short_game(database, guests)
    play_to_end(database, slug, guests)
    with transaction(database) as tx:
        earlier_export = export(tx, slug, guests[1].person)
    delete_account_of(database, guests[0])
    game = stored_game(database, slug, guests[1])
    assert [seat.name for seat in game.row.seats] == ["", "Bob", "Carol"]
    assert game.row.host_name == ""
    with transaction(database) as tx:
        assert export(tx, slug, guests[1].person) == earlier_export


def test_tables_before_the_deal_are_cancelled_or_left(database: Database) -> None:
    alice, bob = sign_in_guests(database, ALICE, BOB)
    own_slug, other_slug = open_table(database, alice), open_table(database, bob)
    seat_guest(database, other_slug, alice)
    with transaction(database) as tx:
        assert [table.slug for table in deletion_page(tx, alice.person).tables_before_deal] == [
            own_slug,
            other_slug,
        ]
    delete_account_of(database, alice)
    with transaction(database) as tx:
        assert (
            tx.execute(
                select(Seat.account_id).where(Seat.account_id == alice.person.id, Seat.name != "")
            ).all()
            == []
        )
    assert stored_game(database, own_slug, bob).status == "cancelled"
    assert stored_game(database, other_slug, bob).status == "open"
    assert stored_game(database, other_slug, bob).seat_of(alice.person) is None


def test_emails_that_are_due_to_a_deleted_account_are_dropped(database: Database) -> None:
    guests = sign_in_guests(database, ALICE, BOB, DAVE)
    slug = deal_short_game(database, guests)
    play_to_end(database, slug, guests)
    delete_account_of(database, guests[0])
    with transaction(database) as tx:
        notifications = delivery.claim(tx, limit=1_000)
        outgoing = prepare_emails(tx, notifications)
    addresses = {email.address for email in outgoing}
    assert ALICE.address not in addresses
    assert BOB.address in addresses


def test_deletion_holds_up_nothing_that_only_refers_to_the_account(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    account = select(Account.id).where(Account.id == alice.person.id)
    with transaction(database) as deletion_tx, transaction(database) as turn_tx:
        lock_account(deletion_tx, alice.person.id)
        # As a foreign key does when a turn adds an email to the account.
        turn_tx.execute(account.with_for_update(read=True, key_share=True, nowait=True))
        with pytest.raises(OperationalError):
            turn_tx.execute(account.with_for_update(nowait=True))


def test_absences_and_email_times_are_deleted_with_the_account(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    with transaction(database) as tx:
        period = LocalPeriod(first_day=NOON.date(), last_day=NOON.date())
        start_holiday(tx, alice.person, period)
        change_reminders(tx, alice.person, [12])
        change_hold_minutes(tx, alice.person, minutes=10)
        change_volunteer(tx, alice.person, wants_open_seats=True)
        mark_informed(tx.at(NOON), 0, [alice.person.id])
        quiet_hours = TypedQuietHours(
            number=1, weekdays=(0,), from_time=time(22), until_time=time(7)
        )
        change_quiet_hours(tx, alice.person, [quiet_hours])
        exported_data = own_data.read(tx, alice.person.id)
        assert exported_data["absences"][0]["from_at"] == NOON
        assert exported_data["quiet-hours"][0]["weekdays"] == [0]
        assert exported_data["account"][0]["reminder_hours"] == [12]
        assert exported_data["account"][0]["hold_minutes"] == 10
        assert exported_data["account"][0]["wants_open_seats"] is True
        assert exported_data["account"][0]["informed_of_seats_at"] == NOON
    delete_account_of(database, alice)
    with transaction(database) as tx:
        for table in (Absence, QuietHours):
            assert tx.execute(select(table)).first() is None
        email_times_query = select(
            Account.reminder_hours,
            Account.hold_minutes,
            Account.wants_open_seats,
            Account.informed_of_seats_at,
        )
        assert tuple(tx.execute(email_times_query).one()) == (None, 0, False, None)


def test_saved_filters_are_deleted_with_the_account(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    with transaction(database) as tx:
        values = {"account_id": alice.person.id, "name": "Bob", "query": "person=bob"}
        tx.execute(insert(SavedFilter).values(values))
    delete_account_of(database, alice)
    with transaction(database) as tx:
        assert tx.execute(select(SavedFilter)).first() is None
