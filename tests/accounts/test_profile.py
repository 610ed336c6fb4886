import pytest

from tests.support.cast import ALICE
from tests.support.factories import sign_in_guest
from tests.support.transactions import transaction
from webapp.accounts.person import Person
from webapp.accounts.profile import change_profile
from webapp.accounts.sessions import person_for
from webapp.kernel.refusals import FieldErrors
from webapp.kernel.tx import Database


def _change_profile(database: Database, person: Person, **changes: str) -> Person:
    profile = {"name": "Alice", "language": "en", "zone": "Europe/Riga"} | changes
    with transaction(database) as tx:
        return change_profile(tx, person, picks_gold=True, **profile)


@pytest.mark.parametrize(
    "typed_name, stored_name",
    [
        ("  Anna   Maria ", "Anna Maria"),
        ("Ju\u0304ris", "J\u016bris"),
        (
            "\u041e\u043b\u0435\u043a\u0441\u0456\u0439",
            "\u041e\u043b\u0435\u043a\u0441\u0456\u0439",
        ),
        ("<b>Bob<br>", "<b>Bob<br>"),
        ("Dr. A. Smith 2.0", "Dr. A. Smith 2.0"),
    ],
)
def test_name_is_normalized_and_stored(
    database: Database, typed_name: str, stored_name: str
) -> None:
    alice = sign_in_guest(database, ALICE)
    assert _change_profile(database, alice.person, name=typed_name).name == stored_name
    with transaction(database) as tx:
        person = person_for(tx, alice.cookie)
    assert person is not None
    assert person.name == stored_name


@pytest.mark.parametrize(
    "name, code",
    [
        ("", "required"),
        ("   ", "required"),
        ("---", "required"),
        ("\u200b", "required"),
        ("x" * 33, "too-long"),
        ("Bob\u202egnp", "control-characters"),
        ("Bob\0", "control-characters"),
        ("B\u0300\u0301\u0302\u0303ob", "control-characters"),
        ("Bob\ud800", "control-characters"),
        ("\u3164", "control-characters"),
        ("\u115f\u1160", "control-characters"),
        ("Bob\u2800\u2800(bot)", "control-characters"),
        ("Bob (bot)", "brackets"),
        ("Bob\uff3bbot\uff3d", "brackets"),
        ("http://evil.example", "link"),
        ("evil\uff0eexample", "link"),
        ("evil\u3002example", "link"),
        ("bob@example", "link"),
        ("a/b", "link"),
        ("www.", "link"),
        ("Buy at evil.com now", "link"),
    ],
)
def test_misleading_name_is_refused(database: Database, name: str, code: str) -> None:
    alice = sign_in_guest(database, ALICE)
    with pytest.raises(FieldErrors) as error_info:
        _change_profile(database, alice.person, name=name)
    assert [(error.field, error.code) for error in error_info.value.errors] == [("name", code)]


def test_profile_errors_name_every_wrong_field(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    with pytest.raises(FieldErrors) as error_info:
        _change_profile(database, alice.person, name="", language="tlh", zone="Mars/Olympus")
    assert [error.field for error in error_info.value.errors] == ["name", "language", "zone"]


@pytest.mark.parametrize(
    "zone", ["../etc/passwd", "/etc/localtime", "Europe/Riga\0", "", "europe/riga "]
)
def test_unknown_time_zone_is_refused(database: Database, zone: str) -> None:
    alice = sign_in_guest(database, ALICE)
    with pytest.raises(FieldErrors):
        _change_profile(database, alice.person, zone=zone)
