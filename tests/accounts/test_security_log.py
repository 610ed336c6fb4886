import logging
from datetime import timedelta

import pytest

from tests.support.cast import ALICE
from tests.support.factories import Guest, sign_in_guest
from tests.support.transactions import NOON, transaction
from webapp.accounts import security_log
from webapp.accounts.security_log import SecurityEventKind
from webapp.kernel.tx import Database
from webapp.moderation.queries import security_events
from webapp.moderation.queries.ledger import NewLedgerEntry
from webapp.moderation.queries.security_events import SecurityEventRow
from webapp.privacy.retention import apply_retention


@pytest.fixture
def alice(database: Database) -> Guest:
    return sign_in_guest(database, ALICE)


def events(database: Database, **selection: str | int) -> tuple[SecurityEventRow, ...]:
    with transaction(database) as tx:
        return security_events.newest_events(tx, limit=50, **selection)  # type: ignore[arg-type]


def record_export(database: Database, guest: Guest, *, now: object = NOON) -> None:
    with transaction(database, now) as tx:
        security_log.record(
            tx,
            SecurityEventKind.DATA_EXPORTED,
            account_id=guest.person.id,
            network_address="192.0.2.7",
            detail={"games": 3},
        )


def test_event_is_listed_and_logged_without_addresses(
    database: Database, alice: Guest, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="lodepost.security")
    record_export(database, alice)
    [event] = events(database, kind="data-exported")
    assert (event.name, event.network_address, event.detail) == (
        "Alice",
        "192.0.2.7",
        {"games": 3},
    )
    line = caplog.messages[-1]
    assert line == f"kind=data-exported account={alice.person.id} event={event.id}"


def record_and_fail(database: Database, guest: Guest) -> None:
    with transaction(database) as tx:
        security_log.record(tx, SecurityEventKind.PEEK, account_id=guest.person.id)
        raise ZeroDivisionError


def test_rolled_back_event_is_not_logged(
    database: Database, alice: Guest, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="lodepost.security")
    with pytest.raises(ZeroDivisionError):
        record_and_fail(database, alice)
    assert not [line for line in caplog.messages if "kind=peek" in line]
    assert events(database, kind="peek") == ()


def test_act_refers_to_its_ledger_entry_once(database: Database, alice: Guest) -> None:
    entry = NewLedgerEntry(
        act="extend",
        actor_id=alice.person.id,
        acted_as="host",
        reason="asked",
        form_id="form-1",
        at=NOON,
    )
    with transaction(database) as tx:
        entry_id = security_log.record_act(tx, entry)
        assert security_log.record_act(tx, entry) is None
    [event] = events(database, kind="act")
    assert entry_id is not None
    assert event.detail == {"act": "extend"}


def test_network_addresses_and_events_are_kept_for_a_limited_time(
    database: Database, alice: Guest
) -> None:
    for days in (400, 31, 29):
        record_export(database, alice, now=NOON - timedelta(days=days))
    with transaction(database) as tx:
        assert apply_retention(tx) == 3
    kept_addresses = [event.network_address for event in events(database, kind="data-exported")]
    assert kept_addresses == ["192.0.2.7", None]


def test_events_are_listed_by_person_and_page(database: Database, alice: Guest) -> None:
    for _ in range(3):
        record_export(database, alice)
    ref = events(database, kind="data-exported")[0].ref or ""
    newest = events(database, person_ref=ref, kind="data-exported")
    assert [event.id for event in newest] == sorted((event.id for event in newest), reverse=True)
    assert events(database, before_id=newest[1].id, kind="data-exported") == newest[2:]
    assert events(database, person_ref="none-such") == ()
