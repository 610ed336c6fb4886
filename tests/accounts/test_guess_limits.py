"""Sign-in by code, and the limits on guessing codes."""

import secrets
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from sqlalchemy import select

from tests.support.blocked_requests import wait_until_blocked_or_done
from tests.support.cast import ALICE, BOB, MALLORY
from tests.support.factories import emailed_code, enter_code, request_sign_in_email, sign_in_guest
from tests.support.transactions import KEYS, NOON, transaction, using
from webapp.accounts.emailed_codes import CODE_LIFETIME, CodeRefused
from webapp.accounts.queries import sign_ins
from webapp.accounts.schema import SignIn
from webapp.accounts.sessions import OpenedSession
from webapp.accounts.sign_in import Browser, sign_in_by_link, sign_in_token
from webapp.kernel.keyring import hash_of
from webapp.kernel.tx import Database, Tx

FIRST_CODE_EXPIRES_AT = NOON + CODE_LIFETIME


def _sign_in_by_code(
    tx: Tx, code: str, *, browser: str = ALICE.browser, now: datetime = NOON
) -> OpenedSession | CodeRefused:
    return enter_code(tx, code, browser=browser, now=now)


def _wrong_code(code: str) -> str:
    return f"{(int(code) + 1) % 1_000_000:06d}"


def test_code_may_be_typed_with_spaces_and_dashes(database: Database) -> None:
    with transaction(database) as tx:
        request_sign_in_email(tx, ALICE)
        code = emailed_code(tx, ALICE)
        assert isinstance(_sign_in_by_code(tx, f" {code[:3]}-{code[3:]} "), OpenedSession)


def test_code_is_refused_after_five_wrong_tries(database: Database) -> None:
    with transaction(database) as tx:
        request_sign_in_email(tx, ALICE)
        code = emailed_code(tx, ALICE)
    for tries_left in (4, 3, 2, 1, 0):
        with transaction(database) as tx:
            guess_result = _sign_in_by_code(tx, _wrong_code(code))
        assert guess_result == CodeRefused(reason="wrong-code", tries_left=tries_left)
    with transaction(database) as tx:
        assert _sign_in_by_code(tx, code) == CodeRefused(reason="too-many-tries", tries_left=0)


def test_concurrent_tries_are_all_counted(database: Database) -> None:
    with transaction(database) as tx:
        request_sign_in_email(tx, ALICE)
        code = emailed_code(tx, ALICE)

    def guess_wrong_code(_: int) -> str:
        with transaction(database) as tx:
            outcome = _sign_in_by_code(tx, _wrong_code(code))
        assert isinstance(outcome, CodeRefused)
        return outcome.reason

    with ThreadPoolExecutor(8) as pool:
        reasons = list(pool.map(guess_wrong_code, range(12)))
    assert reasons.count("wrong-code") == 5


def test_try_waits_for_the_transaction_of_the_previous_try(database: Database) -> None:
    with transaction(database) as tx:
        request_sign_in_email(tx, ALICE)
        code = emailed_code(tx, ALICE)

    def guess_wrong_code() -> OpenedSession | CodeRefused:
        with transaction(database) as tx:
            return _sign_in_by_code(tx, _wrong_code(code))

    with ThreadPoolExecutor(1) as pool:
        with transaction(database) as tx:
            _sign_in_by_code(tx, _wrong_code(code))
            second_guess = pool.submit(guess_wrong_code)
            wait_until_blocked_or_done(database, second_guess)
            assert not second_guess.done()
        assert second_guess.result() == CodeRefused(reason="wrong-code", tries_left=3)


def _request_codes(database: Database, emails: int) -> list[str]:
    """Request this many emails for Alice and return their codes."""
    codes = []
    for _ in range(emails):
        with transaction(database) as tx:
            request_sign_in_email(tx, ALICE)
            codes.append(emailed_code(tx, ALICE))
    return codes


@pytest.mark.parametrize("email", [0, 1, 2])
def test_code_of_each_requested_email_signs_in_once(database: Database, email: int) -> None:
    code = _request_codes(database, 3)[email]
    with transaction(database) as tx:
        assert isinstance(_sign_in_by_code(tx, code), OpenedSession)
    with transaction(database) as tx:
        assert _sign_in_by_code(tx, code) == CodeRefused(reason="wrong-code", tries_left=4)


def test_code_of_the_first_email_expires_before_that_of_the_second(database: Database) -> None:
    first_code, second_guess = _request_codes(database, 1)[0], NOON + timedelta(minutes=1)
    with transaction(database) as tx:
        request_sign_in_email(tx, ALICE, now=second_guess)
        guess_result = _sign_in_by_code(tx, first_code, now=FIRST_CODE_EXPIRES_AT)
        assert guess_result == CodeRefused(reason="wrong-code", tries_left=4)
        assert isinstance(
            _sign_in_by_code(tx, emailed_code(tx, ALICE), now=FIRST_CODE_EXPIRES_AT), OpenedSession
        )


@pytest.mark.parametrize(
    "emails, tries", [(1, [5]), (2, [5] * 2), (4, [5] * 4), (6, [4] * 2 + [3] * 4)]
)
def test_requesting_more_emails_gives_no_more_guesses_than_the_limits_allow(
    database: Database, emails: int, tries: list[int]
) -> None:
    _request_codes(database, emails)
    answers = []
    while not answers or answers[-1].tries_left:
        with transaction(database) as tx:
            answer = _sign_in_by_code(tx, "no code")
        assert isinstance(answer, CodeRefused)
        answers.append(answer)
    assert [answer.tries_left for answer in answers] == list(range(len(answers)))[::-1]
    with transaction(database) as tx:
        assert sorted(tx.execute(select(SignIn.tries)).scalars()) == sorted(tries)
        reason = "too-many-tries" if emails < 4 else "too-many-guesses"
        assert _sign_in_by_code(tx, "no code") == CodeRefused(reason=reason, tries_left=0)


def test_email_requested_after_wrong_codes_has_all_its_tries(database: Database) -> None:
    [first_code] = _request_codes(database, 1)
    with transaction(database) as tx:
        for _ in range(5):
            _sign_in_by_code(tx, "no code")
    [second_guess] = _request_codes(database, 1)
    with transaction(database) as tx:
        assert _sign_in_by_code(tx, first_code) == CodeRefused(reason="wrong-code", tries_left=4)
        assert isinstance(_sign_in_by_code(tx, second_guess), OpenedSession)


def test_code_for_another_address_is_wrong_for_the_latest_address(database: Database) -> None:
    [code] = _request_codes(database, 1)
    with transaction(database) as tx:
        request_sign_in_email(tx, BOB, browser=ALICE.browser)
        assert _sign_in_by_code(tx, code) == CodeRefused(reason="wrong-code", tries_left=4)


def _use_up_guesses_of_today(database: Database) -> int:
    """Type wrong codes for Alice in five browsers and return how many were compared."""
    compared_count = 0
    for number in range(5):
        browser = f"browser-{number}"
        with transaction(database) as tx:
            request_sign_in_email(tx, ALICE, browser=browser)
            for _ in range(5):
                outcome = _sign_in_by_code(tx, "not a code", browser=browser)
                assert isinstance(outcome, CodeRefused)
                compared_count += outcome.reason == "wrong-code"
    return compared_count


def test_guesses_in_many_browsers_are_limited_to_twenty_a_day(database: Database) -> None:
    assert _use_up_guesses_of_today(database) == 20


def test_last_guess_of_the_day_reports_no_tries_left(database: Database) -> None:
    tries_left = []
    for number in range(5):
        browser = f"browser-{number}"
        with transaction(database) as tx:
            request_sign_in_email(tx, ALICE, browser=browser)
            tries_left += [_sign_in_by_code(tx, "no", browser=browser) for _ in range(4)]
    assert tries_left[-1] == CodeRefused(reason="wrong-code", tries_left=0)


def test_right_code_is_refused_after_too_many_guesses_until_the_next_day(
    database: Database,
) -> None:
    _use_up_guesses_of_today(database)
    with transaction(database) as tx:
        request_sign_in_email(tx, ALICE)
        code = emailed_code(tx, ALICE)
        assert _sign_in_by_code(tx, code) == CodeRefused(reason="too-many-guesses", tries_left=0)
    tomorrow = NOON + timedelta(days=1)
    with transaction(database) as tx:
        request_sign_in_email(tx, ALICE, now=tomorrow)
        assert isinstance(
            _sign_in_by_code(tx, emailed_code(tx, ALICE), now=tomorrow), OpenedSession
        )


def test_guess_limit_is_the_same_with_and_without_an_account(database: Database) -> None:
    sign_in_guest(database, BOB)
    for character in (ALICE, BOB):
        for number in range(5):
            browser = f"{character.name}-{number}"
            with transaction(database) as tx:
                request_sign_in_email(tx, character, browser=browser)
                answers = [_sign_in_by_code(tx, "no", browser=browser) for _ in range(5)]
        assert answers[0] == CodeRefused(reason="too-many-guesses", tries_left=0), character.name


def test_link_still_works_after_too_many_guesses(database: Database) -> None:
    _use_up_guesses_of_today(database)
    with transaction(database) as tx:
        request_sign_in_email(tx, ALICE)
        latest_sign_in = sign_ins.latest_of_browser(tx, hash_of(ALICE.browser))
        assert latest_sign_in is not None
        outcome = sign_in_by_link(
            using(tx, random_bytes=secrets.token_bytes),
            sign_in_token(latest_sign_in.nonce, KEYS),
            browser=Browser(key=ALICE.browser),
        )
        assert isinstance(outcome, OpenedSession)


def test_code_is_unknown_in_another_browser(database: Database) -> None:
    with transaction(database) as tx:
        request_sign_in_email(tx, ALICE)
        code = emailed_code(tx, ALICE)
        assert _sign_in_by_code(tx, code, browser=MALLORY.browser) == CodeRefused(reason="unknown")
