"""The public result of a finished game, written in the transaction that ends it."""

from sqlalchemy import ForeignKey, SmallInteger
from sqlalchemy.orm import Mapped, mapped_column

from webapp.store.schema.base import Base


class GameResult(Base):
    """What one seat of a finished game has won: a cache of the log, which the audit compares with it.

    Who sat there at the end is part of it. A bot has no account.
    """

    __tablename__ = "game_result"

    game_id: Mapped[int] = mapped_column(ForeignKey("game.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    account_id: Mapped[int | None] = mapped_column(ForeignKey("account.id"), index=True)
    gold: Mapped[int] = mapped_column(SmallInteger)
    """Nuggets."""
    is_winner: Mapped[bool]
