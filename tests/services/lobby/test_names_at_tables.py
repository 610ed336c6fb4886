"""What people are called at a table: frozen when they sit down, and unmistakable there."""

import json
import secrets
from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.fairness import thaw
from tests.support.cast import ALICE, BOB, DAVE, MALLORY
from tests.support.factories import (
    KEYS,
    NOON,
    Guest,
    fill,
    get_ready,
    look,
    open_table,
    sign_in_all,
    sign_in_guest,
    sit,
    wish,
)
from webapp.services.accounts.profile import change_profile
from webapp.services.accounts.sessions import person_for
from webapp.services.errors import FieldError, FieldErrors
from webapp.services.lobby import tables
from webapp.services.lobby.game_page import game_page
from webapp.services.lobby.invitations import invite
from webapp.services.notifications import delivery
from webapp.services.notifications.email_context import (
    InvitationContext,
    ReadyCheckContext,
    TurnContext,
)
from webapp.services.play import access, export
from webapp.services.play.page_data import LobbyPage, TablePage
from webapp.services.play.reading import fairness_page, history_page
from webapp.services.site.home import home_page
from webapp.services.tx import Database, read_only, transaction


def _rename(database: Database, guest: Guest, name: str) -> Guest:
    with transaction(database) as tx:
        person = change_profile(
            tx, guest.person, name=name, language="en", zone="UTC", picks_gold=True
        )
    return guest._replace(person=person)


def _sit_down(database: Database, slug: str, guest: Guest, *, name: str = "") -> int:
    with transaction(database) as tx:
        game = access.find_game(tx, slug, guest.cookie, now=NOON, mode="change").game
        return tables.sit_down(tx, game, guest.person, name=name, now=NOON)


def _refused(database: Database, slug: str, guest: Guest, *, name: str = "") -> FieldError:
    with pytest.raises(FieldErrors) as refused:
        _sit_down(database, slug, guest, name=name)
    [error] = refused.value.errors
    return error


def _names(database: Database, slug: str, guest: Guest) -> list[str]:
    with read_only(database) as tx:
        page = game_page(tx, slug, guest.cookie, keys=KEYS, now=NOON)
    assert isinstance(page, LobbyPage | TablePage)
    return [seat.name for seat in page.seats]


@pytest.mark.parametrize("name", ["Alice", "alice", "AIice", "\u0410lice", "A lice", "Alice!"])
def test_nobody_sits_down_who_could_be_taken_for_another(database: Database, name: str) -> None:
    alice, mallory = sign_in_all(database, ALICE, MALLORY)
    slug = open_table(database, alice)
    mallory = _rename(database, mallory, name)
    error = _refused(database, slug, mallory)
    assert (error.field, error.code, error.params) == ("name", "taken", {"name": "Alice"})
    assert _names(database, slug, alice) == ["Alice", "", ""]


def test_whose_name_is_taken_sits_down_under_another_and_keeps_the_account_s(
    database: Database,
) -> None:
    alice, other = sign_in_all(database, ALICE, BOB)
    slug = open_table(database, alice)
    other = _rename(database, other, "Alice")
    assert _sit_down(database, slug, other, name="  Alice   B ") == 1
    assert _names(database, slug, alice) == ["Alice", "Alice B", ""]
    with read_only(database) as tx:
        me = person_for(tx, other.cookie, now=NOON)
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
def test_a_name_for_one_table_is_held_to_the_same_rules(
    database: Database, name: str, code: str
) -> None:
    alice, bob = sign_in_all(database, ALICE, BOB)
    slug = open_table(database, alice)
    assert _refused(database, slug, bob, name=name).code == code


def test_a_rename_changes_nothing_at_a_table_where_one_sits(
    database: Database, guests: list[Guest]
) -> None:
    slug = open_table(database, guests[0], wish(public=True))
    for guest in guests[1:]:
        sit(database, slug, guest)
    _rename(database, guests[0], "Carol")
    _rename(database, guests[1], "Alice")
    for guest in guests:
        get_ready(database, slug, guest)
    _rename(database, guests[2], "Bob")
    names = ["Alice", "Bob", "Carol"]
    record = look(database, slug, guests[0]).row.record
    assert record is not None
    assert [seat.name for seat in thaw(record).seats] == names
    with read_only(database) as tx:
        cookie = guests[2].cookie
        pages = (
            game_page(tx, slug, cookie, keys=KEYS, now=NOON),
            history_page(tx, slug, cookie, now=NOON),
            fairness_page(tx, slug, cookie, now=NOON),
        )
        exported = json.loads(export.export(tx, slug, cookie, now=NOON).text)
        [mine] = home_page(tx, cookie, now=NOON).mine
    for page in pages:
        assert [seat.name for seat in page.seats] == names
        assert page.table.host == "Alice"
    assert exported["seats"] == names
    assert (mine.waiting_for, mine.table.host) == ("Alice", "Alice")


def test_letters_say_the_names_of_the_table(database: Database, guests: list[Guest]) -> None:
    alice, bob, carol = guests
    slug = open_table(database, alice)
    sit(database, slug, bob)
    with transaction(database) as tx:
        game = access.game_for(tx, slug, bob.cookie, now=NOON, mode="change").game
        dave = DAVE.address
        invite(tx, game, bob.person, address=dave, keys=KEYS, tokens=secrets.token_bytes, now=NOON)
    _rename(database, bob, "Alice")
    [invitation] = _digests(database, InvitationContext)
    assert isinstance(invitation, InvitationContext)
    assert (invitation.host, invitation.table.host) == ("Bob", "Alice")
    sit(database, slug, carol)
    for digest in _digests(database, ReadyCheckContext):
        assert isinstance(digest, ReadyCheckContext)
        assert [seat.name for seat in digest.seats] == ["Alice", "Bob", "Carol"]
    for guest in guests:
        get_ready(database, slug, guest)
    [turn] = _digests(database, TurnContext)
    assert isinstance(turn, TurnContext)
    assert [seat.name for seat in turn.seats] == ["Alice", "Bob", "Carol"]


def _digests(database: Database, kind: type) -> list[object]:
    with transaction(database) as tx:
        claims = delivery.claim(tx, now=NOON)
        outgoing = delivery.prepare_emails(tx, claims, keys=KEYS, now=NOON)
        delivery.accepted(tx, claims, now=NOON)
    return [one.digest for one in outgoing if isinstance(one.digest, kind)]


def test_a_seat_that_was_left_frees_its_name(database: Database) -> None:
    alice, bob, dave = sign_in_all(database, ALICE, BOB, DAVE)
    slug = open_table(database, alice, wish(public=True))
    sit(database, slug, bob)
    dave = _rename(database, dave, "Bob")
    assert _refused(database, slug, dave).code == "taken"
    with transaction(database) as tx:
        game = access.game_for(tx, slug, bob.cookie, now=NOON, mode="change").game
        tables.stand_up(tx, game, bob.person, now=NOON)
    assert _sit_down(database, slug, dave) == 1


def test_a_host_who_stood_up_is_posed_as_by_nobody_and_may_come_back(database: Database) -> None:
    alice, mallory = sign_in_all(database, ALICE, MALLORY)
    slug = open_table(database, alice)
    with transaction(database) as tx:
        game = access.game_for(tx, slug, alice.cookie, now=NOON, mode="change").game
        tables.stand_up(tx, game, alice.person, now=NOON)
    assert _refused(database, slug, _rename(database, mallory, "alice")).code == "taken"
    assert _sit_down(database, slug, alice) == 0


def _stand_up(database: Database, slug: str, guest: Guest) -> None:
    with transaction(database) as tx:
        game = access.game_for(tx, slug, guest.cookie, now=NOON, mode="change").game
        tables.stand_up(tx, game, guest.person, now=NOON)


def test_a_table_keeps_the_name_under_which_its_host_opened_it(
    database: Database, guests: list[Guest]
) -> None:
    alice, bob, carol = guests
    slug = open_table(database, alice, wish(seats=3))
    sit(database, slug, bob)
    _stand_up(database, slug, alice)
    alice = _rename(database, alice, "Queen of the mine")
    with transaction(database) as tx:
        game = access.game_for(tx, slug, alice.cookie, now=NOON, mode="change").game
        invite(
            tx,
            game,
            alice.person,
            address=DAVE.address,
            keys=KEYS,
            tokens=secrets.token_bytes,
            now=NOON,
        )
    [invitation] = _digests(database, InvitationContext)
    assert isinstance(invitation, InvitationContext)
    assert (invitation.host, invitation.table.host) == ("Alice", "Alice")
    sit(database, slug, alice)
    sit(database, slug, carol)
    checks = _digests(database, ReadyCheckContext)
    assert {check.table.host for check in checks if isinstance(check, ReadyCheckContext)} == {
        "Alice"
    }
    assert _names(database, slug, bob) == ["Queen of the mine", "Bob", "Carol"]


def test_nobody_poses_as_the_name_a_table_goes_by(database: Database) -> None:
    alice, mallory = sign_in_all(database, ALICE, MALLORY)
    slug = open_table(database, alice)
    _stand_up(database, slug, alice)
    alice = _rename(database, alice, "Queen of the mine")
    mallory = _rename(database, mallory, "A1ice")
    assert _refused(database, slug, mallory).params == {"name": "Alice"}
    sit(database, slug, alice)
    assert _refused(database, slug, mallory).params == {"name": "Alice"}
    _stand_up(database, slug, alice)
    assert _sit_down(database, slug, _rename(database, alice, "alice")) == 0


def test_bots_take_no_name_that_looks_like_somebody_s(database: Database) -> None:
    alice = _rename(database, sign_in_guest(database, ALICE), "AGATE")
    bob = _rename(database, sign_in_guest(database, BOB), "\u0412asalt")
    slug = open_table(database, alice, wish(seats=10))
    sit(database, slug, bob)
    with transaction(database) as tx:
        game = access.game_for(tx, slug, alice.cookie, now=NOON, mode="change").game
        tables.stand_up(tx, game, alice.person, now=NOON)
    fill(database, slug, alice)
    names = _names(database, slug, bob)
    assert len(set(names)) == 10
    assert {"Agate", "Basalt", ""}.isdisjoint(names)


def test_nobody_sits_down_under_the_name_of_a_bot_that_sits_there(
    database: Database, guests: list[Guest]
) -> None:
    alice, bob, carol = guests
    slug = open_table(database, alice, wish(public=True))
    sit(database, slug, bob)
    fill(database, slug, alice)
    with transaction(database) as tx:
        game = access.game_for(tx, slug, bob.cookie, now=NOON, mode="change").game
        tables.stand_up(tx, game, bob.person, now=NOON)
    assert _refused(database, slug, _rename(database, carol, "agate")).params == {"name": "Agate"}


def test_two_of_one_name_who_sit_down_at_once_do_not_both_get_it(database: Database) -> None:
    alice, *others = sign_in_all(database, ALICE, BOB, DAVE)
    slug = open_table(database, alice, wish(seats=4))
    twins = [
        _rename(database, guest, name) for guest, name in zip(others, ("Eve", "EVE"), strict=True)
    ]

    def rush(guest: Guest) -> str:
        try:
            _sit_down(database, slug, guest)
        except FieldErrors as refused:
            return refused.errors[0].code
        return "seated"

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(rush, twins)) == ["seated", "taken"]


def test_whom_an_older_release_let_sit_down_is_called_as_the_account(
    database: Database, slug: str, guests: list[Guest]
) -> None:
    with transaction(database) as tx:
        tx.connection.exec_driver_sql("UPDATE seat SET name = NULL")
        tx.connection.exec_driver_sql("UPDATE game SET host_name = NULL")
    assert _names(database, slug, guests[0]) == ["Alice", "Bob", "Carol"]
    with read_only(database) as tx:
        assert fairness_page(tx, slug, guests[0].cookie, now=NOON).table.host == "Alice"
