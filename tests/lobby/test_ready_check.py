from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest

from engine.commitments import thaw
from engine.rulebook import HouseRules
from tests.support.factories import (
    Guest,
    confirm_ready,
    open_table,
    seat_guest,
    stored_game,
    table_settings,
)
from tests.support.lobby_actions import denial_of, lobby_of, queued_emails, take_lobby_action
from tests.support.outbox_steps import mark_all_sent
from tests.support.transactions import NOON, transaction
from webapp.kernel.refusals import DenialReason, FieldErrors
from webapp.kernel.tx import Database
from webapp.lobby.ready_check import EMAIL_DELAY, UNDELAYED_CHECK_COUNT
from webapp.mail.outbox.delivery import claim
from webapp.mail.preparation import prepare_emails


def test_full_table_emails_a_ready_check_to_everyone(
    database: Database, guests: list[Guest]
) -> None:
    slug = open_table(database, guests[0])
    seat_guest(database, slug, guests[1])
    assert queued_emails(database, "ready-check") == []
    seat_guest(database, slug, guests[2])
    assert lobby_of(database, slug, guests[0]).table.status == "ready-check"
    assert queued_emails(database, "ready-check") == [(guest.person.id, 1) for guest in guests]


def test_cards_are_dealt_when_the_last_person_is_ready(
    database: Database, guests: list[Guest]
) -> None:
    slug = open_table(database, guests[0])
    for guest in guests[1:]:
        seat_guest(database, slug, guest)
    assert [confirm_ready(database, slug, guest) for guest in guests] == [False, False, True]
    game = stored_game(database, slug, guests[0])
    assert (game.status, game.seq, game.row.round) == ("running", 0, 1)
    assert [account_id for account_id, _ in queued_emails(database, "dealt")] == [
        guest_on_turn.person.id for guest_on_turn in guests
    ]
    assert len(queued_emails(database, "your-turn")) == 1


def test_freeze_record_contains_settings_names_and_salts(
    database: Database, guests: list[Guest]
) -> None:
    slug = open_table(
        database, guests[0], table_settings(house=HouseRules(open_gold=True), starter=2)
    )
    for guest in guests[1:]:
        seat_guest(database, slug, guest)
    for guest, salt in zip(guests, ("pepper", "a b", "s\u0101ls"), strict=True):
        confirm_ready(database, slug, guest, salt=salt)
    record = stored_game(database, slug, guests[0]).row.freeze_record
    assert record is not None
    frozen_table = thaw(record)
    assert (frozen_table.game, frozen_table.rulebook, frozen_table.starter) == (slug, "en-2004", 2)
    assert frozen_table.house == HouseRules(open_gold=True)
    assert [(seat.name, seat.salt.decode()) for seat in frozen_table.seats] == [
        ("Alice", "pepper"),
        ("Bob", "a b"),
        ("Carol", "s\u0101ls"),
    ]


def test_concurrent_confirmations_deal_once(database: Database, guests: list[Guest]) -> None:
    slug = open_table(database, guests[0])
    for guest in guests[1:]:
        seat_guest(database, slug, guest)
    with ThreadPoolExecutor(3) as pool:
        dealt = list(pool.map(lambda guest: confirm_ready(database, slug, guest), guests))
    assert sorted(dealt) == [False, False, True]
    assert stored_game(database, slug, guests[0]).seq == 0


@pytest.mark.parametrize(
    "salt, code",
    [
        ("x" * 65, "too-long"),
        ("\u0101" * 33, "too-long"),
        ("a\nb", "control-characters"),
        ("\ud800", "control-characters"),
        ("\0", "control-characters"),
    ],
)
def test_long_or_unprintable_salt_is_refused(
    database: Database, guests: list[Guest], salt: str, code: str
) -> None:
    slug = open_table(database, guests[0])
    for guest in guests[1:]:
        seat_guest(database, slug, guest)
    with pytest.raises(FieldErrors) as error_info:
        confirm_ready(database, slug, guests[0], salt=salt)
    assert [(error.field, error.code) for error in error_info.value.errors] == [("salt", code)]
    assert not lobby_of(database, slug, guests[0]).seats[0].is_ready


def test_readiness_can_be_withdrawn(database: Database, guests: list[Guest]) -> None:
    slug = open_table(database, guests[0])
    for guest in guests[1:]:
        seat_guest(database, slug, guest)
    confirm_ready(database, slug, guests[0])
    take_lobby_action(database, slug, guests[0], "withdraw_ready")
    assert [confirm_ready(database, slug, guest) for guest in guests[1:]] == [False, False]
    assert confirm_ready(database, slug, guests[0])


def test_taking_and_leaving_a_seat_repeatedly_sends_a_limited_number_of_emails(
    database: Database, guests: list[Guest]
) -> None:
    slug = open_table(database, guests[0], table_settings(public=True))
    seat_guest(database, slug, guests[1])
    emailed_check_count = 0
    for _ in range(2 * UNDELAYED_CHECK_COUNT):
        seat_guest(database, slug, guests[2])
        emailed_check_count += _send_ready_checks(database, now=NOON) == [1, 1, 1]
        take_lobby_action(database, slug, guests[2], "leave_seat")
    assert emailed_check_count == UNDELAYED_CHECK_COUNT
    seat_guest(database, slug, guests[2])
    assert _send_ready_checks(database, now=NOON) == []
    assert _send_ready_checks(database, now=NOON + EMAIL_DELAY) == [1, 1, 1]
    assert len(queued_emails(database, "ready-check")) == 3 * (UNDELAYED_CHECK_COUNT + 1)
    assert lobby_of(database, slug, guests[0]).permitted_actions >= {"confirm-ready"}


def test_newest_ready_check_is_emailed_even_when_the_counter_is_at_its_limit(
    database: Database, guests: list[Guest]
) -> None:
    slug = open_table(database, guests[0])
    for guest in guests[1:]:
        seat_guest(database, slug, guest)
    with transaction(database) as tx:
        tx.connection.exec_driver_sql("UPDATE game SET ready_check_count = 32767")
    for turn in (1, 2):
        later = NOON + EMAIL_DELAY * turn
        take_lobby_action(database, slug, guests[0], "choose_starter", seat=turn, now=later)
        assert _send_ready_checks(database, now=later + EMAIL_DELAY - timedelta(seconds=1)) == []
        take_lobby_action(database, slug, guests[0], "choose_starter", seat=None, now=later)
        assert _send_ready_checks(database, now=later + EMAIL_DELAY) == [1, 1, 1]
        assert lobby_of(database, slug, guests[0]).table.starter is None


def _send_ready_checks(database: Database, *, now: datetime) -> list[int]:
    """Send the emails that are due and return how many ready-checks each person got."""
    with transaction(database, now) as tx:
        outgoing = prepare_emails(tx, claim(tx, limit=1000))
        mark_all_sent(tx, [email.claim for email in outgoing])
    recipient_counts = Counter(
        email.address for email in outgoing if email.claim.kind == "ready-check"
    )
    return sorted(recipient_counts.values())


def test_confirming_is_refused_while_seats_are_free(
    database: Database, guests: list[Guest]
) -> None:
    slug = open_table(database, guests[0])
    assert denial_of(database, slug, guests[0], "confirm_ready") is DenialReason.FREE_SEATS
