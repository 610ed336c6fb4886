"""Delayed emails by cause, and which of them keep the alarm of the site on."""

from datetime import datetime, timedelta

import pytest

from tests.support.factories import Guest
from tests.support.outbox_steps import mark_all_sent
from tests.support.transactions import NOON, transaction
from webapp.doctor.database import check_alarms
from webapp.kernel.email_outcomes import DelayCause
from webapp.kernel.tx import Database
from webapp.mail.outbox import delivery
from webapp.operations.alarms import alarm_counts, raise_alarm
from webapp.operations.health import backlog, site_health, site_status
from webapp.operations.mail_outages import delayed_email_counts

HOUR = timedelta(hours=1)
FULL = "452 4.2.2 mailbox full"


def delay_emails(
    database: Database, *, count: int, now: datetime, cause: DelayCause = "recipient"
) -> None:
    """Let so many emails of a deal be delayed, and all others be accepted before."""
    with transaction(database) as tx:
        claims = [claim for claim in delivery.claim(tx.at(now)) if claim.kind == "dealt"]
        mark_all_sent(tx.at(now - timedelta(seconds=1)), claims[count:])
        for claim in claims[:count]:
            delivery.postpone(tx.at(now), claim, code=FULL, cause=cause)
        tx.connection.exec_driver_sql(
            "DELETE FROM notification WHERE delay_cause IS NULL AND status = 'pending'"
        )


def is_alarm_on(database: Database, now: datetime) -> bool:
    """Return whether monitoring sees an old email; all its pages agree."""
    with transaction(database, now) as tx:
        age = backlog(tx).oldest_unsent_email
        assert site_health(tx).oldest_email.now == (age or timedelta(0)).total_seconds()
    return age is not None and age > timedelta(minutes=5)


def test_one_full_mailbox_keeps_no_alarm_on(database: Database, slug: str) -> None:
    delay_emails(database, count=1, now=NOON)
    assert not is_alarm_on(database, NOON + 100 * HOUR)


def test_many_delayed_people_are_an_alarm_until_an_email_is_accepted(
    database: Database, guests: list[Guest], slug: str
) -> None:
    delay_emails(database, count=3, now=NOON)
    assert is_alarm_on(database, NOON + HOUR)
    with transaction(database, NOON + HOUR) as tx:
        [claim, *_] = delivery.claim(tx)
        mark_all_sent(tx, [claim])
    assert not is_alarm_on(database, NOON + HOUR)


@pytest.mark.parametrize("cause", ["refused", "unreachable", "composing"])
def test_email_that_waits_for_the_operator_is_an_alarm(
    database: Database, slug: str, cause: DelayCause
) -> None:
    delay_emails(database, count=1, now=NOON, cause=cause)
    assert is_alarm_on(database, NOON + HOUR)


def test_delays_are_counted_and_explained_by_cause(database: Database, slug: str) -> None:
    delay_emails(database, count=2, now=NOON)
    with transaction(database) as tx:
        assert delayed_email_counts(tx) == {
            "recipient": 2,
            "refused": 0,
            "unreachable": 0,
            "composing": 0,
        }
        [result] = check_alarms(site_status(tx))
    assert result.status == "warning"
    assert "(recipient): 2, the oldest since 20" in result.message
    assert FULL in result.message


def test_alarm_is_logged_once_an_hour_and_counted_each_time(database: Database) -> None:
    minutes = (0, 30, 59, 60, 61, 119, 120)
    is_logged = []
    for minute in minutes:
        with transaction(database) as tx:
            now = NOON + timedelta(minutes=minute)
            is_logged.append(raise_alarm(tx.at(now), "dead-email"))
    assert is_logged == [True, False, False, True, False, False, True]
    with transaction(database) as tx:
        assert alarm_counts(tx)["dead-email"] == len(minutes)
        assert [result.status for result in check_alarms(site_status(tx.at(NOON + 2 * HOUR)))] == [
            "warning"
        ]
        assert [result.status for result in check_alarms(site_status(tx.at(NOON + 4 * HOUR)))] == [
            "ok"
        ]
