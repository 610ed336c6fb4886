import pytest
from sqlalchemy import func, insert, select, text
from sqlalchemy.exc import DBAPIError

from tests.support.cast import ALICE
from tests.support.factories import request_sign_in_email, sign_in_guest
from tests.support.transactions import NOON, late_transaction, read_only, transaction
from webapp.accounts.sessions import person_for
from webapp.kernel.refusals import Unavailable
from webapp.kernel.statements import Statement
from webapp.kernel.tx import Database, Tx, savepoint
from webapp.mail.schema import Notification, OptOut

pytestmark = pytest.mark.own_database


_SUICIDE = Statement(lambda: select(func.pg_terminate_backend(func.pg_backend_pid())))
_OPEN_TRANSACTION = Statement(
    lambda: select(func.statement_timestamp() > func.transaction_timestamp())
)


def _notified_accounts(tx: Tx) -> int:
    return tx.execute(select(func.count()).select_from(Notification)).scalar_one()


def _request_and_fail(tx: Tx) -> None:
    request_sign_in_email(tx, ALICE)
    raise KeyError


def test_transaction_commits_at_the_end_of_its_block(database: Database) -> None:
    with transaction(database) as tx:
        request_sign_in_email(tx, ALICE)
        with transaction(database) as other_tx:
            assert _notified_accounts(other_tx) == 0
    with transaction(database) as tx:
        assert _notified_accounts(tx) == 1


def test_exception_rolls_the_transaction_back(database: Database) -> None:
    with pytest.raises(KeyError), transaction(database) as tx:
        _request_and_fail(tx)
    with transaction(database) as tx:
        assert _notified_accounts(tx) == 0


def test_savepoint_undoes_only_its_own_block(database: Database) -> None:
    with transaction(database) as tx:
        request_sign_in_email(tx, ALICE)
        with pytest.raises(KeyError), savepoint(tx):
            _request_and_fail(tx)
    with transaction(database) as tx:
        assert _notified_accounts(tx) == 1


def test_read_only_refuses_changes(database: Database) -> None:
    with read_only(database) as tx, pytest.raises(DBAPIError, match="read-only"):
        tx.execute(insert(OptOut).values(address="a@example.test", scope="everything", at=NOON))
    with read_only(database) as tx, pytest.raises(DBAPIError, match="read-only"):
        request_sign_in_email(tx, ALICE)


def test_unreachable_database_raises_unavailable() -> None:
    unreachable_database = Database("postgresql://user@127.0.0.1:1/nothing")
    with pytest.raises(Unavailable), transaction(unreachable_database):
        pass
    with pytest.raises(Unavailable), read_only(unreachable_database):
        pass
    unreachable_database.dispose()


def test_cut_connection_raises_unavailable_once_and_is_replaced(
    database: Database,
) -> None:
    alice = sign_in_guest(database, ALICE)
    with transaction(database) as tx:
        terminate_statement = text(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        tx.execute(terminate_statement)
    with read_only(database) as tx:
        assert person_for(tx, alice.cookie) == alice.person
    with pytest.raises(Unavailable), transaction(database) as tx:
        tx.connection.exec_driver_sql("SELECT pg_terminate_backend(pg_backend_pid())")
    with transaction(database) as tx:
        assert person_for(tx, alice.cookie) == alice.person


def test_connection_that_is_cut_under_a_lone_statement_is_replaced(
    database: Database,
) -> None:
    with pytest.raises(Unavailable), late_transaction(database) as tx:
        _SUICIDE.run_alone(tx)
    with late_transaction(database) as tx:
        assert _OPEN_TRANSACTION.run_alone(tx) == [(False,)]


def test_late_transaction_begins_with_the_first_statement_that_needs_it(
    database: Database,
) -> None:
    with late_transaction(database) as tx:
        assert _OPEN_TRANSACTION.run_alone(tx) == [(False,)]
        request_sign_in_email(tx, ALICE)
        assert _OPEN_TRANSACTION.run_alone(tx) == [(True,)]
    with transaction(database) as tx:
        assert _notified_accounts(tx) == 1


def test_late_transaction_is_rolled_back_on_an_exception(database: Database) -> None:
    with pytest.raises(KeyError), late_transaction(database) as tx:
        _request_and_fail(tx)
    with transaction(database) as tx:
        assert _notified_accounts(tx) == 0


def test_nothing_can_follow_what_was_committed_alone(database: Database) -> None:
    with late_transaction(database) as tx:
        tx.end_alone()
        with pytest.raises(AssertionError):
            request_sign_in_email(tx, ALICE)
    with transaction(database) as tx:
        assert _notified_accounts(tx) == 0


def test_statement_timeout_raises_unavailable(database: Database) -> None:
    with pytest.raises(Unavailable), transaction(database) as tx:
        tx.connection.exec_driver_sql("SET LOCAL statement_timeout = 20; SELECT pg_sleep(5)")


def test_every_connection_has_time_limits(database: Database) -> None:
    for open_transaction in (transaction, read_only):
        with open_transaction(database) as tx:
            time_limits = [
                tx.connection.exec_driver_sql(f"SHOW {name}").scalar_one()
                for name in ("statement_timeout", "lock_timeout", "timezone")
            ]
        assert time_limits == ["10s", "5s", "UTC"]


def test_errors_do_not_show_statement_parameters(database: Database) -> None:
    with transaction(database) as tx, pytest.raises(DBAPIError) as error_info:
        tx.execute(text("SELECT 1 / :nought"), {"nought": 0, "hand": "path-trbl"})
    assert "path-trbl" not in str(error_info.value)
