"""Where connections come from, and what is made of a database that does not answer."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection

from webapp.store.engines import engine_for, looking_engine_for
from webapp.store.errors import AWAY, Unavailable


class Database:
    """A database and its two pools: one whose transactions change things, one that only looks."""

    def __init__(self, url: str, *, pool_size: int) -> None:
        self.engine = engine_for(url, pool_size=pool_size)
        self.looking = looking_engine_for(url, pool_size=pool_size)

    def dispose(self) -> None:
        """Close every connection that is not in use."""
        self.engine.dispose()
        self.looking.dispose()


def database_for(url: str, *, pool_size: int = 10) -> Database:
    """The database behind a ``postgresql://`` address; connects when first used."""
    return Database(url, pool_size=pool_size)


@contextmanager
def writing(database: Database) -> Iterator[Connection]:
    with _answering(), database.engine.begin() as connection:
        yield connection


@contextmanager
def reading(database: Database) -> Iterator[Connection]:
    with _answering(), database.looking.connect() as connection:
        yield connection


@contextmanager
def _answering() -> Iterator[None]:
    try:
        yield
    except AWAY as problem:
        raise Unavailable from problem
