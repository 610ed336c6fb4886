"""The tables of every subject together, for code that needs all of them: Alembic and the backup."""

from typing import Final

from sqlalchemy import MetaData

from webapp.store.schema import (
    accounts,
    clock,
    clubs,
    lobby,
    moderation,
    notifications,
    operations,
    play,
    talk,
)
from webapp.store.schema.base import Base

SCHEMA_MODULES: Final = (
    accounts,
    clock,
    clubs,
    lobby,
    moderation,
    notifications,
    operations,
    play,
    talk,
)
METADATA: Final[MetaData] = Base.metadata
