from datetime import timedelta

import pytest
from sqlalchemy import select

from tests.support.cast import ALICE, BOB
from tests.support.factories import sign_in_by_email, sign_in_guest
from tests.support.transactions import NOON, read_only, transaction
from webapp.accounts.schema import Account
from webapp.accounts.sessions import (
    SESSION_LIFETIME,
    person_for,
    sessions_of,
    sign_out,
    sign_out_browser,
    sign_out_other_browsers,
)
from webapp.kernel.tx import Database
from webapp.privacy.retention import apply_retention


def test_session_identifies_its_person_until_it_expires(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    with read_only(database) as tx:
        assert person_for(tx.at(NOON), alice.cookie) == alice.person
        session_expiry = NOON + SESSION_LIFETIME
        assert person_for(tx.at(session_expiry), alice.cookie) is None
        for invalid_token in (None, "", "invented", "\ud800"):
            assert person_for(tx.at(NOON), invalid_token) is None


def test_old_sign_ins_and_expired_sessions_are_deleted(database: Database) -> None:
    alice = sign_in_by_email(database, ALICE)
    with transaction(database) as tx:
        assert apply_retention(tx.at(NOON + timedelta(days=1))) == 0
        assert apply_retention(tx.at(NOON + timedelta(days=3))) == 1
        assert (
            apply_retention(tx.at(NOON + SESSION_LIFETIME)) == 2
        )  # The session, and the network address of its sign-in in the security log.
        assert person_for(tx.at(NOON), alice.cookie) is None
        assert tx.execute(select(Account.id)).all()


def test_person_sees_and_ends_their_own_sessions(database: Database) -> None:
    this_browser, other_browser = sign_in_guest(database, ALICE), sign_in_guest(database, ALICE)
    with transaction(database) as tx:
        cards = sessions_of(tx, this_browser.person, token=this_browser.cookie)
        assert [card.is_current for card in cards] == [False, True]
        sign_out_browser(tx, this_browser.person, cards[0].ref)
    with transaction(database) as tx:
        assert person_for(tx, other_browser.cookie) is None
        assert person_for(tx, this_browser.cookie) is not None


def test_person_cannot_end_sessions_of_others(database: Database) -> None:
    alice, bob = sign_in_guest(database, ALICE), sign_in_guest(database, BOB)
    with transaction(database) as tx:
        [card] = sessions_of(tx, alice.person, token=alice.cookie)
    with transaction(database) as tx:
        sign_out_browser(tx, bob.person, card.ref)
    with transaction(database) as tx:
        assert person_for(tx, alice.cookie) is not None


@pytest.mark.parametrize("ref", ["", "invented", "\0", "\ud800"])
def test_ending_an_unknown_session_changes_nothing(database: Database, ref: str) -> None:
    alice = sign_in_guest(database, ALICE)
    with transaction(database) as tx:
        sign_out_browser(tx, alice.person, ref)
        assert person_for(tx, alice.cookie) is not None


def test_session_ref_does_not_sign_in(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    with transaction(database) as tx:
        [card] = sessions_of(tx, alice.person, token=alice.cookie)
        assert person_for(tx, card.ref) is None


def test_signing_out_ends_the_current_session(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    with transaction(database) as tx:
        sign_out(tx, None)
        sign_out(tx, alice.cookie)
        sign_out(tx, alice.cookie)
        assert person_for(tx, alice.cookie) is None


def test_signing_out_other_browsers_keeps_the_current_session(database: Database) -> None:
    this_browser, other_browser = sign_in_guest(database, ALICE), sign_in_guest(database, ALICE)
    with transaction(database) as tx:
        assert sign_out_other_browsers(tx, this_browser.person, token=this_browser.cookie) == 1
        assert person_for(tx, other_browser.cookie) is None
        assert person_for(tx, this_browser.cookie) is not None
