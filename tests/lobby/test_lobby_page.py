import pytest

from tests.support.cast import ALICE, BOB, CAROL, DAVE, ERIN, MALLORY
from tests.support.factories import (
    Guest,
    confirm_ready,
    open_table,
    seat_guest,
    sign_in_guest,
    sign_in_guests,
    table_settings,
)
from tests.support.game_pages import game_page
from tests.support.lobby_actions import lobby_of
from tests.support.statements import recorded_statements, without_begin_and_commit
from tests.support.transactions import KEYS, NOON, read_only
from webapp.kernel.refusals import NotFound
from webapp.kernel.tx import Database


def test_private_table_is_hidden_from_strangers(database: Database) -> None:
    alice, mallory = sign_in_guests(database, ALICE, MALLORY)
    slug = open_table(database, alice)
    for viewer in (None, mallory.cookie, mallory.person, "invented"):
        with read_only(database) as tx, pytest.raises(NotFound):
            game_page(tx, slug, viewer, keys=KEYS, now=NOON)


def test_public_table_shows_its_link_only_to_seated_people(
    database: Database,
) -> None:
    alice, mallory = sign_in_guests(database, ALICE, MALLORY)
    slug = open_table(database, alice, table_settings(public=True))
    assert lobby_of(database, slug, None).permitted_actions == frozenset()
    assert lobby_of(database, slug, None).link_token is None
    assert lobby_of(database, slug, mallory).permitted_actions == {"take-seat"}
    assert lobby_of(database, slug, mallory).link_token is None
    assert lobby_of(database, slug, alice).link_token is not None


def test_page_permits_what_the_services_accept(database: Database, guests: list[Guest]) -> None:
    slug = open_table(database, guests[0], table_settings(public=True))
    assert lobby_of(database, slug, guests[0]).permitted_actions == {
        "leave-seat",
        "fill-with-bots",
        "invite",
        "cancel",
        "choose-starter",
    }
    for guest in guests[1:]:
        seat_guest(database, slug, guest)
    assert "remove-player" in lobby_of(database, slug, guests[0]).permitted_actions
    assert lobby_of(database, slug, guests[1]).permitted_actions == {"leave-seat", "confirm-ready"}
    confirm_ready(database, slug, guests[1])
    assert lobby_of(database, slug, guests[1]).permitted_actions == {"leave-seat", "withdraw-ready"}
    assert lobby_of(database, slug, sign_in_guest(database, DAVE)).permitted_actions == frozenset()


def _statement_count_of_lobby(database: Database, guests: list[Guest]) -> int:
    slug = open_table(database, guests[0], table_settings(seats=10))
    for guest in guests[1:]:
        seat_guest(database, slug, guest)
    with recorded_statements(database) as statements:
        lobby = lobby_of(database, slug, guests[0])
    assert len(lobby.reliability) == len(guests)
    return len(without_begin_and_commit(statements))


def test_lobby_takes_as_many_statements_however_many_people_sit_there(database: Database) -> None:
    guests = sign_in_guests(database, ALICE, BOB, CAROL, DAVE, ERIN)
    assert _statement_count_of_lobby(database, guests[:1]) == _statement_count_of_lobby(
        database, guests
    )
