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
    passkeys,
    play,
    replies,
    results,
    security,
    sharing,
    site,
    statistics,
    talk,
    votes,
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
    passkeys,
    play,
    replies,
    results,
    security,
    sharing,
    site,
    statistics,
    talk,
    votes,
)
METADATA: Final[MetaData] = Base.metadata
