"""Outages are found when the health of the site is measured, and excuse the turns that ran out of time meanwhile."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy import select, text

from tests.support.acts import site_moderator
from tests.support.calls import sweep_with_calls_sent
from tests.support.factories import DAY, Guest
from tests.support.transactions import NOON, pick_first, transaction
from webapp.accounts.schema import Account
from webapp.kernel.tx import Database
from webapp.moderation.person_page import person_page
from webapp.operations import health, maintenance
from webapp.operations.queries import outages
from webapp.operations.schema import Outage
from webapp.play.views.history_page import history_page

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)


def take_health_samples(database: Database, *instants: datetime) -> None:
    for instant in instants:
        with transaction(database, instant) as tx:
            health.take_sample(tx)


def stored_outages(database: Database) -> list[tuple[str, datetime, datetime]]:
    with transaction(database) as tx:
        query = select(Outage.kind, Outage.began_at, Outage.ended_at).order_by(Outage.began_at)
        return [tuple(row) for row in tx.execute(query)]


def late_percent_of(database: Database, guest: Guest) -> int | None:
    """Return the share of late turns after the clock has played for the guest."""
    with transaction(database) as tx:
        assert (
            sweep_with_calls_sent(tx, now=NOON + 2 * DAY, random_below=pick_first).expired_count
            == 1
        )
    return shown_late_percent(database, guest)


def shown_late_percent(database: Database, guest: Guest) -> int | None:
    mo = site_moderator(database)
    with transaction(database, NOON + 2 * DAY) as tx:
        ref = tx.connection.scalars(select(Account.ref).where(Account.id == guest.person.id)).one()
        return person_page(tx, mo.person, ref).late_percent


def record_outage(database: Database, kind: str, began_at: datetime, ended_at: datetime) -> None:
    with transaction(database) as tx:
        outages.record(tx, kind, began_at=began_at, ended_at=ended_at)


def test_time_without_workers_is_an_outage(database: Database) -> None:
    take_health_samples(database, NOON, NOON + 10 * MINUTE, NOON + 3 * HOUR)
    assert stored_outages(database) == [("workers", NOON + 15 * MINUTE, NOON + 3 * HOUR)]


def test_short_gap_and_first_start_are_no_outage(database: Database) -> None:
    take_health_samples(database, NOON, NOON + 15 * MINUTE)
    assert stored_outages(database) == []


def test_emails_that_cannot_be_sent_are_an_outage_until_one_is_sent(
    database: Database, slug: str
) -> None:
    take_health_samples(database, *(NOON + minutes * MINUTE for minutes in range(0, 60, 5)))
    assert slug
    assert stored_outages(database) == [("mail", NOON, NOON + 55 * MINUTE)]
    with transaction(database) as tx:
        tx.execute(
            text(
                "UPDATE notification SET status = 'sent', settled_at = :at WHERE id IN (SELECT min(id) FROM notification)"
            ),
            {"at": NOON + 59 * MINUTE},
        )
    take_health_samples(database, NOON + 60 * MINUTE)
    assert stored_outages(database) == [("mail", NOON, NOON + 55 * MINUTE)]


@pytest.mark.parametrize("is_stranger", [True, False])
def test_address_that_delays_its_emails_is_no_outage(
    database: Database, slug: str, *, is_stranger: bool
) -> None:
    assert slug
    with transaction(database) as tx:
        tx.execute(
            text(
                "UPDATE notification SET status = 'sent', settled_at = :at"
                " WHERE id > (SELECT min(id) FROM notification)"
            ),
            {"at": NOON + (-HOUR if is_stranger else HOUR)},
        )
        if is_stranger:
            tx.execute(text("UPDATE notification SET account_id = NULL WHERE status = 'pending'"))
    take_health_samples(database, *(NOON + minutes * MINUTE for minutes in range(65, 180, 5)))
    assert stored_outages(database) == []


def test_old_outages_are_deleted(database: Database) -> None:
    record_outage(database, outages.MAIL, NOON, NOON + HOUR)
    with transaction(database, NOON + 99 * DAY) as tx:
        health.thin_samples(tx)
    assert len(stored_outages(database)) == 1
    with transaction(database, NOON + 101 * DAY) as tx:
        health.thin_samples(tx)
    assert stored_outages(database) == []


@pytest.mark.parametrize("kind", [outages.WORKERS, outages.MAIL])
def test_turn_during_an_outage_is_not_late(
    database: Database, guests: list[Guest], slug: str, kind: str
) -> None:
    assert slug
    record_outage(database, kind, NOON + 20 * HOUR, NOON + 22 * HOUR)
    assert late_percent_of(database, guests[0]) == 0


def test_turn_during_maintenance_is_not_late(
    database: Database, guests: list[Guest], slug: str
) -> None:
    assert slug
    with transaction(database) as tx:
        maintenance.begin(tx.at(NOON + 20 * HOUR))
        maintenance.end(tx.at(NOON + 21 * HOUR))
        while maintenance.shift_next_games(tx.at(NOON + 22 * HOUR)):
            pass
    assert late_percent_of(database, guests[0]) == 0


def test_history_of_a_game_shows_maintenance_since_its_deal(
    database: Database, guests: list[Guest], slug: str
) -> None:
    for began_at in (NOON - 5 * HOUR, NOON + 20 * HOUR):
        with transaction(database) as tx:
            maintenance.begin(tx.at(began_at))
            maintenance.end(tx.at(began_at + HOUR))
            while maintenance.shift_next_games(tx.at(began_at + HOUR)):
                pass
    with transaction(database, NOON + DAY) as tx:
        page = history_page(tx, slug, guests[0].person)
    periods = [(period.began_at, period.ended_at) for period in page.maintenance]
    assert periods == [(NOON + 20 * HOUR, NOON + 21 * HOUR)]


def test_outage_before_the_turn_excuses_nothing(
    database: Database, guests: list[Guest], slug: str
) -> None:
    assert slug
    record_outage(database, outages.WORKERS, NOON - 2 * HOUR, NOON - HOUR)
    assert late_percent_of(database, guests[0]) == 100


def test_outage_excuses_only_the_turn_that_it_interrupted(
    database: Database, guests: list[Guest], slug: str
) -> None:
    assert slug
    record_outage(database, outages.WORKERS, NOON + 20 * HOUR, NOON + 22 * HOUR)
    for days in (1, 2, 3):
        with transaction(database) as tx:
            assert (
                sweep_with_calls_sent(
                    tx, now=NOON + days * DAY, random_below=pick_first
                ).expired_count
                == 1
            )
    assert [shown_late_percent(database, guest) for guest in guests[:3]] == [0, 100, 100]
