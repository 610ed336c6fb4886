from datetime import datetime, timedelta

import pytest

from tests.support.cast import ALICE, BOB
from tests.support.factories import Guest, request_sign_in_email, sign_in_guest
from tests.support.transactions import KEYS, NOON, seeded_tokens, transaction, using
from webapp.accounts.emailed_codes import CODE_LIFETIME, CodeRefused
from webapp.accounts.identity import (
    CONFIRMATION_LIFETIME,
    IdentityUnconfirmed,
    confirm_by_code,
    is_confirmed,
    request_identity_code,
    require_confirmed,
)
from webapp.accounts.queries import sign_ins
from webapp.kernel.keyring import TokenSource, hash_of
from webapp.kernel.tx import Database

LATER = NOON + timedelta(hours=3)


@pytest.fixture
def alice(database: Database) -> Guest:
    return sign_in_guest(database, ALICE)


def request_code(database: Database, guest: Guest, *, now: datetime = LATER) -> str:
    """Request a code; return the one that was sent."""
    with transaction(database, now) as tx:
        source = TokenSource(KEYS, seeded_tokens(f"{guest.cookie} {now}"))
        request_identity_code(using(tx, source=source), guest.person, token=guest.cookie)
        row = sign_ins.latest_of_browser(tx, hash_of(guest.cookie), "identity")
    assert row is not None
    return KEYS.code(row.nonce)


def confirm(
    database: Database, guest: Guest, code: str, *, now: datetime = LATER
) -> CodeRefused | None:
    with transaction(database, now) as tx:
        return confirm_by_code(tx, guest.person, code, token=guest.cookie)


def is_session_confirmed(database: Database, guest: Guest, now: datetime) -> bool:
    with transaction(database, now) as tx:
        return is_confirmed(tx, guest.cookie)


def wrong_code_for(code: str) -> str:
    return f"{(int(code) + 1) % 1_000_000:06d}"


def test_new_session_is_confirmed_for_some_minutes(database: Database, alice: Guest) -> None:
    assert is_session_confirmed(
        database, alice, NOON + CONFIRMATION_LIFETIME - timedelta(seconds=1)
    )
    assert not is_session_confirmed(database, alice, NOON + CONFIRMATION_LIFETIME)
    with (
        transaction(database, NOON + CONFIRMATION_LIFETIME) as tx,
        pytest.raises(IdentityUnconfirmed),
    ):
        require_confirmed(tx, alice.cookie)


def test_code_confirms_the_session_that_requested_it(database: Database, alice: Guest) -> None:
    other_browser = sign_in_guest(database, ALICE)
    code = request_code(database, alice)
    assert confirm(database, other_browser, code) == CodeRefused(reason="unknown")
    assert confirm(database, alice, code) is None
    assert is_session_confirmed(database, alice, LATER + timedelta(minutes=14))
    assert not is_session_confirmed(database, other_browser, LATER)


def test_identity_code_works_once_and_expires(database: Database, alice: Guest) -> None:
    code = request_code(database, alice)
    code_expiry = LATER + CODE_LIFETIME
    assert confirm(database, alice, code, now=code_expiry) == CodeRefused(reason="expired")
    assert confirm(database, alice, code) is None
    assert confirm(database, alice, code) == CodeRefused(reason="used")


def test_identity_code_has_five_tries(database: Database, alice: Guest) -> None:
    code = request_code(database, alice)
    answers = [confirm(database, alice, wrong_code_for(code)) for _ in range(5)]
    assert answers[0] == CodeRefused(reason="wrong-code", tries_left=4)
    assert confirm(database, alice, code) == CodeRefused(reason="too-many-tries", tries_left=0)


def test_wrong_sign_in_codes_do_not_use_up_identity_codes(database: Database, alice: Guest) -> None:
    with transaction(database) as tx:
        for _ in range(5):
            request_sign_in_email(tx, ALICE, now=LATER)
        row = sign_ins.latest_of_browser(tx, hash_of(ALICE.browser))
        assert row is not None
        for _ in range(30):
            sign_ins.add_try(tx, [row])
    assert confirm(database, alice, request_code(database, alice)) is None


def test_sign_in_code_does_not_confirm(database: Database, alice: Guest) -> None:
    with transaction(database) as tx:
        request_sign_in_email(tx, ALICE, now=LATER, browser=alice.cookie)
        row = sign_ins.latest_of_browser(tx, hash_of(alice.cookie))
        assert row is not None
    confirmation_result = confirm(database, alice, KEYS.code(row.nonce))
    assert confirmation_result == CodeRefused(reason="unknown")


def test_code_sent_to_an_earlier_address_does_not_confirm(database: Database, alice: Guest) -> None:
    code = request_code(database, alice)
    bob_in_alices_browser = Guest(sign_in_guest(database, BOB).person, alice.cookie)
    assert confirm(database, bob_in_alices_browser, code) == CodeRefused(reason="unknown")


def test_unknown_session_is_not_confirmed(database: Database) -> None:
    with transaction(database) as tx:
        assert not is_confirmed(tx, None)
        assert not is_confirmed(tx, "invented")
