"""No club is called like a public club, or like another one of the same person."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.cast import ALICE, BOB
from tests.support.clubs import club_profile, found_club
from tests.support.factories import Guest, sign_in_guest, sign_in_guests
from tests.support.transactions import transaction
from webapp.clubs import founding
from webapp.clubs.access import club_for
from webapp.kernel.refusals import FieldErrors
from webapp.kernel.tx import Database


def _error_code(database: Database, founder: Guest, name: str, *, is_public: bool) -> str:
    with pytest.raises(FieldErrors) as error_info:
        found_club(database, founder, club_profile(name=name, is_public=is_public))
    [error] = error_info.value.errors
    assert error.field == "name"
    return error.code


@pytest.mark.parametrize("is_public", [True, False])
@pytest.mark.parametrize("name", ["Gold diggers", "G0ld\u00b7Diggers", "G\u043eld Cliggers"])
def test_club_cannot_be_called_like_a_public_club(
    database: Database, name: str, *, is_public: bool
) -> None:
    alice, bob = sign_in_guests(database, ALICE, BOB)
    found_club(database, alice, club_profile(name="Gold Diggers", is_public=True))
    assert _error_code(database, bob, name, is_public=is_public) == "club-taken"


def test_private_club_of_others_is_not_revealed_by_its_name(database: Database) -> None:
    alice, bob = sign_in_guests(database, ALICE, BOB)
    found_club(database, alice, club_profile(name="Gold Diggers"))
    found_club(database, bob, club_profile(name="Gold Diggers", is_public=True))
    assert _error_code(database, alice, "Gold-Diggers", is_public=False) == "club-taken"


def test_name_of_a_closed_club_is_free_again(database: Database) -> None:
    alice, bob = sign_in_guests(database, ALICE, BOB)
    slug = found_club(database, alice, club_profile(name="Gold Diggers", is_public=True))
    with transaction(database) as tx:
        access = club_for(tx, slug, alice.cookie, mode="change")
        founding.close_club(tx, access)
    assert found_club(database, bob, club_profile(name="Gold Diggers", is_public=True))


def test_club_keeps_its_name_and_cannot_take_that_of_another(database: Database) -> None:
    alice, bob = sign_in_guests(database, ALICE, BOB)
    found_club(database, alice, club_profile(name="Gold Diggers", is_public=True))
    slug = found_club(database, bob, club_profile(name="Night shift", is_public=True))
    with transaction(database) as tx:
        access = club_for(tx, slug, bob.cookie, mode="change")
        founding.change_club(tx, access, club_profile(name="Night Shift!", is_public=True))
        with pytest.raises(FieldErrors):
            founding.change_club(tx, access, club_profile(name="Gold Diggers!", is_public=True))


def test_club_is_not_called_like_the_people_who_run_the_site(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    assert _error_code(database, alice, "M0derators", is_public=False) == "reserved"
    assert found_club(database, alice, club_profile(name="Moderators' night out"))


def test_two_clubs_founded_at_once_do_not_get_one_name(database: Database) -> None:
    guests = sign_in_guests(database, ALICE, BOB)

    def found(guest: Guest) -> str:
        try:
            found_club(database, guest, club_profile(name="Gold Diggers", is_public=True))
        except FieldErrors as refusal:
            return refusal.errors[0].code
        return "founded"

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(found, guests)) == ["club-taken", "founded"]
