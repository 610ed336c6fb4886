"""Names at a table: kept from the moment a seat is taken, and never confusable with another."""

import json
import secrets
from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.commitments import thaw
from tests.support.cast import ALICE, BOB, DAVE, MALLORY
from tests.support.factories import (
    Guest,
    confirm_ready,
    fill_with_bots,
    open_table,
    seat_guest,
    sign_in_guest,
    sign_in_guests,
    stored_game,
    table_settings,
)
from tests.support.game_pages import game_page
from tests.support.outbox_steps import mark_all_sent
from tests.support.transactions import KEYS, NOON, read_only, transaction, using
from webapp.accounts.profile import change_profile
from webapp.accounts.sessions import person_for
from webapp.kernel.keyring import TokenSource
from webapp.kernel.refusals import FieldError, FieldErrors
from webapp.kernel.tx import Database
from webapp.lobby.emails.invitation import InvitationContext
from webapp.lobby.emails.ready_check import ReadyCheckContext
from webapp.lobby.invitations import invite
from webapp.lobby.lobby_page import LobbyPage
from webapp.lobby.seats import SeatWish, leave_seat, take_seat
from webapp.mail.outbox import delivery
from webapp.mail.preparation import prepare_emails
from webapp.play import access
from webapp.play.emails.turn_email import TurnContext
from webapp.play.views import fairness_page as export
from webapp.play.views.fairness_page import fairness_page
from webapp.play.views.history_page import history_page
from webapp.play.views.table_page import TablePage
from webapp.site.home import home_page

TOKEN_SOURCE = TokenSource(KEYS, secrets.token_bytes)


def _rename(database: Database, guest: Guest, name: str) -> Guest:
    with transaction(database) as tx:
        person = change_profile(
            tx, guest.person, name=name, language="en", zone="UTC", picks_gold=True
        )
    return guest._replace(person=person)


def _take_seat(database: Database, slug: str, guest: Guest, *, name: str = "") -> int:
    with transaction(database) as tx:
        game = access.find_game(tx, slug, guest.cookie, mode="change").game
        return take_seat(tx, game, guest.person, wish=SeatWish(name=name))


def _leave_seat(database: Database, slug: str, guest: Guest) -> None:
    with transaction(database) as tx:
        game = access.game_for(tx, slug, guest.cookie, mode="change").game
        leave_seat(tx, game, guest.person)


def _seat_refusal(database: Database, slug: str, guest: Guest, *, name: str = "") -> FieldError:
    with pytest.raises(FieldErrors) as error_info:
        _take_seat(database, slug, guest, name=name)
    [error] = error_info.value.errors
    return error


def _names(database: Database, slug: str, guest: Guest) -> list[str]:
    with read_only(database) as tx:
        page = game_page(tx, slug, guest.cookie, keys=KEYS, now=NOON)
    assert isinstance(page, LobbyPage | TablePage)
    return [seat.name for seat in page.seats]


@pytest.mark.parametrize("name", ["Alice", "alice", "AIice", "\u0410lice", "A lice", "Alice!"])
def test_confusable_name_is_refused_at_the_table(database: Database, name: str) -> None:
    alice, mallory = sign_in_guests(database, ALICE, MALLORY)
    slug = open_table(database, alice)
    mallory = _rename(database, mallory, name)
    error = _seat_refusal(database, slug, mallory)
    assert (error.field, error.code, error.params) == ("name", "taken", {"name": "Alice"})
    assert _names(database, slug, alice) == ["Alice", "", ""]


def test_person_may_use_another_name_at_one_table(
    database: Database,
) -> None:
    alice, other = sign_in_guests(database, ALICE, BOB)
    slug = open_table(database, alice)
    other = _rename(database, other, "Alice")
    assert _take_seat(database, slug, other, name="  Alice   B ") == 1
    assert _names(database, slug, alice) == ["Alice", "Alice B", ""]
    with read_only(database) as tx:
        me = person_for(tx, other.cookie)
    assert me is not None
    assert me.name == "Alice"


@pytest.mark.parametrize(
    "name, code",
    [
        ("---", "required"),
        ("x" * 33, "too-long"),
        ("B\u202eob", "control-characters"),
        ("Bob (bot)", "brackets"),
        ("Bob\uff08bot\uff09", "brackets"),
        ("Alice", "taken"),
    ],
)
def test_name_for_one_table_follows_the_same_rules(
    database: Database, name: str, code: str
) -> None:
    alice, bob = sign_in_guests(database, ALICE, BOB)
    slug = open_table(database, alice)
    assert _seat_refusal(database, slug, bob, name=name).code == code


def test_renaming_an_account_keeps_the_name_at_tables_joined_before(
    database: Database, guests: list[Guest]
) -> None:
    slug = open_table(database, guests[0], table_settings(public=True))
    for guest in guests[1:]:
        seat_guest(database, slug, guest)
    _rename(database, guests[0], "Carol")
    _rename(database, guests[1], "Alice")
    for guest in guests:
        confirm_ready(database, slug, guest)
    _rename(database, guests[2], "Bob")
    names = ["Alice", "Bob", "Carol"]
    record = stored_game(database, slug, guests[0]).row.freeze_record
    assert record is not None
    assert [seat.name for seat in thaw(record).seats] == names
    with read_only(database) as tx:
        cookie = guests[2].cookie
        pages = (
            game_page(tx, slug, cookie, keys=KEYS, now=NOON),
            history_page(tx, slug, cookie),
            fairness_page(tx, slug, cookie),
        )
        exported_game = json.loads(export.export(tx, slug, cookie).text)
        [mine] = home_page(tx, cookie).my_running_games
    for page in pages:
        assert [seat.name for seat in page.seats] == names
        assert page.table.host == "Alice"
    assert exported_game["seats"] == names
    assert (mine.waiting_for, mine.table.host) == ("Alice", "Alice")


def test_emails_use_the_names_of_the_table(database: Database, guests: list[Guest]) -> None:
    alice, bob, carol = guests
    slug = open_table(database, alice)
    seat_guest(database, slug, bob)
    with transaction(database) as tx:
        game = access.game_for(tx, slug, bob.cookie, mode="change").game
        invite(using(tx, source=TOKEN_SOURCE), game, bob.person, address=DAVE.address)
    _rename(database, bob, "Alice")
    [invitation] = _contexts(database, InvitationContext)
    assert isinstance(invitation, InvitationContext)
    assert (invitation.host, invitation.table.host) == ("Bob", "Alice")
    seat_guest(database, slug, carol)
    for context in _contexts(database, ReadyCheckContext):
        assert isinstance(context, ReadyCheckContext)
        assert [seat.name for seat in context.seats] == ["Alice", "Bob", "Carol"]
    for guest in guests:
        confirm_ready(database, slug, guest)
    [turn] = _contexts(database, TurnContext)
    assert isinstance(turn, TurnContext)
    assert [seat.name for seat in turn.seats] == ["Alice", "Bob", "Carol"]


def _contexts(database: Database, kind: type) -> list[object]:
    with transaction(database) as tx:
        claims = delivery.claim(tx)
        outgoing = prepare_emails(tx, claims)
        mark_all_sent(tx, claims)
    return [email.context for email in outgoing if isinstance(email.context, kind)]


def test_leaving_a_seat_frees_its_name(database: Database) -> None:
    alice, bob, dave = sign_in_guests(database, ALICE, BOB, DAVE)
    slug = open_table(database, alice, table_settings(public=True))
    seat_guest(database, slug, bob)
    dave = _rename(database, dave, "Bob")
    assert _seat_refusal(database, slug, dave).code == "taken"
    _leave_seat(database, slug, bob)
    assert _take_seat(database, slug, dave) == 1


def test_name_of_a_host_without_a_seat_stays_reserved_for_them(database: Database) -> None:
    alice, mallory = sign_in_guests(database, ALICE, MALLORY)
    slug = open_table(database, alice)
    _leave_seat(database, slug, alice)
    assert _seat_refusal(database, slug, _rename(database, mallory, "alice")).code == "taken"
    assert _take_seat(database, slug, alice) == 0


def test_table_keeps_the_host_name_of_its_opening(database: Database, guests: list[Guest]) -> None:
    alice, bob, carol = guests
    slug = open_table(database, alice, table_settings(seats=3))
    seat_guest(database, slug, bob)
    _leave_seat(database, slug, alice)
    alice = _rename(database, alice, "Queen of the mine")
    with transaction(database) as tx:
        game = access.game_for(tx, slug, alice.cookie, mode="change").game
        invite(using(tx, source=TOKEN_SOURCE), game, alice.person, address=DAVE.address)
    [invitation] = _contexts(database, InvitationContext)
    assert isinstance(invitation, InvitationContext)
    assert (invitation.host, invitation.table.host) == ("Alice", "Alice")
    seat_guest(database, slug, alice)
    seat_guest(database, slug, carol)
    ready_check_contexts = _contexts(database, ReadyCheckContext)
    assert {
        ready_check.table.host
        for ready_check in ready_check_contexts
        if isinstance(ready_check, ReadyCheckContext)
    } == {"Alice"}
    assert _names(database, slug, bob) == ["Queen of the mine", "Bob", "Carol"]


def test_host_name_of_the_opening_stays_reserved(database: Database) -> None:
    alice, mallory = sign_in_guests(database, ALICE, MALLORY)
    slug = open_table(database, alice)
    _leave_seat(database, slug, alice)
    alice = _rename(database, alice, "Queen of the mine")
    mallory = _rename(database, mallory, "A1ice")
    assert _seat_refusal(database, slug, mallory).params == {"name": "Alice"}
    seat_guest(database, slug, alice)
    assert _seat_refusal(database, slug, mallory).params == {"name": "Alice"}
    _leave_seat(database, slug, alice)
    assert _take_seat(database, slug, _rename(database, alice, "alice")) == 0


def test_bots_avoid_confusable_names(database: Database) -> None:
    alice = _rename(database, sign_in_guest(database, ALICE), "AGATE")
    bob = _rename(database, sign_in_guest(database, BOB), "\u0412asalt")
    slug = open_table(database, alice, table_settings(seats=10))
    seat_guest(database, slug, bob)
    _leave_seat(database, slug, alice)
    fill_with_bots(database, slug, alice)
    names = _names(database, slug, bob)
    assert len(set(names)) == 10
    assert {"Agate", "Basalt", ""}.isdisjoint(names)


def test_name_of_a_seated_bot_is_refused(database: Database, guests: list[Guest]) -> None:
    alice, bob, carol = guests
    slug = open_table(database, alice, table_settings(public=True))
    seat_guest(database, slug, bob)
    fill_with_bots(database, slug, alice)
    _leave_seat(database, slug, bob)
    assert _seat_refusal(database, slug, _rename(database, carol, "agate")).params == {
        "name": "Agate"
    }


def test_concurrent_joins_with_one_name_seat_one_person(database: Database) -> None:
    alice, *other_guests = sign_in_guests(database, ALICE, BOB, DAVE)
    slug = open_table(database, alice, table_settings(seats=4))
    namesakes = [
        _rename(database, guest, name)
        for guest, name in zip(other_guests, ("Eve", "EVE"), strict=True)
    ]

    def seat_or_error_code(guest: Guest) -> str:
        try:
            _take_seat(database, slug, guest)
        except FieldErrors as refusal:
            return refusal.errors[0].code
        return "seated"

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(seat_or_error_code, namesakes)) == ["seated", "taken"]
