"""Rows that a statement returns as text in one of its columns: in JSON, each an array of its fields."""

from functools import cache
from typing import Any, TypeVar

import msgspec
from sqlalchemy import ColumnElement, Select, Text, cast, func, literal_column, select

T = TypeVar("T")


def rows_column(query: Select[Any]) -> ColumnElement[str]:
    """Return all rows of a query as a column, in the order of the query."""
    rows = query.subquery()
    row_array = func.json_build_array(*rows.c)
    aggregated_rows = select(func.coalesce(func.json_agg(row_array), literal_column("'[]'::json")))
    return cast(aggregated_rows.select_from(rows).scalar_subquery(), Text)


def decode_rows(text: str | None, kind: type[T]) -> tuple[T, ...]:
    """Return the rows of a column as values of this class; NULL is no row."""
    return () if text is None else _rows_decoder(kind).decode(text)  # type: ignore[arg-type]


def decode_row(text: str | None, kind: type[T]) -> T | None:
    """Return the row of a column as a value of this class; None for NULL."""
    return None if text is None else _row_decoder(kind).decode(text)  # type: ignore[arg-type]


@cache
def _rows_decoder(kind: Any) -> msgspec.json.Decoder[Any]:  # noqa: ANN401 - of any type
    return msgspec.json.Decoder(tuple[kind, ...])


@cache
def _row_decoder(kind: Any) -> msgspec.json.Decoder[Any]:  # noqa: ANN401 - of any type
    return msgspec.json.Decoder(kind)
