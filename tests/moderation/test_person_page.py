"""Reliability on the page of a person."""

import pytest

from tests.support.acts import site_moderator
from tests.support.calls import sweep_with_calls_sent
from tests.support.factories import DAY, Guest
from tests.support.moderation import set_turn_email_status
from tests.support.transactions import NOON, pick_first, transaction
from webapp.kernel.tx import Database
from webapp.moderation.person_page import PersonPage, person_page


def page_of(database: Database, guest: Guest) -> PersonPage:
    mo = site_moderator(database)
    with transaction(database, NOON + DAY) as tx:
        query = "SELECT ref FROM account WHERE id = %s"
        ref = tx.connection.exec_driver_sql(query, (guest.person.id,)).scalar_one()
        return person_page(tx, mo.person, ref)


@pytest.mark.parametrize(
    "status, reason, late_percent",
    [
        ("sent", None, 100),
        ("failed", "550 no such user", 0),
        ("dropped", "moved-on", 0),
        ("dropped", "unsubscribed", 100),
    ],
)
def test_turn_whose_email_was_not_delivered_is_not_late(
    database: Database,
    guests: list[Guest],
    slug: str,
    status: str,
    reason: str | None,
    late_percent: int,
) -> None:
    set_turn_email_status(database, slug, status, reason=reason, at=NOON)
    with transaction(database) as tx:
        assert sweep_with_calls_sent(tx, now=NOON + DAY, random_below=pick_first).expired_count == 1
    assert page_of(database, guests[0]).late_percent == late_percent
