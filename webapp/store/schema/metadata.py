"""The tables of every subject together, for code that needs all of them: Alembic and the backup.

Its own module because a table belongs to the metadata only once the module of its subject is imported.
"""

from typing import Final

from sqlalchemy import MetaData

from webapp.store.schema import accounts, lobby, notifications, operations, play
from webapp.store.schema.base import Base

SUBJECTS: Final = (accounts, lobby, notifications, operations, play)
METADATA: Final[MetaData] = Base.metadata
