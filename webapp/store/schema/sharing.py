"""The table of links with which players show a finished game to anyone."""

from datetime import datetime

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from webapp.store.schema.base import Base


class SharedGame(Base):
    """The link of a finished game to its public page; a game without a row has no such page."""

    __tablename__ = "shared_game"

    game_id: Mapped[int] = mapped_column(ForeignKey("game.id"), primary_key=True)
    nonce: Mapped[bytes]
    """From which the token of the link is derived, so that the row alone lets no one in."""
    token_hash: Mapped[bytes] = mapped_column(unique=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"), index=True)
    """Of the player who created it."""
    shared_at: Mapped[datetime]
