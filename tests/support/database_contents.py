"""Everything a database holds, for comparing it before and after; and a database that is lost during a transaction."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Final

import psycopg
from sqlalchemy import Connection, text

from tests.support.statements import observed_statements
from tests.support.transactions import transaction
from webapp.kernel.tx import Database
from webapp.operations.queries.table_copy import METADATA

_SELECT_DIGESTS = " UNION ALL ".join(
    f"SELECT '{table}', md5(string_agg({row}, '|' ORDER BY {row})) FROM \"{table}\" stored"
    for table in METADATA.tables
    # When a session was last in use changes with any page, once a minute and browser.
    for row in [
        "(to_jsonb(stored) - 'active_at' - 'expires_at')::text"
        if table == "session"
        else "stored::text"
    ]
)
_TRANSACTION_COMMANDS: Final = ("SAVEPOINT", "ROLLBACK TO", "RELEASE")


class LostConnection:
    """Counts the statements that are sent, and fails before one of them."""

    def __init__(self, after_statement: int, *, except_reads: Collection[str]) -> None:
        self._after_statement = after_statement
        self._except_reads = except_reads
        self._has_written = False
        self.statement_count = 0
        self.lost_statement: str | None = None
        """The statement that was not sent."""

    def count(self, statement: str, _: object) -> None:
        """Raise the error of a lost connection instead of sending this statement, if its turn has come."""
        if statement.startswith(_TRANSACTION_COMMANDS) or self.lost_statement is not None:
            return
        self.statement_count += 1
        is_read = statement.startswith("SELECT") and not self._has_written
        self._has_written |= not is_read
        if self.statement_count <= self._after_statement:
            return
        if is_read and statement in self._except_reads:
            return
        self.lost_statement = statement
        raise psycopg.OperationalError("the connection was cut")


def contents_of(database: Database) -> dict[str, str | None]:
    """Return a digest of the rows of every table."""
    with transaction(database) as tx:
        return {row[0]: row[1] for row in tx.execute(text(_SELECT_DIGESTS))}


def changed_tables(
    earlier_contents: dict[str, str | None], later_contents: dict[str, str | None]
) -> list[str]:
    """Return the tables whose rows differ."""
    return sorted(
        table for table in earlier_contents if earlier_contents[table] != later_contents[table]
    )


@contextmanager
def lost_connection(
    connection: Connection, *, after_statement: int, except_reads: Collection[str]
) -> Iterator[LostConnection]:
    """Let the connection fail once, before the first statement after the one with this number, counted from 1.

    Before the first change to a row, statements in ``except_reads`` are skipped: they are sent.
    """
    connection_loss = LostConnection(after_statement, except_reads=except_reads)
    with observed_statements(connection, connection_loss.count):
        yield connection_loss
