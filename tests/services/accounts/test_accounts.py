import pytest

from tests.support.cast import ALICE, BOB
from tests.support.factories import NOON, sign_in_guest
from webapp.services.accounts import sign_in
from webapp.services.accounts.person import Person
from webapp.services.errors import FieldErrors, NotFound
from webapp.services.tx import Database, transaction


def _change(database: Database, person: Person, **changes: str) -> Person:
    profile = {"name": "Alice", "language": "en", "zone": "Europe/Riga"} | changes
    with transaction(database) as tx:
        return sign_in.change_profile(tx, person, picks_gold=True, **profile)


def test_everybody_sees_ones_own_sessions_and_can_end_them(database: Database) -> None:
    here, there = sign_in_guest(database, ALICE), sign_in_guest(database, ALICE)
    with transaction(database) as tx:
        cards = sign_in.sessions_of(tx, here.person, token=here.cookie, now=NOON)
        assert [card.is_this for card in cards] == [False, True]
        sign_in.revoke(tx, here.person, cards[0].ref)
    with transaction(database) as tx:
        assert sign_in.person_for(tx, there.cookie, now=NOON) is None
        assert sign_in.person_for(tx, here.cookie, now=NOON) is not None


def test_nobody_ends_the_sessions_of_others(database: Database) -> None:
    alice, bob = sign_in_guest(database, ALICE), sign_in_guest(database, BOB)
    with transaction(database) as tx:
        [card] = sign_in.sessions_of(tx, alice.person, token=alice.cookie, now=NOON)
    with transaction(database) as tx, pytest.raises(NotFound):
        sign_in.revoke(tx, bob.person, card.ref)
    with transaction(database) as tx:
        assert sign_in.person_for(tx, alice.cookie, now=NOON) is not None


@pytest.mark.parametrize("ref", ["", "made up", "\0", "\ud800"])
def test_a_session_that_is_none_cannot_be_ended(database: Database, ref: str) -> None:
    alice = sign_in_guest(database, ALICE)
    with transaction(database) as tx, pytest.raises(NotFound):
        sign_in.revoke(tx, alice.person, ref)


def test_the_name_of_a_session_opens_nothing(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    with transaction(database) as tx:
        [card] = sign_in.sessions_of(tx, alice.person, token=alice.cookie, now=NOON)
        assert sign_in.person_for(tx, card.ref, now=NOON) is None


def test_signing_out_ends_this_session(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    with transaction(database) as tx:
        sign_in.sign_out(tx, None)
        sign_in.sign_out(tx, alice.cookie)
        sign_in.sign_out(tx, alice.cookie)
        assert sign_in.person_for(tx, alice.cookie, now=NOON) is None


def test_signing_out_elsewhere_keeps_this_session(database: Database) -> None:
    here, there = sign_in_guest(database, ALICE), sign_in_guest(database, ALICE)
    with transaction(database) as tx:
        assert sign_in.sign_out_elsewhere(tx, here.person, token=here.cookie) == 1
        assert sign_in.person_for(tx, there.cookie, now=NOON) is None
        assert sign_in.person_for(tx, here.cookie, now=NOON) is not None


@pytest.mark.parametrize(
    "typed, kept",
    [
        ("  Anna   Maria ", "Anna Maria"),
        ("Ju\u0304ris", "J\u016bris"),
        (
            "\u041e\u043b\u0435\u043a\u0441\u0456\u0439",
            "\u041e\u043b\u0435\u043a\u0441\u0456\u0439",
        ),
        ("<b>Bob</b>", "<b>Bob</b>"),
    ],
)
def test_a_name_is_cleaned_and_kept(database: Database, typed: str, kept: str) -> None:
    alice = sign_in_guest(database, ALICE)
    assert _change(database, alice.person, name=typed).name == kept
    with transaction(database) as tx:
        person = sign_in.person_for(tx, alice.cookie, now=NOON)
    assert person is not None
    assert person.name == kept


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
    ],
)
def test_a_name_that_would_deceive_is_refused(database: Database, name: str, code: str) -> None:
    alice = sign_in_guest(database, ALICE)
    with pytest.raises(FieldErrors) as refused:
        _change(database, alice.person, name=name)
    assert [(error.field, error.code) for error in refused.value.errors] == [("name", code)]


def test_every_wrong_field_of_a_profile_is_named(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    with pytest.raises(FieldErrors) as refused:
        _change(database, alice.person, name="", language="tlh", zone="Mars/Olympus")
    assert [error.field for error in refused.value.errors] == ["name", "language", "zone"]


@pytest.mark.parametrize(
    "zone", ["../etc/passwd", "/etc/localtime", "Europe/Riga\0", "", "europe/riga "]
)
def test_a_zone_is_one_of_the_known_ones(database: Database, zone: str) -> None:
    alice = sign_in_guest(database, ALICE)
    with pytest.raises(FieldErrors):
        _change(database, alice.person, zone=zone)
