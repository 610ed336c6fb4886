"""Statements of the hot paths, rows as parameters of statements, and locks under which things are counted.

The statements are written in SQLAlchemy Core, built at their first use, and run as text by psycopg. Building and
caching a large Core statement on every call takes longer than Postgres needs to answer it, and so does describing the
columns of its result. SQLAlchemy keeps the connections.

The things of one person are counted under a lock, so that requests at the same time do not exceed a limit together. It
is an advisory lock and not a lock of the account: its row is locked before that of a club, and this lock is taken after
it.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any, Final, Literal

import msgspec
from sqlalchemy import (
    ARRAY,
    JSON,
    BigInteger,
    ColumnElement,
    Connection,
    Dialect,
    Integer,
    LargeBinary,
    SQLColumnExpression,
    Subquery,
    TableValuedAlias,
    Text,
    bindparam,
    cast,
    column,
    func,
    literal_column,
    select,
)
from sqlalchemy.dialects.postgresql.psycopg import PGCompiler_psycopg, PGDialect_psycopg
from sqlalchemy.sql.base import Executable
from sqlalchemy.sql.elements import BindParameter, ClauseElement
from sqlalchemy.types import TypeEngine

from webapp.kernel.database import raising_clean_errors
from webapp.kernel.redacted import RedactedText
from webapp.kernel.tx import Tx

_LOCK_SEED: Final = 3
"""Tells these advisory locks from others."""


class _Compiler(PGCompiler_psycopg):
    """Writes constants into the text of a statement.

    Postgres can keep one plan for a statement only if that is not worse than a plan for the values at hand. If constants were
    parameters it would be, mostly because it could use no partial index, and planning takes longer than running.
    """

    def visit_bindparam(
        self, bindparam: BindParameter[Any], *arguments: object, **options: object
    ) -> object:
        options["literal_binds"] = not bindparam.required
        return super().visit_bindparam(bindparam, *arguments, **options)  # type: ignore[no-untyped-call]


_DIALECT: Dialect = PGDialect_psycopg()  # type: ignore[no-untyped-call] # SQLAlchemy does not annotate it


class Statement:
    """A Core statement that ``build`` returns, whose bind parameters all have names."""

    def __init__(self, build: Callable[[], Executable]) -> None:
        self._build = build

    @cached_property
    def text(self) -> str:
        """The text for psycopg, built and compiled at the first use: no process uses all statements."""
        executable = self._build()
        assert isinstance(executable, ClauseElement)
        return str(_Compiler(_DIALECT, executable))

    def run(self, tx: Tx, **params: Any) -> list[tuple[Any, ...]]:  # noqa: ANN401 - what the columns hold
        """Run the statement once and return its rows."""
        return self._fetch_rows(tx.connection, params)

    def run_alone(self, tx: Tx, **params: Any) -> list[tuple[Any, ...]]:  # noqa: ANN401 - as above
        """Run the statement once and return its rows. It begins no transaction: see ``Tx.lone_connection``."""
        return self._fetch_rows(tx.lone_connection, params)

    def _fetch_rows(self, connection: Connection, params: dict[str, Any]) -> list[tuple[Any, ...]]:
        with raising_clean_errors(connection):
            cursor: Any = connection.connection.cursor()
            cursor.execute(self.text, params)
            rows: list[tuple[Any, ...]] = cursor.fetchall() if cursor.pgresult.nfields else []
            return rows


def is_one_of(number: SQLColumnExpression[int | None], parameter: str) -> ColumnElement[bool]:
    """Return the condition that a number is in an array of numbers, which is the parameter of this name.

    As a subquery, for the reason that ``array_rows`` gives.
    """
    array_type = ARRAY(BigInteger)
    numbers = select(bindparam(parameter, type_=array_type)).scalar_subquery()
    return number == func.any(cast(numbers, array_type))


def array_rows(**columns: TypeEngine[Any]) -> TableValuedAlias:
    """Return a table of rows that are given as parameters: one array of values per column, under its name.

    Postgres cannot see how long the arrays of subqueries are. Otherwise it would plan the statement again each time, because a
    plan for any arrays would look worse.
    """
    arrays = (
        select(bindparam(name, type_=ARRAY(kind))).scalar_subquery()
        for name, kind in columns.items()
    )
    names = (column(name, kind) for name, kind in columns.items())
    return func.unnest(*arrays).table_valued(*names).render_derived()


def json_rows(parameter: str, **columns: TypeEngine[Any]) -> Subquery:
    """Return a table of rows that are given as one parameter, which ``rows_json`` makes; ``ordinal`` is the place of a row among them."""
    columns["ordinal"] = Integer()
    rows = (
        func.json_to_recordset(cast(bindparam(parameter, type_=Text), JSON))
        .table_valued(
            *(column(name, Text() if _is_binary(kind) else kind) for name, kind in columns.items()),
            name=f"{parameter}_json",
        )
        .render_derived(with_types=True)
    )
    base64 = literal_column("'base64'", Text)
    values = (
        func.decode(rows.c[name], base64, type_=kind) if _is_binary(kind) else rows.c[name]
        for name, kind in columns.items()
    )
    return select(
        *(value.label(name) for name, value in zip(columns, values, strict=True))
    ).subquery(parameter)


def rows_json(rows: Iterable[Mapping[str, object]]) -> str:
    """Return rows as the parameter of ``json_rows``. Postgres does not read lengths of time as msgspec writes them."""
    numbered_rows = [{**row, "ordinal": ordinal} for ordinal, row in enumerate(rows)]
    return RedactedText(msgspec.json.encode(numbered_rows).decode())


def _is_binary(kind: TypeEngine[Any]) -> bool:
    return isinstance(kind, LargeBinary)


def lock_count(
    tx: Tx,
    what: Literal["clubs", "reports", "filters", "invitations", "messages"],
    owner_id: int,
) -> None:
    """Make transactions that count the same for this account, or messages for this game, wait until this one ends.

    To be called in a statement before the one that counts: a statement that waits for a lock counts what was there before.
    """
    key = func.hashtextextended(f"{what} {owner_id}", _LOCK_SEED)
    tx.execute(select(func.pg_advisory_xact_lock(key)))
