"""Names that only the people who run the site may have."""

import pytest

from tests.support.cast import ALICE, BOB, MO
from tests.support.factories import Guest, open_table, sign_in_guest, sign_in_guests
from tests.support.transactions import transaction
from webapp.accounts.profile import change_profile
from webapp.kernel.refusals import FieldErrors
from webapp.kernel.tx import Database
from webapp.lobby.seats import SeatWish, take_seat
from webapp.moderation.moderators import add_moderator
from webapp.play import access


def _rename(database: Database, guest: Guest, name: str, language: str = "en") -> str:
    with transaction(database) as tx:
        person = change_profile(
            tx, guest.person, name=name, language=language, zone="UTC", picks_gold=True
        )
    return person.name


def _appoint(database: Database, address: str) -> None:
    with transaction(database) as tx:
        add_moderator(tx, address, reason="helps")


def _error_code(database: Database, guest: Guest, name: str) -> str:
    with pytest.raises(FieldErrors) as error_info:
        _rename(database, guest, name)
    return error_info.value.errors[0].code


@pytest.mark.parametrize("name", ["Mo", "M0", "\u041c\u043e", "m o", "Rno"])
def test_no_one_takes_a_name_like_that_of_a_site_moderator(database: Database, name: str) -> None:
    bob = sign_in_guests(database, BOB, MO)[0]
    assert _rename(database, bob, "Molly") == "Molly"
    _appoint(database, MO.address)
    assert _error_code(database, bob, name) == "reserved"


@pytest.mark.parametrize(
    "name",
    [
        "Admin",
        "\u0410dmin Anna",
        "Site M0derator",
        "Lodepost",
        "L0depost Support",
        "\u041c\u043e\u0434\u0435\u0440\u0430\u0442\u043e\u0440",
        "Moderaator",
    ],
)
def test_name_says_of_no_one_that_they_run_the_site(database: Database, name: str) -> None:
    assert _error_code(database, sign_in_guest(database, BOB), name) == "reserved"


def test_site_moderator_keeps_and_chooses_any_name(database: Database) -> None:
    mo = sign_in_guest(database, MO)
    _appoint(database, MO.address)
    assert _rename(database, mo, "Moderator Mo") == "Moderator Mo"
    assert _rename(database, mo, "Mo") == "Mo"


def test_person_who_had_the_name_first_may_change_other_settings(database: Database) -> None:
    alice, mo = sign_in_guests(database, ALICE, MO)
    _rename(database, mo, "Alice")
    _appoint(database, MO.address)
    assert _rename(database, alice, "Alice", language="lv") == "Alice"


def test_no_one_sits_down_under_the_name_of_a_site_moderator(database: Database) -> None:
    alice, bob, _ = sign_in_guests(database, ALICE, BOB, MO)
    _appoint(database, MO.address)
    slug = open_table(database, alice)
    with transaction(database) as tx:
        game = access.find_game(tx, slug, bob.cookie, mode="change").game
        with pytest.raises(FieldErrors) as error_info:
            take_seat(tx, game, bob.person, wish=SeatWish(name="M0"))
    assert error_info.value.errors[0].code == "reserved"
