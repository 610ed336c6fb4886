"""What is said to a database, counted to the statement."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import event

from webapp.services.tx import Database


@contextmanager
def counted(database: Database) -> Iterator[list[str]]:
    """Everything that is said to the database meanwhile, BEGIN and COMMIT too where there are any."""
    said: list[str] = []

    def note(_c: object, _cur: object, statement: str, *_others: object) -> None:
        said.append(statement)

    def note_begin(_: object) -> None:
        said.append("BEGIN")

    def note_commit(_: object) -> None:
        said.append("COMMIT")

    watched = [
        (engine, "before_cursor_execute", note) for engine in (database.engine, database.looking)
    ]
    watched += [(database.engine, "begin", note_begin), (database.engine, "commit", note_commit)]
    for engine, name, listener in watched:
        event.listen(engine, name, listener)
    yield said
    for engine, name, listener in watched:
        event.remove(engine, name, listener)


def statements_in(said: list[str]) -> list[str]:
    """What was said between BEGIN and COMMIT."""
    return [one for one in said if one not in {"BEGIN", "COMMIT"}]
