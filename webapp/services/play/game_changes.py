"""Changes of a game's position and stage: the neutral action now, an earlier position, the end by cancelling."""

from webapp.game_status import GameStatus
from webapp.services.errors import DenialReason, FieldError, FieldErrors, NotAllowed
from webapp.services.play.clock_changes import account_on_turn, require_status
from webapp.services.play.public_change import (
    ChangeSource,
    EarlierPosition,
    GameValues,
    LastRound,
    NeutralTurn,
    PlannedChange,
    PublicChange,
    PublicFacts,
)


def play_neutral(source: ChangeSource) -> PlannedChange:
    """Play for the seat on turn what the clock would play at the deadline."""
    row = source.game.row
    require_status(row, GameStatus.RUNNING)
    seat = row.awaiting
    assert seat is not None

    change = PublicChange(
        seat=seat,
        account_id=account_on_turn(row),
        before=PublicFacts(turn=row.seq),
        after=PublicFacts(turn=row.seq + 1),
    )
    return PlannedChange(change=change, values=(NeutralTurn(seat),))


def rewind(source: ChangeSource, to_turn: int | None) -> PlannedChange:
    """Return to the position after an earlier turn, with the strikes, time banks and absences of then. The log keeps every turn, and a pause."""
    game = source.game
    require_status(game.row, GameStatus.RUNNING, GameStatus.PAUSED)
    if to_turn is None:
        raise FieldErrors(FieldError("turn", "required"))
    if not 0 <= to_turn < game.seq:
        raise NotAllowed(DenialReason.NO_EARLIER_TURN)

    change = PublicChange(
        before=PublicFacts(turn=game.seq),
        after=PublicFacts(turn=to_turn),
    )
    return PlannedChange(change=change, values=(EarlierPosition(to_turn),))


def shorten(source: ChangeSource) -> PlannedChange:
    """Let the game end after the round under way, as all players have agreed; the turn under way continues."""
    game = source.game
    require_status(game.row, GameStatus.RUNNING, GameStatus.PAUSED)

    change = PublicChange(before=PublicFacts(turn=game.seq), after=PublicFacts(turn=game.seq + 1))
    return PlannedChange(change=change, values=(LastRound(),))


def cancel(source: ChangeSource) -> PlannedChange:
    """End the game without a winner; from now on nothing about it is secret."""
    row = source.game.row
    if row.status.is_over:
        raise NotAllowed(DenialReason.GAME_NOT_UNDER_WAY)
    values = {
        "status": GameStatus.CANCELLED,
        "ended_at": source.now,
        "paused_at": None,
        "deadline_at": None,
        "remind_at": None,
        "wake_at": None,
        "plans": None,
        "held_turn": None,
    }

    change = PublicChange(before=PublicFacts(turn=row.seq))
    return PlannedChange(change=change, values=(GameValues(values),))
