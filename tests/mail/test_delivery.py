from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from sqlalchemy import select, update

from tests.support.blocked_requests import wait_until_blocked_or_done
from tests.support.cast import BOB
from tests.support.factories import DAY, Guest, deal_game, play_turn
from tests.support.outbox_steps import (
    collect_email,
    collect_emails,
    dropped_reasons,
    mark_all_sent,
    store,
    stored_state,
)
from tests.support.transactions import NOON, read_only, transaction
from webapp.kernel.tx import Database
from webapp.mail.outbox.delivery import (
    LEASE_DURATION,
    MAX_RETRY_PERIOD,
    Claim,
    claim,
    give_up,
    postpone,
    postpone_unreachable,
    release_claims,
)
from webapp.mail.preparation import OutgoingEmail, prepare_emails
from webapp.mail.queries.outbox import NewNotification, enqueue
from webapp.mail.schema import Notification, StoredMessage
from webapp.operations.health import backlog


def test_queued_email_nudges_workers_only_if_it_is_due(database: Database) -> None:
    for delay, nudges in ((timedelta(minutes=1), set()), (timedelta(), {"emails"})):
        email = NewNotification(
            kind="warning", game_id=None, account_id=1, dedup_key=1, due_at=NOON + delay
        )
        with transaction(database) as tx:
            enqueue(tx, [])
            enqueue(tx, [email])
            assert tx.nudges == nudges


def test_message_is_stored_after_composing_and_erased_after_sending(
    database: Database, slug: str
) -> None:
    email = collect_email(database, "your-turn")
    with transaction(database) as tx:
        assert store(tx, email, "bytes") == {email.claim.id}
    assert stored_state(database, email.claim) == ("pending", None, "bytes")
    with transaction(database) as tx:
        mark_all_sent(tx, [email.claim])
    assert stored_state(database, email.claim) == ("sent", None, None)
    assert collect_emails(database, now=NOON + DAY) == []


@pytest.mark.parametrize("last_finished_step", ["claim", "prepare_emails", "store_messages"])
def test_email_is_sent_again_wherever_its_sender_died(
    database: Database, slug: str, last_finished_step: str
) -> None:
    email = collect_email(database, "your-turn")
    if last_finished_step == "store_messages":
        with transaction(database) as tx:
            store(tx, email, "the same bytes")
    assert collect_emails(database, now=NOON + LEASE_DURATION - timedelta(seconds=1)) == []
    resent_email = collect_email(database, "your-turn", now=NOON + LEASE_DURATION)
    assert resent_email.claim.attempts == 2
    if last_finished_step == "store_messages":
        assert resent_email.message is not None
        assert resent_email.message.text == "the same bytes"
    assert (resent_email.context is None) == (last_finished_step == "store_messages")


def test_damaged_message_is_composed_again(database: Database, slug: str) -> None:
    email = collect_email(database, "your-turn")
    with transaction(database) as tx:
        store(tx, email, "text")
        tx.execute(
            update(StoredMessage)
            .where(StoredMessage.notification_id == email.claim.id)
            .values(message=b"damaged")
        )
    resent_email = collect_email(database, "your-turn", now=NOON + LEASE_DURATION)
    assert resent_email.message is None
    assert resent_email.context == email.context


def test_stored_message_of_a_superseded_email_is_not_sent(
    database: Database, guests: list[Guest], slug: str
) -> None:
    email = collect_email(database, "your-turn")
    with transaction(database) as tx:
        store(tx, email, "bytes")
    play_turn(database, slug, guests[0])
    assert [email.address for email in collect_emails(database, now=NOON + LEASE_DURATION)] == [
        BOB.address
    ]
    assert stored_state(database, email.claim) == ("dropped", "moved-on", None)


def test_expired_lease_lets_another_sender_claim_the_row(database: Database, slug: str) -> None:
    slow_email = collect_email(database, "your-turn")
    second_sender_email = collect_email(database, "your-turn", now=NOON + LEASE_DURATION)
    with transaction(database, NOON + LEASE_DURATION) as tx:
        assert store(tx, slow_email, "slow") == frozenset()
        assert store(tx, second_sender_email, "quick") == {second_sender_email.claim.id}
        postpone(tx, slow_email.claim, code="450")
        give_up(tx, slow_email.claim, code="550")
        release_claims(tx, [slow_email.claim])
    assert stored_state(database, second_sender_email.claim) == ("pending", None, "quick")


def test_message_that_another_sender_stores_meanwhile_is_erased_with_the_others(
    database: Database, slug: str
) -> None:
    slow_email = collect_email(database, "your-turn")
    second_sender_email = collect_email(database, "your-turn", now=NOON + LEASE_DURATION)

    def mark_slow_email_sent() -> None:
        with transaction(database, NOON + LEASE_DURATION) as tx:
            mark_all_sent(tx, [slow_email.claim])

    with ThreadPoolExecutor(max_workers=1) as executor:
        with transaction(database, NOON + LEASE_DURATION) as tx:
            store(tx, second_sender_email, "late")
            marking = executor.submit(mark_slow_email_sent)
            wait_until_blocked_or_done(database, marking)
        marking.result()
    assert stored_state(database, slow_email.claim) == ("sent", None, None)


def test_released_claim_is_not_confused_with_the_next_claim(
    database: Database, guests: list[Guest], slug: str
) -> None:
    later_time = NOON + LEASE_DURATION + timedelta(seconds=1)
    slow_email = collect_email(database, "your-turn")
    lost_claim = collect_email(database, "your-turn", now=NOON + LEASE_DURATION)
    with transaction(database) as tx:
        release_claims(tx, [lost_claim.claim])
    assert_stale_claim_changes_nothing(database, slow_email, now=later_time)
    current_claim = collect_email(database, "your-turn", now=later_time)
    assert lost_claim.claim.attempts == current_claim.claim.attempts
    with transaction(database) as tx:
        assert store(tx, current_claim, "of the holder") == {current_claim.claim.id}
    assert_stale_claim_changes_nothing(database, slow_email, now=later_time)
    assert_stale_claim_changes_nothing(database, lost_claim, now=later_time)
    with transaction(database, later_time) as tx:
        give_up(tx, current_claim.claim, code="550")
    assert stored_state(database, current_claim.claim) == ("failed", "550", None)


def test_sender_with_an_expired_lease_does_not_drop_the_email(
    database: Database, guests: list[Guest], slug: str
) -> None:
    with transaction(database) as tx:
        after_last_retry = claim(tx)
    with transaction(database, NOON + LEASE_DURATION) as tx:
        claim(tx)
    play_turn(database, slug, guests[0], now=NOON + LEASE_DURATION)
    with transaction(database, NOON + LEASE_DURATION) as tx:
        prepare_emails(tx, after_last_retry)
    assert dropped_reasons(database, "your-turn") == []


def test_concurrent_senders_claim_every_row_once(database: Database, guests: list[Guest]) -> None:
    for _ in range(5):
        deal_game(database, guests)

    def claim_all_emails(_: int) -> list[int]:
        claimed_ids: list[int] = []
        while True:
            with transaction(database) as tx:
                claims = claim(tx, limit=3)
            if not claims:
                return claimed_ids
            claimed_ids += [claim.id for claim in claims]

    with ThreadPoolExecutor(4) as pool:
        claimed_ids = [
            number for numbers in pool.map(claim_all_emails, range(4)) for number in numbers
        ]
    with transaction(database) as tx:
        notification_ids = tx.execute(select(Notification.id)).scalars().all()
    assert sorted(claimed_ids) == sorted(notification_ids)


def test_postponed_email_is_retried_at_growing_intervals_and_then_fails(
    database: Database, slug: str
) -> None:
    now, retry_intervals = NOON, []
    while True:
        email = collect_email(database, "your-turn", now=now)
        with transaction(database, now) as tx:
            postpone(tx, email.claim, code="451 busy")
        if stored_state(database, email.claim)[0] == "failed":
            break
        due_time = due_at(database, email.claim)
        retry_intervals.append(due_time - now)
        now = due_time
    assert retry_intervals[:4] == [timedelta(seconds=seconds) for seconds in (30, 60, 120, 240)]
    assert max(retry_intervals) == timedelta(hours=1)
    assert MAX_RETRY_PERIOD <= now - NOON < MAX_RETRY_PERIOD + timedelta(hours=1)
    assert stored_state(database, email.claim) == ("failed", "451 busy", None)


def test_time_limit_for_retries_begins_with_the_first_attempt(
    database: Database, slug: str
) -> None:
    after_last_retry = NOON + 2 * MAX_RETRY_PERIOD
    with transaction(database) as tx:
        tx.connection.exec_driver_sql("UPDATE game SET deadline_at = '2030-01-01'")
    email = collect_email(database, "your-turn", now=after_last_retry)
    with transaction(database, after_last_retry) as tx:
        postpone(tx, email.claim, code="451 busy")
    assert stored_state(database, email.claim) == ("pending", "451 busy", None)
    assert due_at(database, email.claim) == after_last_retry + timedelta(seconds=30)


def test_email_is_never_given_up_while_the_relay_is_unreachable(
    database: Database, slug: str
) -> None:
    now, retry_intervals = NOON, []
    while now < NOON + MAX_RETRY_PERIOD + timedelta(hours=6):
        email = collect_email(database, "your-turn", now=now)
        with transaction(database, now) as tx:
            postpone_unreachable(tx, email.claim, code="refused")
        retry_intervals.append(due_at(database, email.claim) - now)
        now = due_at(database, email.claim)
    assert retry_intervals[:4] == [timedelta(seconds=seconds) for seconds in (30, 60, 120, 240)]
    assert retry_intervals[8:] == [timedelta(hours=1)] * len(retry_intervals[8:])
    with transaction(database, now) as tx:
        postpone(tx, collect_email(database, "your-turn", now=now).claim, code="450 greylisted")
    assert stored_state(database, email.claim) == ("pending", "450 greylisted", None)


def test_permanently_refused_email_fails_and_its_message_is_erased(
    database: Database, slug: str
) -> None:
    email = collect_email(database, "your-turn")
    with transaction(database) as tx:
        store(tx, email, "bytes")
        give_up(tx, email.claim, code="550 5.1.1")
    assert stored_state(database, email.claim) == ("failed", "550 5.1.1", None)


def test_released_claim_does_not_count_as_an_attempt(database: Database, slug: str) -> None:
    email = collect_email(database, "your-turn")
    with transaction(database) as tx:
        release_claims(tx, [email.claim])
    assert collect_email(database, "your-turn").claim.attempts == 1


def test_backlog_shows_the_age_of_the_oldest_pending_email(database: Database, slug: str) -> None:
    with read_only(database, NOON + DAY) as tx:
        assert backlog(tx).oldest_unsent_email == DAY
    with transaction(database) as tx:
        mark_all_sent(tx, claim(tx))
    with read_only(database, NOON + DAY) as tx:
        assert backlog(tx).oldest_unsent_email is None


def assert_stale_claim_changes_nothing(
    database: Database, after_last_retry: OutgoingEmail, *, now: datetime
) -> None:
    """Assert that a sender whose lease expired cannot change the row."""
    earlier_row = whole_row(database, after_last_retry.claim)
    with transaction(database, now) as tx:
        assert store(tx, after_last_retry, "too late") == frozenset()
        postpone(tx, after_last_retry.claim, code="450")
        give_up(tx, after_last_retry.claim, code="550")
        release_claims(tx, [after_last_retry.claim])
    assert whole_row(database, after_last_retry.claim) == earlier_row


def whole_row(database: Database, notification: Claim) -> tuple[object, ...]:
    with transaction(database) as tx:
        query = select(*Notification.__table__.columns, StoredMessage.message)
        query = query.outerjoin(StoredMessage, StoredMessage.notification_id == Notification.id)
        query = query.where(Notification.id == notification.id)
        return tuple(tx.execute(query).one())


def due_at(database: Database, notification: Claim) -> datetime:
    with transaction(database) as tx:
        query = select(Notification.due_at).where(Notification.id == notification.id)
        return tx.execute(query).scalar_one()
