"""Addresses without their ``+tag``: many mail servers deliver all of them to one mailbox, so limits and opt-outs ignore it."""

from typing import Any, Final

from sqlalchemy import ColumnElement, func, literal_column

# Written into statements, because an index with this expression is used for constants only.
_TAG: Final[ColumnElement[str]] = literal_column(r"'^([^@+]+)\+[^@]*@'")
_WITHOUT_TAG: Final[ColumnElement[str]] = literal_column(r"'\1@'")


def folded(address: Any) -> ColumnElement[str]:  # noqa: ANN401 - a column or a value
    """Return an address in lower case and without its tag."""
    return func.regexp_replace(func.lower(address), _TAG, _WITHOUT_TAG)
