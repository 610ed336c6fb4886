"""Statements of the hot paths: written once in SQLAlchemy Core on the models, compiled once, run as they are.

Building and caching a large Core statement on every call costs more than Postgres needs to answer it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import psycopg
from sqlalchemy import (
    ARRAY,
    Connection,
    CursorResult,
    Dialect,
    TableValuedAlias,
    bindparam,
    column,
    func,
)
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.sql.base import Executable
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import ClauseElement
from sqlalchemy.types import TypeEngine

from webapp.store.errors import hide_row

_DIALECT: Dialect = PGDialect_psycopg()  # type: ignore[no-untyped-call] # no annotation there


class Statement:
    """A Core statement whose bind parameters all have names."""

    def __init__(self, core: Executable) -> None:
        assert isinstance(core, ClauseElement)
        compiled = core.compile(dialect=_DIALECT)
        assert isinstance(compiled, SQLCompiler)
        self._sql = str(compiled)
        # Literal numbers and words that the statement itself holds are parameters too.
        asked_for = {name for name, bind in compiled.binds.items() if bind.required}
        self._constants = {
            name: value for name, value in compiled.params.items() if name not in asked_for
        }

    def run(self, connection: Connection, **params: Any) -> CursorResult[*tuple[Any, ...]]:  # noqa: ANN401 - what the columns hold
        """Run it once."""
        return connection.exec_driver_sql(self._sql, self._constants | params)

    def run_many(
        self, connection: Connection, many: Sequence[Mapping[str, Any]]
    ) -> list[list[tuple[Any, ...]]]:
        """Run it once for each, all in one round trip; the rows of each."""
        cursor = connection.connection.cursor()
        try:
            return self._pipelined(cursor, [self._constants | dict(params) for params in many])
        except psycopg.Error as problem:
            hide_row(problem)
            raise
        finally:
            cursor.close()

    def _pipelined(self, cursor: Any, many: list[dict[str, Any]]) -> list[list[tuple[Any, ...]]]:  # noqa: ANN401 - psycopg's own
        cursor.executemany(self._sql, many, returning=True)
        answers = [cursor.fetchall()]
        while cursor.nextset():
            answers.append(cursor.fetchall())
        return answers


def given_rows(**columns: TypeEngine[Any]) -> TableValuedAlias:
    """Rows that come as parameters: for each column, under its name, an array of values."""
    arrays = (bindparam(name, type_=ARRAY(kind)) for name, kind in columns.items())
    names = (column(name, kind) for name, kind in columns.items())
    return func.unnest(*arrays).table_valued(*names).render_derived()
