"""The database knows which secret key belongs to it."""

from tests.support.transactions import read_only, transaction
from webapp.kernel.tx import Database
from webapp.operations.key_check import KeyState, check_key, is_expected_key

FIRST, SECOND, THIRD = ("f" * 32, "s" * 32, "t" * 32)


def check(database: Database, key: str, *old_keys: str) -> KeyState:
    with transaction(database) as tx:
        return check_key(tx, key, old_keys)


def is_expected(database: Database, key: str, *old_keys: str) -> bool:
    with read_only(database) as tx:
        return is_expected_key(tx, key, old_keys)


def test_first_key_is_the_expected_one(database: Database) -> None:
    assert is_expected(database, FIRST)
    assert check(database, FIRST) == "first"
    assert check(database, FIRST) == "expected"
    assert not is_expected(database, SECOND)
    assert check(database, SECOND) == "wrong"
    assert check(database, FIRST) == "expected"


def test_key_is_replaced_by_one_that_names_it_as_old(database: Database) -> None:
    check(database, FIRST)
    assert is_expected(database, SECOND, FIRST)
    assert check(database, SECOND, THIRD, FIRST) == "replaced"
    assert check(database, SECOND) == "expected"
    assert check(database, FIRST) == "wrong"


def test_process_that_was_not_restarted_changes_nothing_back(database: Database) -> None:
    check(database, FIRST)
    check(database, SECOND, FIRST)
    assert check(database, FIRST) == "wrong"
    assert is_expected(database, SECOND)


def test_database_has_no_key(database: Database) -> None:
    check(database, FIRST)
    with read_only(database) as tx:
        stored = tx.connection.exec_driver_sql("SELECT * FROM expected_key").one()
    assert FIRST not in str(stored)
