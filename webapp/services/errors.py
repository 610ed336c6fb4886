"""Why services refuse: classes with codes and parameters, whose sentences live in the translations.

Refusals by the rules of the game are :class:`engine.errors.IllegalAction`, which services pass through unchanged.
"""

from datetime import datetime
from enum import StrEnum

import msgspec


class Refused(Exception):
    """The request cannot be granted. Nothing has changed."""


class FieldError(msgspec.Struct, frozen=True):
    """What is wrong with one field; ``params`` complete the sentence."""

    field: str
    code: str
    params: dict[str, str | int] = {}


def out_of_range(field: str, minimum: int, maximum: int) -> FieldError:
    """Return the error of a number that must be between ``minimum`` and ``maximum``."""
    return FieldError(field, "out-of-range", {"low": minimum, "high": maximum})


class FieldErrors(Refused):
    """The input is invalid; ``errors`` names every wrong field."""

    def __init__(self, *errors: FieldError) -> None:
        super().__init__(", ".join(f"{error.field}: {error.code}" for error in errors))
        self.errors = errors


class DenialReason(StrEnum):
    """Why something is not allowed here and now."""

    NOT_HOST = "not-host"
    LOBBY_CLOSED = "not-open"
    NOT_RUNNING = "not-running"
    GAME_NOT_OVER = "game-not-over"
    VIEWER_MAY_PLAY = "may-play-there"
    PAUSED = "paused"
    TABLE_FULL = "table-full"
    SEAT_TAKEN = "seat-taken"
    SEATS_CHANGED = "seats-changed"
    REMOVES_HOST = "removes-host"
    INVITATIONS_UNANSWERED = "invitations-unanswered"
    ALREADY_SEATED = "already-seated"
    NOT_SEATED = "not-seated"
    NO_NAME = "no-name"
    FREE_SEATS = "free-seats"
    INVITATION_USED = "invitation-used"
    SEAT_REFUSED = "seat-refused"
    PEEKED_AT_GAME = "peeked-there"
    SAT_AT_TABLE = "sat-there"
    PASSKEY_REFUSED = "passkey-refused"
    ADDRESS_TAKEN = "address-taken"
    TOO_MANY_TABLES = "too-many-tables"
    OPENED_ENOUGH_TODAY = "opened-enough-today"
    TOO_MANY_GAMES = "too-many-games"
    RELIABILITY_TOO_LOW = "reliability-too-low"
    NOT_CLUB_MODERATOR = "not-club-moderator"
    NOT_CLUB_FOUNDER = "not-club-founder"
    NOT_IN_CLUB = "not-in-club"
    ALREADY_IN_CLUB = "already-in-club"
    NOT_YET_IN_CLUB = "not-yet-in-club"
    MEMBER_GONE = "member-gone"
    CLUB_CLOSED = "club-closed"
    CLUB_FULL = "club-full"
    FOUNDER_CANNOT_BE_REMOVED = "founder-stays"
    FOUNDER_MUST_HAND_OVER = "founder-must-hand-over"
    REMOVES_ONESELF = "removes-oneself"
    TOO_MANY_CLUBS = "too-many-clubs"
    TOO_MANY_FOUNDED = "too-many-founded"
    FOUNDED_ENOUGH_TODAY = "founded-enough-today"
    TOO_MANY_ANNOUNCEMENTS = "too-many-announcements"
    TOO_MANY_SEASONS = "too-many-seasons"
    GAME_NOT_UNDER_WAY = "game-not-under-way"
    MUST_RESUME_FIRST = "paused-first"
    NOT_PAUSED = "not-paused"
    NO_DEADLINE = "no-deadline"
    DEADLINE_TOO_FAR = "deadline-too-far"
    TOO_MANY_EXTENSIONS = "extended-enough"
    CHANGED_MEANWHILE = "changed-meanwhile"
    SANCTIONED_MEANWHILE = "sanctioned-meanwhile"
    CANNOT_BE_UNDONE = "cannot-be-undone"
    UNDONE_ALREADY = "undone-already"
    STRONGER_ACTED = "stronger-acted"
    EXTENDS_OWN_TURN = "extends-own-turn"
    NUDGED_TODAY = "nudged-today"
    ACT_LIMIT_OF_GAME_REACHED = "too-often-in-game"
    EMAILED_ENOUGH_TODAY = "emailed-enough-today"
    ACT_LIMIT_OF_ACTOR_REACHED = "too-often-by-actor"
    NO_ONE_TO_NUDGE = "no-one-to-nudge"
    SEAT_IS_OPEN = "seat-is-open"
    BOT_HOLDS_SEAT = "bot-holds-seat"
    NO_PERSON_HOLDS_SEAT = "no-person-holds-seat"
    NO_SUCH_SUBSTITUTE = "no-such-substitute"
    PERSON_HOLDS_SEAT = "person-holds-seat"
    NO_OPEN_OFFER = "no-open-offer"
    OFFER_NO_LONGER_OPEN = "offer-over"
    OFFER_EXPIRED = "offer-expired"
    OFFER_FOR_ANOTHER = "offer-for-another"
    OFFERS_TO_ONESELF = "offers-to-oneself"
    HAD_SEAT_IN_GAME = "had-seat-there"
    NO_BOT_NAME_LEFT = "no-bot-left"
    VOTE_OPEN = "vote-open"
    VOTE_OVER = "vote-over"
    VOTE_WAITS_FOR_PLAYER = "vote-waits-for-player"
    VOTE_OUTDATED = "vote-outdated"
    JOINED_AFTER_VOTE = "came-after-vote"
    ANSWERED_ALREADY = "answered-already"
    VOTE_LOST_RECENTLY = "voted-lately"
    PAUSED_BY_MODERATOR = "paused-by-moderator"
    LAST_ROUND = "last-round"
    NO_EARLIER_TURN = "no-earlier-turn"
    ALREADY_HOST = "hosts-already"
    EMAIL_NOT_FAILED = "email-not-failed"
    EMAIL_SUPERSEDED = "email-superseded"
    ANNOUNCED_ALREADY = "announced-already"
    ANNOUNCEMENT_GONE = "announcement-gone"
    TOO_MANY_SITE_ANNOUNCEMENTS = "too-many-site-announcements"
    SANCTIONS_ONESELF = "sanctions-oneself"
    SANCTIONS_MODERATOR = "sanctions-moderator"
    NOT_BANNED = "not-banned"
    REPORTED_ALREADY = "reported-already"
    APPEALED_ALREADY = "appealed-already"
    REPORTS_ONESELF = "reports-oneself"
    TOO_MANY_REPORTS = "too-many-reports"
    REPORT_DECIDED = "report-decided"
    NOTHING_TO_PLAN = "nothing-to-plan"
    PLAN_OUT_OF_DATE = "plan-out-of-date"
    PLANS_OWN_TURN = "plans-own-turn"
    BETWEEN_ROUNDS = "between-rounds"
    TOO_MANY_MESSAGES = "too-many-messages"
    MUTED = "muted"
    TALK_OVER = "talk-over"
    MESSAGE_FIXED = "message-fixed"
    OWN_MESSAGE = "own-message"


class NotAllowed(Refused):
    """The person may not do this now; ``reason`` says why, and ``params`` complete the sentence."""

    def __init__(self, reason: DenialReason, **params: int) -> None:
        super().__init__(reason.value)
        self.reason = reason
        self.params = params


class LimitReached(NotAllowed):
    """The person or the game has had ``limit`` of these within a window; one more is possible at ``possible_at``."""

    def __init__(self, reason: DenialReason, *, limit: int, possible_at: datetime) -> None:
        super().__init__(reason)
        self.limit = limit
        self.possible_at = possible_at


class ReliabilityTooLow(NotAllowed):
    """The person takes ``percent`` per cent of their turns in time, and the table asks for ``needed_percent``."""

    def __init__(self, *, percent: int, needed_percent: int) -> None:
        super().__init__(DenialReason.RELIABILITY_TOO_LOW, percent=percent, needed=needed_percent)


class StaleTurn(Refused):
    """The game has moved on; ``seq`` is where it stands now, if that is known."""

    def __init__(self, seq: int | None = None) -> None:
        super().__init__()
        self.seq = seq


class NotFound(Refused):
    """It does not exist, or not for this person: both look the same."""


class NotInGame(NotFound):
    """A game that the viewer may see has no such turn, or no history yet. Signing in would not change that."""


class Unavailable(Exception):
    """The database cannot be reached, is too busy to answer in time, or takes no changes at present.

    Nothing has changed, unless the answer to a COMMIT was lost; even then a repeated turn is not taken twice.
    """
