"""Statements of the hot paths: written in SQLAlchemy Core, compiled at their first use, and run as text by psycopg. Locks under which things are counted.

Building and caching a large Core statement on every call takes longer than Postgres needs to answer it, and so does describing
the columns of its result. SQLAlchemy keeps the connections.

Locks under which the things of one person are counted, so that requests at the same time do not exceed a limit together.

They are advisory locks and not
locks of the account: its row is locked before that of a club, and these are taken after it.
"""

from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import cached_property
from typing import Any, Final, Literal

from sqlalchemy import (
    ARRAY,
    Connection,
    Dialect,
    TableValuedAlias,
    bindparam,
    column,
    func,
    select,
)
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.sql.base import Executable
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import ClauseElement
from sqlalchemy.types import TypeEngine

from webapp.kernel.database import raising_clean_errors
from webapp.kernel.tx import Tx

_LOCK_SEED: Final = 3
"""Tells these advisory locks from others."""


_DIALECT: Dialect = PGDialect_psycopg()  # type: ignore[no-untyped-call] # SQLAlchemy does not annotate it


class Statement:
    """A Core statement whose bind parameters all have names."""

    def __init__(self, executable: Executable) -> None:
        assert isinstance(executable, ClauseElement)
        self._executable = executable

    @cached_property
    def compiled(self) -> tuple[str, dict[str, Any]]:
        """The text for psycopg and its constants, compiled at the first use: no process uses all statements."""
        compiled = self._executable.compile(dialect=_DIALECT)
        assert isinstance(compiled, SQLCompiler)
        # Literals in the statement are compiled to parameters too.
        required_names = {
            name for name, bind_parameter in compiled.binds.items() if bind_parameter.required
        }
        constants = {
            name: value for name, value in compiled.params.items() if name not in required_names
        }
        return str(compiled), constants

    def run(self, tx: Tx, **params: Any) -> list[tuple[Any, ...]]:  # noqa: ANN401 - what the columns hold
        """Run the statement once and return its rows."""
        return self._fetch_rows(tx.connection, params)

    def run_alone(self, tx: Tx, **params: Any) -> list[tuple[Any, ...]]:  # noqa: ANN401 - as above
        """Run the statement once and return its rows. It begins no transaction: see ``Tx.lone_connection``."""
        return self._fetch_rows(tx.lone_connection, params)

    def run_many(
        self, tx: Tx, parameter_sets: Sequence[Mapping[str, Any]]
    ) -> list[list[tuple[Any, ...]]]:
        """Run the statement once per set of parameters, in one round trip; return the rows of each run."""
        with (
            raising_clean_errors(tx.connection),
            closing(tx.connection.connection.cursor()) as cursor,
        ):
            return self._fetch_pipelined_rows(cursor, parameter_sets)

    def _fetch_rows(self, connection: Connection, params: dict[str, Any]) -> list[tuple[Any, ...]]:
        sql, constants = self.compiled
        with raising_clean_errors(connection):
            cursor: Any = connection.connection.cursor()
            cursor.execute(sql, constants | params)
            rows: list[tuple[Any, ...]] = cursor.fetchall() if cursor.pgresult.nfields else []
            return rows

    def _fetch_pipelined_rows(
        self,
        cursor: Any,  # noqa: ANN401 - psycopg's cursor
        parameter_sets: Sequence[Mapping[str, Any]],
    ) -> list[list[tuple[Any, ...]]]:
        sql, constants = self.compiled
        cursor.executemany(
            sql, [constants | dict(params) for params in parameter_sets], returning=True
        )
        results = [cursor.fetchall()]
        while cursor.nextset():
            results.append(cursor.fetchall())
        return results


def array_rows(**columns: TypeEngine[Any]) -> TableValuedAlias:
    """Return a table of rows that are given as parameters: one array of values per column, under its name."""
    arrays = (bindparam(name, type_=ARRAY(kind)) for name, kind in columns.items())
    names = (column(name, kind) for name, kind in columns.items())
    return func.unnest(*arrays).table_valued(*names).render_derived()


def lock_count(
    tx: Tx,
    what: Literal["clubs", "reports", "filters", "invitations", "messages"],
    owner_id: int,
) -> None:
    """Make other transactions that count the same for this account, or of messages for this game, wait until this one ends.

    To be called in a statement before the one that counts: a statement that waits for a lock counts what was there before.
    """
    key = func.hashtextextended(f"{what} {owner_id}", _LOCK_SEED)
    tx.execute(select(func.pg_advisory_xact_lock(key)))
