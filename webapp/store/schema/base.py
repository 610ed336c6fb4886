"""The declarative base of all tables: names of constraints, and how Python types are stored."""

from datetime import datetime, timedelta
from typing import Any, ClassVar

from sqlalchemy import BigInteger, DateTime, Identity, Interval, LargeBinary, MetaData, Text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


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
