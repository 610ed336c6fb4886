"""Why a game waits, found from public facts alone, and the acts that are most likely to help.

A cause is the first line of a table whose condition holds: what only the operator can repair before what the player on
turn does not know, and that before mere waiting.
"""

from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple

from webapp.kernel.game_status import GameStatus
from webapp.kernel.rights import GameRight
from webapp.moderation.queries.game_list import BOT_IS_SLOW_AFTER, EMAIL_IS_LATE_AFTER


class WaitCause(StrEnum):
    """Why a game waits, or that it does not."""

    GAME_OVER = "over"
    SEATS_FREE = "seats-free"
    READY_CHECK = "ready-check"
    PAUSED = "paused"
    GAME_ON_HOLD = "on-hold"
    TURN_FAILING = "failing"
    TURN_OVERDUE = "overdue"
    BOT_STUCK = "bot-stuck"
    BOT = "bot"
    NO_PLAYER = "no-player"
    PLAYER_BANNED = "banned"
    EMAIL_REFUSED = "refused"
    EMAIL_DELAYED = "delayed"
    EMAIL_NOT_SENT = "not-sent"
    PLAYER_OPTED_OUT = "opted-out"
    EMAIL_QUEUED = "queued"
    PLAYER_NOT_NOTIFIED = "not-notified"
    PLAYER_REMINDED = "reminded"
    PLAYER_NOTIFIED = "notified"


class WaitFacts(NamedTuple):
    """What is known of a game that waits."""

    now: datetime
    status: GameStatus
    is_on_hold: bool = False
    has_player: bool = True
    """Whether a person or a bot sits in the seat on turn."""
    awaiting_bot: bool = False
    is_banned: bool = False
    started_at: datetime | None = None
    deadline_at: datetime | None = None
    wake_at: datetime | None = None
    turn_email_status: str | None = None
    turn_email_reason: str | None = None
    turn_email_due_at: datetime | None = None
    was_reminded: bool = False

    @property
    def is_past_deadline(self) -> bool:
        return self.deadline_at is not None and self.deadline_at <= self.now

    @property
    def is_postponed(self) -> bool:
        """Return whether the deadline's turn failed: the clock then comes back after the deadline."""
        if self.deadline_at is None or self.wake_at is None:
            return False
        return self.is_past_deadline and self.wake_at > self.deadline_at

    @property
    def bot_is_slow(self) -> bool:
        if not self.awaiting_bot or self.started_at is None:
            return False
        return self.now - self.started_at >= BOT_IS_SLOW_AFTER

    @property
    def email_was_refused(self) -> bool:
        """Return whether the last attempt to send the turn's email failed; one that waits for quiet hours is not tried again before."""
        if self.turn_email_status != "pending" or self.turn_email_reason is None:
            return False
        return self.turn_email_due_at is None or self.turn_email_due_at <= self.now

    @property
    def email_is_late(self) -> bool:
        if self.turn_email_due_at is None or self.turn_email_status != "pending":
            return False
        return self.now - self.turn_email_due_at >= EMAIL_IS_LATE_AFTER


class _CauseRule(NamedTuple):
    """A line of the table: what must hold, and the acts that help."""

    cause: WaitCause
    applies_to: Callable[[WaitFacts], bool]
    acts: tuple[GameRight, ...]


_CAUSE_RULES: Final[tuple[_CauseRule, ...]] = (
    _CauseRule(WaitCause.GAME_OVER, lambda facts: facts.status.is_over, ()),
    _CauseRule(WaitCause.SEATS_FREE, lambda facts: facts.status == GameStatus.OPEN, ()),
    _CauseRule(WaitCause.READY_CHECK, lambda facts: facts.status == GameStatus.READY_CHECK, ()),
    _CauseRule(
        WaitCause.PAUSED,
        lambda facts: facts.status == GameStatus.PAUSED,
        (GameRight.RESUME, GameRight.ANNOUNCE_TO_TABLE),
    ),
    _CauseRule(
        WaitCause.GAME_ON_HOLD, lambda facts: facts.is_on_hold, (GameRight.PAUSE, GameRight.REWIND)
    ),
    _CauseRule(
        WaitCause.NO_PLAYER,
        lambda facts: not facts.has_player,
        (GameRight.SEAT_BOT, GameRight.OFFER_SEAT),
    ),
    _CauseRule(
        WaitCause.BOT_STUCK,
        lambda facts: facts.bot_is_slow,
        (GameRight.PLAY_NEUTRAL, GameRight.OFFER_SEAT),
    ),
    _CauseRule(WaitCause.BOT, lambda facts: facts.awaiting_bot, ()),
    _CauseRule(
        WaitCause.TURN_FAILING,
        lambda facts: facts.is_postponed,
        (GameRight.PLAY_NEUTRAL, GameRight.REWIND),
    ),
    _CauseRule(
        WaitCause.TURN_OVERDUE,
        lambda facts: facts.is_past_deadline,
        (GameRight.PLAY_NEUTRAL, GameRight.EXTEND),
    ),
    _CauseRule(
        WaitCause.PLAYER_BANNED,
        lambda facts: facts.is_banned,
        (GameRight.OPEN_SEAT, GameRight.SEAT_BOT),
    ),
    _CauseRule(
        WaitCause.EMAIL_REFUSED,
        lambda facts: facts.turn_email_status == "failed",
        (GameRight.EXTEND, GameRight.OPEN_SEAT),
    ),
    _CauseRule(
        WaitCause.EMAIL_DELAYED,
        lambda facts: facts.email_was_refused,
        (GameRight.EXTEND, GameRight.RESEND_EMAIL),
    ),
    _CauseRule(
        WaitCause.EMAIL_NOT_SENT,
        lambda facts: facts.email_is_late,
        (GameRight.EXTEND, GameRight.PAUSE),
    ),
    _CauseRule(WaitCause.EMAIL_QUEUED, lambda facts: facts.turn_email_status == "pending", ()),
    _CauseRule(
        WaitCause.PLAYER_REMINDED,
        lambda facts: facts.was_reminded,
        (GameRight.EXTEND, GameRight.PLAY_NEUTRAL),
    ),
    _CauseRule(
        WaitCause.PLAYER_OPTED_OUT,
        lambda facts: facts.turn_email_reason == "unsubscribed",
        (GameRight.EXTEND, GameRight.OPEN_SEAT),
    ),
    _CauseRule(
        WaitCause.PLAYER_NOTIFIED,
        lambda facts: facts.turn_email_status == "sent",
        (GameRight.NUDGE, GameRight.EXTEND),
    ),
    _CauseRule(WaitCause.PLAYER_NOT_NOTIFIED, lambda _: True, (GameRight.NUDGE, GameRight.EXTEND)),
)


def cause_of(facts: WaitFacts) -> WaitCause:
    """Return why a game waits."""
    return next(line.cause for line in _CAUSE_RULES if line.applies_to(facts))


def helpful_acts(cause: WaitCause) -> tuple[GameRight, ...]:
    """Return the acts that are most likely to help, the best one first; at most two."""
    return next(line.acts for line in _CAUSE_RULES if line.cause == cause)
