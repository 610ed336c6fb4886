"""The stages of a game from its table in the lobby to its end."""

from enum import StrEnum


class GameStatus(StrEnum):
    """The stage of a game; the values are stored in the database."""

    OPEN = "open"
    """Seats are free or their players may still change."""
    READY_CHECK = "ready-check"
    """Every seat is taken; the cards are dealt once all players have confirmed."""
    RUNNING = "running"
    PAUSED = "paused"
    """A moderator has stopped the clock: no one may play until the game is resumed."""
    FINISHED = "finished"
    CANCELLED = "cancelled"
    """The host gave the table up before the deal, or a moderator stopped the game later."""

    @property
    def is_before_deal(self) -> bool:
        return self in {GameStatus.OPEN, GameStatus.READY_CHECK}

    @property
    def is_under_way(self) -> bool:
        return self in {GameStatus.RUNNING, GameStatus.PAUSED}

    @property
    def is_over(self) -> bool:
        return self in {GameStatus.FINISHED, GameStatus.CANCELLED}
