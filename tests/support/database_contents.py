"""Everything a database holds, for comparing it before and after; and a database that is lost during a transaction."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from sqlalchemy import Engine, event, text

from webapp.services.tx import Database, transaction
from webapp.store.schema.metadata import METADATA

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


class LostConnection:
    """Counts the statements that are sent, and fails before one of them."""

    def __init__(self, before_statement: int) -> None:
        self._before_statement = before_statement
        self.statement_count = 0

    @property
    def was_lost(self) -> bool:
        return self.statement_count >= self._before_statement

    def count(self, _connection: object, _cursor: object, statement: str, *_others: object) -> None:
        """Raise the error of a lost connection instead of sending this statement, if its turn has come."""
        if statement.startswith(("SAVEPOINT", "ROLLBACK TO", "RELEASE")):
            return
        self.statement_count += 1
        if self.statement_count == self._before_statement:
            raise psycopg.OperationalError("the connection was cut")


def contents_of(database: Database) -> dict[str, str | None]:
    """Return a digest of the rows of every table."""
    with transaction(database) as tx:
        return {row[0]: row[1] for row in tx.connection.execute(text(_SELECT_DIGESTS))}


def changed_tables(
    earlier_contents: dict[str, str | None], later_contents: dict[str, str | None]
) -> list[str]:
    """Return the tables whose rows differ."""
    return sorted(
        table for table in earlier_contents if earlier_contents[table] != later_contents[table]
    )


@contextmanager
def lost_connection(engine: Engine, *, before_statement: int) -> Iterator[LostConnection]:
    """Let the connection fail once, before the statement with this number, counted from 1."""
    connection_loss = LostConnection(before_statement)
    event.listen(engine, "before_cursor_execute", connection_loss.count)
    try:
        yield connection_loss
    finally:
        event.remove(engine, "before_cursor_execute", connection_loss.count)
