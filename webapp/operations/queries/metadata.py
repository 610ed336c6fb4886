"""The tables of every subject together, for code that needs all of them: Alembic and the backup."""

from typing import Final

from sqlalchemy import MetaData

from webapp.accounts import schema as accounts
from webapp.clock import schema as clock
from webapp.clubs import schema as clubs
from webapp.kernel.schema import Base
from webapp.lobby import schema as lobby
from webapp.mail import schema as notifications
from webapp.moderation import schema as moderation
from webapp.operations import schema as operations
from webapp.play import schema as play
from webapp.play import talk_schema as talk

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
