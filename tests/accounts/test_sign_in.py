"""Requests for sign-in emails, and sign-in by link."""

import secrets
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from sqlalchemy import select

from tests.support.cast import ALICE, BOB, MALLORY
from tests.support.factories import emailed_code, enter_code, request_sign_in_email, sign_in_guest
from tests.support.transactions import KEYS, NOON, read_only, transaction, using
from webapp.accounts.emailed_codes import CODE_LIFETIME, CodeRefused
from webapp.accounts.queries import sign_ins
from webapp.accounts.schema import Account, Session, SignIn
from webapp.accounts.sessions import SESSION_UNUSED_LIMIT, OpenedSession
from webapp.accounts.sign_in import Browser, check_link, sign_in_by_link, sign_in_token
from webapp.kernel.keyring import hash_of
from webapp.kernel.refusals import FieldErrors
from webapp.kernel.tx import Database, Tx
from webapp.mail.schema import Notification

CODE_EXPIRES_AT = NOON + CODE_LIFETIME


def _sign_in_by_code(
    tx: Tx, code: str, *, browser: str = ALICE.browser, now: datetime = NOON
) -> OpenedSession | CodeRefused:
    return enter_code(tx, code, browser=browser, now=now)


def _sign_in_by_link(
    tx: Tx, token: str, *, browser: str = ALICE.browser, now: datetime = NOON
) -> OpenedSession | CodeRefused:
    return sign_in_by_link(
        using(tx.at(now), random_bytes=secrets.token_bytes), token, browser=Browser(key=browser)
    )


def _count_accounts(tx: Tx) -> int:
    return len(tx.execute(select(Account.id)).all())


def _link_token(tx: Tx, browser: str = ALICE.browser) -> str:
    latest_sign_in = sign_ins.latest_of_browser(tx, hash_of(browser))
    assert latest_sign_in is not None
    return sign_in_token(latest_sign_in.nonce, KEYS)


def test_first_sign_in_creates_the_account(database: Database) -> None:
    with transaction(database) as tx:
        request_sign_in_email(tx, ALICE)
        assert _count_accounts(tx) == 0
        outcome = _sign_in_by_code(tx, emailed_code(tx, ALICE))
        assert _count_accounts(tx) == 1
        assert tx.execute(select(Session.expires_at)).scalar_one() == (NOON + SESSION_UNUSED_LIMIT)
    assert isinstance(outcome, OpenedSession)
    assert (outcome.person.address, outcome.person.name) == (ALICE.address, "")


def test_later_sign_in_finds_the_account_ignoring_case(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    with transaction(database) as tx:
        request_sign_in_email(tx, ALICE._replace(address="ALICE@Example.test"))
        outcome = _sign_in_by_code(tx, emailed_code(tx, ALICE))
        assert _count_accounts(tx) == 1
    assert isinstance(outcome, OpenedSession)
    assert outcome.person == alice.person


def test_request_behaves_the_same_for_known_and_unknown_addresses(database: Database) -> None:
    sign_in_guest(database, ALICE)
    queued_emails = []
    for minute, character in enumerate((ALICE, BOB), 1):
        requested_at = NOON + timedelta(minutes=minute)
        with transaction(database) as tx:
            request_sign_in_email(tx, character, now=requested_at)
            columns = (
                Notification.kind,
                Notification.account_id,
                Notification.status,
                Notification.due_at - requested_at,
            )
            query = select(*columns).where(Notification.first_due_at == requested_at)
            queued_emails.append((tx.execute(query).all(), tx.nudges))
    assert queued_emails[0] == queued_emails[1]
    assert len(queued_emails[0][0]) == 1


def test_link_signs_in_once(database: Database) -> None:
    with transaction(database) as tx:
        request_sign_in_email(tx, ALICE)
        token = _link_token(tx)
    with transaction(database) as tx:
        assert isinstance(_sign_in_by_link(tx, token), OpenedSession)
    with transaction(database) as tx:
        assert _sign_in_by_link(tx, token) == CodeRefused(reason="used")
        assert _sign_in_by_code(tx, emailed_code(tx, ALICE)) == CodeRefused(reason="used")


def test_concurrent_uses_of_one_link_open_one_session(database: Database) -> None:
    with transaction(database) as tx:
        request_sign_in_email(tx, ALICE)
        token = _link_token(tx)

    def use_link(_: int) -> bool:
        with transaction(database) as tx:
            return isinstance(_sign_in_by_link(tx, token), OpenedSession)

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(use_link, range(4))) == [False, False, False, True]


def test_checking_a_link_does_not_use_it_up(database: Database) -> None:
    with transaction(database) as tx:
        request_sign_in_email(tx, ALICE)
        token = _link_token(tx)
    for _ in range(3):
        with read_only(database) as tx:
            assert check_link(tx, token, browser=Browser(key=ALICE.browser)) == "valid"
    with transaction(database) as tx:
        assert isinstance(_sign_in_by_link(tx, token), OpenedSession)


def test_link_and_code_expire_after_ten_minutes(database: Database) -> None:
    with transaction(database, CODE_EXPIRES_AT) as tx:
        request_sign_in_email(tx, ALICE)
        token = _link_token(tx)
        assert check_link(tx, token, browser=Browser(key=ALICE.browser)) == "expired"
        assert _sign_in_by_link(tx, token, now=CODE_EXPIRES_AT) == CodeRefused(reason="expired")
        assert _sign_in_by_code(tx, emailed_code(tx, ALICE), now=CODE_EXPIRES_AT) == CodeRefused(
            reason="expired"
        )
        just_before_expiry = CODE_EXPIRES_AT - timedelta(seconds=1)
        assert isinstance(_sign_in_by_link(tx, token, now=just_before_expiry), OpenedSession)


def test_link_works_only_in_the_browser_that_requested_it(database: Database) -> None:
    with transaction(database) as tx:
        request_sign_in_email(tx, ALICE)
        token = _link_token(tx)
        stolen_result = _sign_in_by_link(tx, token, browser=MALLORY.browser)
        assert stolen_result == CodeRefused(reason="other-browser")
        assert isinstance(_sign_in_by_link(tx, token), OpenedSession)


def test_used_or_expired_link_says_so_in_every_browser(database: Database) -> None:
    with transaction(database) as tx:
        request_sign_in_email(tx, ALICE)
        token = _link_token(tx)
        result_after_expiry = _sign_in_by_link(
            tx, token, browser=MALLORY.browser, now=CODE_EXPIRES_AT
        )
        assert result_after_expiry == CodeRefused(reason="expired")
        _sign_in_by_link(tx, token)
        for now in (NOON, CODE_EXPIRES_AT):
            used_result = _sign_in_by_link(tx, token, browser=MALLORY.browser, now=now)
            assert used_result == CodeRefused(reason="used")


def test_invented_link_is_unknown(database: Database) -> None:
    with transaction(database) as tx:
        for token in ("", "x", "\ud800", "\0", "a" * 10_000):
            assert _sign_in_by_link(tx, token) == CodeRefused(reason="unknown")


def test_address_gets_at_most_ten_emails_an_hour(database: Database) -> None:
    for _ in range(12):
        with transaction(database) as tx:
            request_sign_in_email(tx, ALICE)
    assert _count_notifications(database) == 10
    with transaction(database) as tx:
        request_sign_in_email(tx, ALICE, now=NOON + timedelta(minutes=61))
    assert _count_notifications(database) == 11


def test_concurrent_requests_cannot_exceed_the_hourly_limit(database: Database) -> None:
    def request(_: int) -> None:
        with transaction(database) as tx:
            request_sign_in_email(tx, ALICE)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(request, range(20)))
    assert _count_notifications(database) == 10


@pytest.mark.parametrize(
    "address",
    [
        "",
        "   ",
        "alice",
        "alice@",
        "@example.test",
        "alice@example.test\r\nBcc: everybody@example.test",
        "Alice <alice@example.test>",
        "alice@exam ple.test",
        "a" * 300 + "@example.test",
        "alice@\ud800.test",
        "alice\0@example.test",
    ],
)
def test_invalid_address_raises_a_field_error(database: Database, address: str) -> None:
    with transaction(database) as tx, pytest.raises(FieldErrors) as error_info:
        request_sign_in_email(tx, ALICE._replace(address=address))
    assert error_info.value.errors[0].field == "address"
    assert _count_notifications(database) == 0


def test_database_stores_no_token_and_no_code(database: Database) -> None:
    with transaction(database) as tx:
        request_sign_in_email(tx, ALICE)
        token, code = _link_token(tx), emailed_code(tx, ALICE)
        outcome = _sign_in_by_code(tx, code)
        assert isinstance(outcome, OpenedSession)
        stored_rows = repr(
            [tx.execute(select(table)).all() for table in (SignIn, Session, Notification)]
        )
    assert token not in stored_rows
    assert f"'{code}'" not in stored_rows
    assert outcome.token not in stored_rows
    assert outcome.token not in repr(outcome)


def _count_notifications(database: Database) -> int:
    with transaction(database) as tx:
        return len(tx.execute(select(Notification.id)).all())


@pytest.mark.parametrize(
    "zero, separator",
    [("\u0660", ""), ("\u06f0", ""), ("\uff10", ""), ("0", "\u00a0"), ("0", "\u200b")],
)
def test_code_counts_in_all_digits_and_with_what_is_copied_along(
    database: Database, zero: str, separator: str
) -> None:
    """Arabic, Persian and full-width digits; blanks that do not break, and marks that no one sees."""
    with transaction(database) as tx:
        request_sign_in_email(tx, ALICE)
        code = emailed_code(tx, ALICE)
        typed = separator.join(chr(ord(zero) + int(digit)) for digit in code)
        outcome = enter_code(tx, f"\ufeff{typed}\u00a0", browser=ALICE.browser)
    assert isinstance(outcome, OpenedSession)
