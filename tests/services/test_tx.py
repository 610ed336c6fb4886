import pytest
from sqlalchemy import func, insert, select, text
from sqlalchemy.exc import DBAPIError

from tests.support.cast import ALICE
from tests.support.factories import NOON, request_sign_in_email, sign_in_guest
from webapp.services.accounts.sessions import person_for
from webapp.services.errors import Unavailable
from webapp.services.tx import Database, Tx, read_only, savepoint, transaction
from webapp.store.schema.notifications import Notification, OptOut


def _letters(tx: Tx) -> int:
    return tx.connection.execute(select(func.count()).select_from(Notification)).scalar_one()


def _ask_and_fail(tx: Tx) -> None:
    request_sign_in_email(tx, ALICE)
    raise KeyError


def test_a_transaction_is_true_at_its_clean_end(database: Database) -> None:
    with transaction(database) as tx:
        request_sign_in_email(tx, ALICE)
        with transaction(database) as other:
            assert _letters(other) == 0
    with transaction(database) as tx:
        assert _letters(tx) == 1


def test_an_exception_undoes_all_of_it(database: Database) -> None:
    with pytest.raises(KeyError), transaction(database) as tx:
        _ask_and_fail(tx)
    with transaction(database) as tx:
        assert _letters(tx) == 0


def test_a_savepoint_undoes_only_what_was_done_in_it(database: Database) -> None:
    with transaction(database) as tx:
        request_sign_in_email(tx, ALICE)
        with pytest.raises(KeyError), savepoint(tx):
            _ask_and_fail(tx)
    with transaction(database) as tx:
        assert _letters(tx) == 1


def test_what_only_looks_can_change_nothing(database: Database) -> None:
    with read_only(database) as tx, pytest.raises(DBAPIError, match="read-only"):
        tx.connection.execute(
            insert(OptOut).values(address="a@example.test", scope="everything", at=NOON)
        )
    with read_only(database) as tx, pytest.raises(DBAPIError, match="read-only"):
        request_sign_in_email(tx, ALICE)


def test_a_database_that_is_gone_is_unavailable_and_not_a_fault() -> None:
    nowhere = Database("postgresql://nobody@127.0.0.1:1/nothing")
    with pytest.raises(Unavailable), transaction(nowhere):
        pass
    with pytest.raises(Unavailable), read_only(nowhere):
        pass
    nowhere.dispose()


def test_a_connection_that_was_cut_is_unavailable_once_and_then_made_anew(
    database: Database,
) -> None:
    alice = sign_in_guest(database, ALICE)
    with transaction(database) as tx:
        cut = text(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        tx.connection.execute(cut)
    with read_only(database) as tx:
        assert person_for(tx, alice.cookie, now=NOON) == alice.person
    with pytest.raises(Unavailable), transaction(database) as tx:
        tx.connection.exec_driver_sql("SELECT pg_terminate_backend(pg_backend_pid())")
    with transaction(database) as tx:
        assert person_for(tx, alice.cookie, now=NOON) == alice.person


def test_a_statement_that_takes_too_long_is_unavailable(database: Database) -> None:
    with pytest.raises(Unavailable), transaction(database) as tx:
        tx.connection.exec_driver_sql("SET LOCAL statement_timeout = 20; SELECT pg_sleep(5)")


def test_every_connection_has_its_time_limits(database: Database) -> None:
    for opened in (transaction, read_only):
        with opened(database) as tx:
            limits = [
                tx.connection.exec_driver_sql(f"SHOW {name}").scalar_one()
                for name in ("statement_timeout", "lock_timeout", "timezone")
            ]
        assert limits == ["10s", "5s", "UTC"]


def test_the_parameters_of_a_statement_stand_in_no_error(database: Database) -> None:
    with transaction(database) as tx, pytest.raises(DBAPIError) as failed:
        tx.connection.execute(text("SELECT 1 / :nought"), {"nought": 0, "hand": "path-trbl"})
    assert "path-trbl" not in str(failed.value)
