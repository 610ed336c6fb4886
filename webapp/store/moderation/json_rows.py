"""Rows as one value of a statement: what a page needs of several tables is read in one round trip."""

from typing import Any, TypeVar

import msgspec
from sqlalchemy import ColumnElement, Select, Text, cast, func, literal_column, select

from webapp.store.redacted import Redacted

T = TypeVar("T")


class RedactedRow(Redacted, frozen=True, array_like=True):
    """A row that was read as a JSON array: its fields are in the order of the columns."""


def json_rows(query: Select[Any]) -> ColumnElement[str]:
    """Return all rows of a query as one text: a JSON array of arrays, in the order of the query."""
    rows = query.subquery()
    row_array = func.json_build_array(*rows.c)
    aggregated_rows = select(func.coalesce(func.json_agg(row_array), literal_column("'[]'::json")))
    return cast(aggregated_rows.select_from(rows).scalar_subquery(), Text)


def decode_rows(text: str, kind: type[T]) -> tuple[T, ...]:
    """Return the rows of ``json_rows`` as values of this class."""
    return msgspec.json.decode(text, type=tuple[kind, ...])  # type: ignore[valid-type]
