"""The declarative base of all tables: names of constraints, how Python types are stored, and how addresses are compared."""

from datetime import datetime, timedelta
from typing import Any, ClassVar, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    DateTime,
    Identity,
    Interval,
    LargeBinary,
    MetaData,
    Text,
    func,
    literal_column,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

# Written into statements, because an index with this expression is used for constants only.
_TAG: Final[ColumnElement[str]] = literal_column(r"'^([^@+]+)\+[^@]*@'")
_WITHOUT_TAG: Final[ColumnElement[str]] = literal_column(r"'\1@'")


class Base(DeclarativeBase):
    metadata = MetaData(
        naming_convention={
            "pk": "%(table_name)s_pkey",
            "ix": "%(table_name)s_%(column_0_N_name)s",
            "uq": "%(table_name)s_%(column_0_N_name)s_key",
            "ck": "%(table_name)s_%(constraint_name)s",
            "fk": "%(table_name)s_%(column_0_N_name)s_fkey",
        }
    )
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        datetime: DateTime(timezone=True),
        timedelta: Interval(),
        bytes: LargeBinary(),
        str: Text(),
        int: BigInteger(),
    }


def generated_id() -> Mapped[int]:
    """Return a primary key that the database numbers itself."""
    return mapped_column(BigInteger, Identity(), primary_key=True)


def folded(address: Any) -> ColumnElement[str]:  # noqa: ANN401 - a column or a value
    """Return an address in lower case and without its ``+tag``.

    Many mail servers deliver all tags to one mailbox, so limits and opt-outs ignore them.
    """
    return func.regexp_replace(func.lower(address), _TAG, _WITHOUT_TAG)
