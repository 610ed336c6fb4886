"""What all tables have in common: how constraints are named, and how a type of Python is stored."""

from datetime import datetime, timedelta
from typing import Any, ClassVar

from sqlalchemy import BigInteger, DateTime, Interval, LargeBinary, MetaData, Text
from sqlalchemy.orm import DeclarativeBase


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
