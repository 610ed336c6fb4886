"""Statements sent to a database, recorded for counting."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import event

from webapp.kernel.tx import Database


@contextmanager
def recorded_statements(database: Database) -> Iterator[list[str]]:
    """Yield a list that receives every statement sent during the block, BEGIN and COMMIT included.

    Reading the settings of the site is not among them: a process does that once in several seconds, not for a page.
    """
    statements: list[str] = []

    def record_statement(
        _connection: object, _cursor: object, statement: str, *_others: object
    ) -> None:
        if not statement.startswith("SELECT site_setting."):
            statements.append(statement)

    def record_begin(_connection: object) -> None:
        statements.append("BEGIN")

    def record_commit(_connection: object) -> None:
        statements.append("COMMIT")

    listeners = [
        (engine, "before_cursor_execute", record_statement)
        for engine in (database.engine, database.read_only_engine)
    ]
    listeners += [
        (database.engine, "begin", record_begin),
        (database.engine, "commit", record_commit),
    ]
    for engine, name, listener in listeners:
        event.listen(engine, name, listener)
    yield statements
    for engine, name, listener in listeners:
        event.remove(engine, name, listener)


def without_begin_and_commit(statements: list[str]) -> list[str]:
    return [statement for statement in statements if statement not in {"BEGIN", "COMMIT"}]
