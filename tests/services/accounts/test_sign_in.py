import secrets
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import datetime, timedelta

import pytest
from sqlalchemy import select

from tests.support.cast import ALICE, BOB, MALLORY
from tests.support.factories import KEYS, NOON, ask, mailed_code, sign_in_guest, try_code
from webapp.services.accounts import sign_in
from webapp.services.accounts.sessions import LIFETIME, SESSION_LIFETIME, sign_in_token
from webapp.services.accounts.sign_in import NotSignedIn, SignedIn
from webapp.services.errors import FieldErrors
from webapp.services.keys import hash_of
from webapp.services.tx import Database, Tx, read_only, transaction
from webapp.store.accounts import accounts as stored
from webapp.store.schema.accounts import Account, Session, SignIn
from webapp.store.schema.notifications import Notification

LATE = NOON + LIFETIME


def _by_code(
    tx: Tx, code: str, *, browser: str = ALICE.browser, now: datetime = NOON
) -> SignedIn | NotSignedIn:
    return try_code(tx, code, browser=browser, now=now)


def _by_link(
    tx: Tx, token: str, *, browser: str = ALICE.browser, now: datetime = NOON
) -> SignedIn | NotSignedIn:
    return sign_in.sign_in_by_link(
        tx, token, browser=browser, agent="a browser", tokens=secrets.token_bytes, now=now
    )


def _mailed_link(tx: Tx, browser: str = ALICE.browser) -> str:
    asked = stored.latest_sign_in(tx.connection, hash_of(browser))
    assert asked is not None
    return sign_in_token(asked.nonce, KEYS)


def _wrong(code: str) -> str:
    return f"{(int(code) + 1) % 1_000_000:06d}"


def test_the_first_sign_in_makes_the_account(database: Database) -> None:
    with transaction(database) as tx:
        ask(tx, ALICE)
        outcome = _by_code(tx, mailed_code(tx, ALICE))
    assert isinstance(outcome, SignedIn)
    assert outcome.is_new
    assert (outcome.person.address, outcome.person.name) == (ALICE.address, "")
    assert outcome.expires_at == NOON + SESSION_LIFETIME


def test_the_next_sign_in_finds_the_account_whatever_the_capitals(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    with transaction(database) as tx:
        ask(tx, ALICE._replace(address="ALICE@Example.test"))
        outcome = _by_code(tx, mailed_code(tx, ALICE))
    assert isinstance(outcome, SignedIn)
    assert outcome.person == alice.person
    assert not outcome.is_new


def test_asking_does_the_same_for_known_and_unknown_addresses(database: Database) -> None:
    sign_in_guest(database, ALICE)
    owed = []
    for minute, character in enumerate((ALICE, BOB), 1):
        asked_at = NOON + timedelta(minutes=minute)
        with transaction(database) as tx:
            ask(tx, character, now=asked_at)
            columns = (
                Notification.kind,
                Notification.account_id,
                Notification.status,
                Notification.due_at - asked_at,
            )
            query = select(*columns).where(Notification.owed_at == asked_at)
            owed.append((tx.connection.execute(query).all(), tx.nudges))
    assert owed[0] == owed[1]
    assert len(owed[0][0]) == 1


def test_the_link_signs_in_once(database: Database) -> None:
    with transaction(database) as tx:
        ask(tx, ALICE)
        token = _mailed_link(tx)
    with transaction(database) as tx:
        assert isinstance(_by_link(tx, token), SignedIn)
    with transaction(database) as tx:
        assert _by_link(tx, token) == NotSignedIn(reason="used")
        assert _by_code(tx, mailed_code(tx, ALICE)) == NotSignedIn(reason="used")


def test_two_presses_on_one_link_open_one_session(database: Database) -> None:
    with transaction(database) as tx:
        ask(tx, ALICE)
        token = _mailed_link(tx)

    def press(_: int) -> bool:
        with transaction(database) as tx:
            return isinstance(_by_link(tx, token), SignedIn)

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(press, range(4))) == [False, False, False, True]


def test_looking_at_a_link_consumes_nothing(database: Database) -> None:
    with transaction(database) as tx:
        ask(tx, ALICE)
        token = _mailed_link(tx)
    for _ in range(3):
        with read_only(database) as tx:
            assert sign_in.look_at_link(tx, token, browser=ALICE.browser, now=NOON) == "good"
    with transaction(database) as tx:
        assert isinstance(_by_link(tx, token), SignedIn)


def test_a_link_is_good_for_ten_minutes(database: Database) -> None:
    with transaction(database) as tx:
        ask(tx, ALICE)
        token = _mailed_link(tx)
        assert sign_in.look_at_link(tx, token, browser=ALICE.browser, now=LATE) == "expired"
        assert _by_link(tx, token, now=LATE) == NotSignedIn(reason="expired")
        assert _by_code(tx, mailed_code(tx, ALICE), now=LATE) == NotSignedIn(reason="expired")
        just = LATE - timedelta(seconds=1)
        assert isinstance(_by_link(tx, token, now=just), SignedIn)


def test_a_link_works_in_the_browser_that_asked_and_in_no_other(database: Database) -> None:
    with transaction(database) as tx:
        ask(tx, ALICE)
        token = _mailed_link(tx)
        stolen = _by_link(tx, token, browser=MALLORY.browser)
        assert stolen == NotSignedIn(reason="other-browser")
        assert isinstance(_by_link(tx, token), SignedIn)


def test_a_link_that_is_used_or_too_old_is_so_in_every_browser(database: Database) -> None:
    with transaction(database) as tx:
        ask(tx, ALICE)
        token = _mailed_link(tx)
        old = _by_link(tx, token, browser=MALLORY.browser, now=LATE)
        assert old == NotSignedIn(reason="expired")
        _by_link(tx, token)
        for now in (NOON, LATE):
            used = _by_link(tx, token, browser=MALLORY.browser, now=now)
            assert used == NotSignedIn(reason="used")


def test_a_code_is_of_no_use_in_another_browser(database: Database) -> None:
    with transaction(database) as tx:
        ask(tx, ALICE)
        code = mailed_code(tx, ALICE)
        assert _by_code(tx, code, browser=MALLORY.browser) == NotSignedIn(reason="unknown")


def test_a_made_up_link_is_unknown(database: Database) -> None:
    with transaction(database) as tx:
        for token in ("", "x", "\ud800", "\0", "a" * 10_000):
            assert _by_link(tx, token) == NotSignedIn(reason="unknown")


def test_a_code_may_be_typed_with_spaces_and_dashes(database: Database) -> None:
    with transaction(database) as tx:
        ask(tx, ALICE)
        code = mailed_code(tx, ALICE)
        assert isinstance(_by_code(tx, f" {code[:3]}-{code[3:]} "), SignedIn)


def test_a_code_may_be_tried_five_times(database: Database) -> None:
    with transaction(database) as tx:
        ask(tx, ALICE)
        code = mailed_code(tx, ALICE)
    for left in (4, 3, 2, 1, 0):
        with transaction(database) as tx:
            refused = _by_code(tx, _wrong(code))
        assert refused == NotSignedIn(reason="wrong-code", tries_left=left)
    with transaction(database) as tx:
        assert _by_code(tx, code) == NotSignedIn(reason="too-many-tries", tries_left=0)


def test_tries_at_once_are_counted_one_by_one(database: Database) -> None:
    with transaction(database) as tx:
        ask(tx, ALICE)
        code = mailed_code(tx, ALICE)

    def guess(_: int) -> str:
        with transaction(database) as tx:
            outcome = _by_code(tx, _wrong(code))
        assert isinstance(outcome, NotSignedIn)
        return outcome.reason

    with ThreadPoolExecutor(8) as pool:
        reasons = list(pool.map(guess, range(12)))
    assert reasons.count("wrong-code") == 5


def test_a_try_waits_for_the_one_before_it(database: Database) -> None:
    with transaction(database) as tx:
        ask(tx, ALICE)
        code = mailed_code(tx, ALICE)

    def guess() -> SignedIn | NotSignedIn:
        with transaction(database) as tx:
            return _by_code(tx, _wrong(code))

    with ThreadPoolExecutor(1) as pool:
        with transaction(database) as tx:
            _by_code(tx, _wrong(code))
            second = pool.submit(guess)
            assert not wait([second], timeout=0.3).done
        assert second.result() == NotSignedIn(reason="wrong-code", tries_left=3)


def _codes(database: Database, letters: int) -> list[str]:
    """The codes of this many letters for which Alice asked, one after another."""
    codes = []
    for _ in range(letters):
        with transaction(database) as tx:
            ask(tx, ALICE)
            codes.append(mailed_code(tx, ALICE))
    return codes


@pytest.mark.parametrize("letter", [0, 1, 2])
def test_the_code_of_every_letter_is_good_once_however_often_one_asked(
    database: Database, letter: int
) -> None:
    code = _codes(database, 3)[letter]
    with transaction(database) as tx:
        assert isinstance(_by_code(tx, code), SignedIn)
    with transaction(database) as tx:
        assert _by_code(tx, code) == NotSignedIn(reason="wrong-code", tries_left=4)


def test_the_first_letter_grows_old_before_the_second(database: Database) -> None:
    first, second = _codes(database, 1)[0], NOON + timedelta(minutes=1)
    with transaction(database) as tx:
        ask(tx, ALICE, now=second)
        refused = _by_code(tx, first, now=LATE)
        assert refused == NotSignedIn(reason="wrong-code", tries_left=4)
        assert isinstance(_by_code(tx, mailed_code(tx, ALICE), now=LATE), SignedIn)


@pytest.mark.parametrize(
    "letters, tries", [(1, [5]), (2, [5] * 2), (4, [5] * 4), (6, [4] * 2 + [3] * 4)]
)
def test_no_number_of_letters_gives_more_guesses_than_a_code_and_a_day_have(
    database: Database, letters: int, tries: list[int]
) -> None:
    _codes(database, letters)
    told = []
    while not told or told[-1].tries_left:
        with transaction(database) as tx:
            answer = _by_code(tx, "no code")
        assert isinstance(answer, NotSignedIn)
        told.append(answer)
    assert [answer.tries_left for answer in told] == list(range(len(told)))[::-1]
    with transaction(database) as tx:
        assert sorted(tx.connection.execute(select(SignIn.tries)).scalars()) == sorted(tries)
        shut = "too-many-tries" if letters < 4 else "guessed-at"
        assert _by_code(tx, "no code") == NotSignedIn(reason=shut, tries_left=0)


def test_a_letter_that_came_after_wrong_codes_has_all_its_tries(database: Database) -> None:
    [first] = _codes(database, 1)
    with transaction(database) as tx:
        for _ in range(5):
            _by_code(tx, "no code")
    [second] = _codes(database, 1)
    with transaction(database) as tx:
        assert _by_code(tx, first) == NotSignedIn(reason="wrong-code", tries_left=4)
        assert isinstance(_by_code(tx, second), SignedIn)


def test_a_code_of_another_address_is_not_taken_for_this_one(database: Database) -> None:
    [code] = _codes(database, 1)
    with transaction(database) as tx:
        ask(tx, BOB, browser=ALICE.browser)
        assert _by_code(tx, code) == NotSignedIn(reason="wrong-code", tries_left=4)


def test_guessing_in_ever_new_browsers_ends_after_twenty_tries_a_day(database: Database) -> None:
    tries = 0
    for number in range(5):
        browser = f"browser-{number}"
        with transaction(database) as tx:
            ask(tx, ALICE, browser=browser)
            for _ in range(5):
                outcome = _by_code(tx, "not a code", browser=browser)
                assert isinstance(outcome, NotSignedIn)
                tries += outcome.reason == "wrong-code"
    assert tries == 20


def test_the_last_try_of_a_day_is_told_as_the_last(database: Database) -> None:
    left = []
    for number in range(5):
        browser = f"browser-{number}"
        with transaction(database) as tx:
            ask(tx, ALICE, browser=browser)
            left += [_by_code(tx, "no", browser=browser) for _ in range(4)]
    assert left[-1] == NotSignedIn(reason="wrong-code", tries_left=0)


def test_a_right_code_is_not_taken_while_others_guess_and_again_a_day_later(
    database: Database,
) -> None:
    test_guessing_in_ever_new_browsers_ends_after_twenty_tries_a_day(database)
    with transaction(database) as tx:
        ask(tx, ALICE)
        code = mailed_code(tx, ALICE)
        assert _by_code(tx, code) == NotSignedIn(reason="guessed-at", tries_left=0)
    tomorrow = NOON + timedelta(days=1)
    with transaction(database) as tx:
        ask(tx, ALICE, now=tomorrow)
        assert isinstance(_by_code(tx, mailed_code(tx, ALICE), now=tomorrow), SignedIn)


def test_an_address_without_an_account_is_shut_in_the_same_way(database: Database) -> None:
    sign_in_guest(database, BOB)
    for who in (ALICE, BOB):
        for number in range(5):
            browser = f"{who.name}-{number}"
            with transaction(database) as tx:
                ask(tx, who, browser=browser)
                answers = [_by_code(tx, "no", browser=browser) for _ in range(5)]
        assert answers[0] == NotSignedIn(reason="guessed-at", tries_left=0), who.name


def test_whose_code_was_guessed_at_still_signs_in_by_link(database: Database) -> None:
    test_guessing_in_ever_new_browsers_ends_after_twenty_tries_a_day(database)
    with transaction(database) as tx:
        ask(tx, ALICE)
        assert isinstance(_by_link(tx, _mailed_link(tx)), SignedIn)


def test_an_address_gets_ten_mails_an_hour_and_nobody_is_told(database: Database) -> None:
    for _ in range(12):
        with transaction(database) as tx:
            ask(tx, ALICE)
    assert _letters(database) == 10
    with transaction(database) as tx:
        ask(tx, ALICE, now=NOON + timedelta(minutes=61))
    assert _letters(database) == 11


def test_asking_at_once_cannot_pass_the_limit(database: Database) -> None:
    def press(_: int) -> None:
        with transaction(database) as tx:
            ask(tx, ALICE)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(press, range(20)))
    assert _letters(database) == 10


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
def test_what_is_no_address_is_refused_as_a_field(database: Database, address: str) -> None:
    with transaction(database) as tx, pytest.raises(FieldErrors) as refused:
        ask(tx, ALICE._replace(address=address))
    assert refused.value.errors[0].field == "address"
    assert _letters(database) == 0


def test_nothing_that_signs_in_lies_in_the_database(database: Database) -> None:
    with transaction(database) as tx:
        ask(tx, ALICE)
        token, code = _mailed_link(tx), mailed_code(tx, ALICE)
        outcome = _by_code(tx, code)
        assert isinstance(outcome, SignedIn)
        stored_rows = repr(
            [
                tx.connection.execute(select(table)).all()
                for table in (SignIn, Session, Notification)
            ]
        )
    assert token not in stored_rows
    assert f"'{code}'" not in stored_rows
    assert outcome.token not in stored_rows
    assert outcome.token not in repr(outcome)


def test_a_session_knows_its_person_until_it_expires(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    with read_only(database) as tx:
        assert sign_in.person_for(tx, alice.cookie, now=NOON) == alice.person
        late = NOON + SESSION_LIFETIME
        assert sign_in.person_for(tx, alice.cookie, now=late) is None
        for nobody in (None, "", "made up", "\ud800"):
            assert sign_in.person_for(tx, nobody, now=NOON) is None


def test_old_sign_ins_and_sessions_are_forgotten(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    with transaction(database) as tx:
        assert sign_in.forget_old(tx, now=NOON + timedelta(days=1)) == 0
        assert sign_in.forget_old(tx, now=NOON + timedelta(days=3)) == 1
        assert sign_in.forget_old(tx, now=NOON + SESSION_LIFETIME) == 1
        assert sign_in.person_for(tx, alice.cookie, now=NOON) is None
        assert tx.connection.execute(select(Account.id)).all()


def _letters(database: Database) -> int:
    with transaction(database) as tx:
        return len(tx.connection.execute(select(Notification.id)).all())
