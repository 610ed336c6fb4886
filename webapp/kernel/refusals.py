"""Why use cases refuse: classes with a code or a reason, and the parameters of its sentence.

Refusals by the rules of the game are :class:`engine.errors.IllegalAction`, which use cases pass through unchanged.
"""

from datetime import datetime
from enum import Enum, unique
from typing import Final

import msgspec

from webapp.kernel.i18n import N_


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


@unique
class DenialReason(Enum):
    """Why something is not allowed here and now; the value is what people read."""

    NOT_HOST = N_("Only the host of this table can do that.")
    LOBBY_CLOSED = N_("The game has started or the table was cancelled, so its seats can't change.")
    NOT_RUNNING = N_("This game isn't running, so you can't play a turn.")
    GAME_NOT_OVER = N_("This game isn't over yet.")
    VIEWER_MAY_PLAY = N_(
        "You play, played or are invited to play in this game, so you can't look at its cards."
    )
    PAUSED = N_("This game is paused. You can play once it's resumed.")
    TABLE_FULL = N_("All seats at this table are taken.")
    SEAT_TAKEN = N_("That seat is taken. Please choose a free one.")
    SEATS_CHANGED = N_(
        "The seats at this table have changed since you opened the page, so we did nothing. Here's how things stand now."
    )
    REMOVES_HOST = N_("You can't remove yourself. Leave your seat instead.")
    INVITATIONS_UNANSWERED = N_(
        "Someone you invited hasn't answered yet. Bots take the seats only if you confirm that."
    )
    ALREADY_SEATED = N_("You already have a seat at this table.")
    NOT_SEATED = N_("You don't have a seat at this table.")
    NO_NAME = N_("Please choose a name first. Other players will see it.")
    FREE_SEATS = N_(
        "There are still free seats. Once they're all taken, everyone is asked to confirm that they're ready."
    )
    INVITATION_USED = N_(
        "This invitation has already been used. Each invitation is for one person. Please ask for another one."
    )
    SEAT_REFUSED = N_(
        "You can't take a seat at this table. The seats that are left may be meant for others."
    )
    PEEKED_AT_GAME = N_(
        "Someone who has looked at the roles and cards of a game as a moderator can't play in it."
    )
    SAT_AT_TABLE = N_(
        "You had a seat in this game and have seen its cards, so you can't moderate it before it's over."
    )
    PASSKEY_REFUSED = N_(
        "That passkey didn't work here. Please try again, or use an email instead."
    )
    ADDRESS_TAKEN = N_(
        "This address has got an account in the meantime, so it can't be used for yours."
    )
    TOO_MANY_TABLES = N_(
        "You have too many tables that haven't started. Start or cancel one of them first."
    )
    OPENED_ENOUGH_TODAY = N_("You've opened many tables today. Please try again tomorrow.")
    TOO_MANY_GAMES = N_(
        "You're in as many games as you can be for now, so we didn't give you another seat. Everyone starts with three at a time and gets one more for each game they finish with other people, up to a limit of this site. Finish a game first, or leave a table that hasn't started."
    )
    RELIABILITY_TOO_LOW = N_(
        "This table is for players who take at least %(needed)s%% of their turns in time. You're at %(percent)s%%."
    )
    NOT_CLUB_MODERATOR = N_("Only the founder and the moderators of this club can do that.")
    NOT_CLUB_FOUNDER = N_("Only the founder of this club can do that.")
    NOT_IN_CLUB = N_("Only members of this club can do that.")
    ALREADY_IN_CLUB = N_("You're already a member of this club.")
    NOT_YET_IN_CLUB = N_("They've asked to join, but they aren't a member yet.")
    MEMBER_GONE = N_(
        "That person has left, or someone else has already answered. Here's the list as it is now."
    )
    CLUB_CLOSED = N_("This club is closed. Its games and standings stay here.")
    CLUB_FULL = N_("This club is full. Ask its founder to make room.")
    FOUNDER_CANNOT_BE_REMOVED = N_("The founder can't be removed or given another role.")
    FOUNDER_MUST_HAND_OVER = N_(
        "You founded this club, so it needs a new founder first. Hand it over on the page of members, or close it."
    )
    REMOVES_ONESELF = N_("You can't remove yourself. Leave the club instead.")
    TOO_MANY_CLUBS = N_("You're in too many clubs. Leave one of them first.")
    TOO_MANY_FOUNDED = N_(
        "You've founded too many clubs. Hand one over or close one of them first."
    )
    FOUNDED_ENOUGH_TODAY = N_("You've founded several clubs today. Please try again tomorrow.")
    TOO_MANY_ANNOUNCEMENTS = N_(
        "This club has sent all of its announcements for today. Please try again tomorrow."
    )
    TOO_MANY_SEASONS = N_("This club has too many seasons. Delete one of them first.")
    GAME_NOT_UNDER_WAY = N_("This game isn't under way, so there is nothing to change.")
    MUST_RESUME_FIRST = N_("This game is paused. Resume it first.")
    NOT_PAUSED = N_("This game isn't paused.")
    NO_DEADLINE = N_("There is no deadline to move: a bot is to play.")
    DEADLINE_TOO_FAR = N_("The deadline can't move any further: it may be at most 30 days away.")
    TOO_MANY_EXTENSIONS = N_(
        "This turn has been extended three times. Play the neutral action, or open the seat."
    )
    CHANGED_MEANWHILE = N_(
        "Someone else has changed this game since you opened this page, so we did nothing. Here's how things stand now."
    )
    SANCTIONED_MEANWHILE = N_(
        "Another moderator has acted on this person since you opened this page, so we did nothing. Please look at their page first."
    )
    CANNOT_BE_UNDONE = N_("Too much has changed since, so this can't be undone any more.")
    UNDONE_ALREADY = N_("This has been undone already.")
    STRONGER_ACTED = N_("A moderator did this, so only a moderator can change it.")
    EXTENDS_OWN_TURN = N_("It's your own turn, so you can't give yourself more time.")
    NUDGED_TODAY = N_(
        "This player has been reminded today. Once a day is enough. It's possible again from %(time)s."
    )
    ACT_LIMIT_OF_GAME_REACHED = N_(
        "This has been done %(max)s times in this game within a day, which is the limit. It's possible again from %(time)s."
    )
    EMAILED_ENOUGH_TODAY = N_(
        "Everyone at this table has had many emails about such changes within a day. It's possible again from %(time)s."
    )
    ACT_LIMIT_OF_ACTOR_REACHED = N_(
        "You've done this %(max)s times within a day, which is the limit. It's possible again from %(time)s."
    )
    NO_ONE_TO_NUDGE = N_("There's no one to remind: no person is to play.")
    SEAT_IS_OPEN = N_("No person sits there, so there's no one to take the seat from.")
    BOT_HOLDS_SEAT = N_("A bot sits there already.")
    NO_PERSON_HOLDS_SEAT = N_("No person sits in that seat.")
    NO_SUCH_SUBSTITUTE = N_(
        "We can't give the seat to a person with this name and address. They need an account with exactly both, and may neither play in this game nor have played in it."
    )
    PERSON_HOLDS_SEAT = N_(
        "A person sits there. Someone else can take over only once the seat is open."
    )
    NO_OPEN_OFFER = N_("There is no open offer of this seat.")
    OFFER_NO_LONGER_OPEN = N_(
        "This seat isn't open to you any more: the offer was answered or withdrawn, or someone else has the seat, or the game is over."
    )
    OFFER_EXPIRED = N_("This offer has expired. Ask for another one.")
    OFFER_FOR_ANOTHER = N_(
        "This offer is for another person. Sign in with the email address that got it."
    )
    OFFERS_TO_ONESELF = N_(
        "Neither the host of a table nor the person who offers a seat can take it."
    )
    HAD_SEAT_IN_GAME = N_(
        "You've had a seat in this game and have seen its cards, so you can't take another one."
    )
    NO_BOT_NAME_LEFT = N_("Every bot is in use at this table.")
    VOTE_OPEN = N_("Another vote is still open. Answer it first.")
    VOTE_OVER = N_("This vote is over. Nothing was changed.")
    VOTE_WAITS_FOR_PLAYER = N_(
        "You can't vote while a seat is open and its player can still come back. If it stays open for 14 days, you can vote to cancel the game."
    )
    VOTE_OUTDATED = N_(
        "The table has changed since this vote began, so it no longer counts. You can propose it again."
    )
    JOINED_AFTER_VOTE = N_("This vote began before you joined the game, so you have no vote in it.")
    ANSWERED_ALREADY = N_("You've already voted. A vote can't be changed.")
    VOTE_LOST_RECENTLY = N_(
        "The players voted on this less than a day ago and didn't agree. Please try again tomorrow."
    )
    PAUSED_BY_MODERATOR = N_(
        "A moderator or the host has paused this game, so only they can resume it."
    )
    LAST_ROUND = N_("This is the last round, so the game ends after it anyway.")
    NO_EARLIER_TURN = N_("The game can only go back to an earlier turn.")
    ALREADY_HOST = N_("That player is the host already.")
    EMAIL_NOT_FAILED = N_("That email hasn't failed, so there's nothing to send again.")
    EMAIL_SUPERSEDED = N_(
        "That email no longer applies: the game has moved on, or its reader doesn't want such emails."
    )
    ANNOUNCED_ALREADY = N_("Please withdraw the present announcement first.")
    ANNOUNCEMENT_GONE = N_("That announcement has expired or was withdrawn already.")
    TOO_MANY_SITE_ANNOUNCEMENTS = N_(
        "There were several announcements today, and people stop reading them. Please try again tomorrow."
    )
    SANCTIONS_ONESELF = N_("You can't do that to yourself. Please ask another moderator.")
    SANCTIONS_MODERATOR = N_(
        "Site moderators can't do that to each other. The operator can remove a moderator's rights first."
    )
    NOT_BANNED = N_("This person isn't banned.")
    REPORTED_ALREADY = N_("We already have your report. A moderator will look at it.")
    APPEALED_ALREADY = N_("You've already sent an appeal. It's below.")
    REPORTS_ONESELF = N_("You can't report yourself.")
    TOO_MANY_REPORTS = N_(
        "You've sent many reports today. We'll look at them first. Please try again tomorrow."
    )
    REPORT_DECIDED = N_("Another moderator has already decided on this report.")
    OWN_TABLE = N_("You play or played at this table. Please leave this to another moderator.")
    MESSAGE_GONE = N_(
        "This message is gone already: its author has deleted it, or it has been removed."
    )
    NOTHING_TO_PLAN = N_("This game is over, so there are no turns left to plan.")
    PLAN_OUT_OF_DATE = N_(
        "Something happened in the game before you pressed the button, so this plan wasn't saved. Have a look, and save it again if it still fits."
    )
    PLANS_OWN_TURN = N_("It's your turn already, so your plan wasn't saved. Play on the game page.")
    BETWEEN_ROUNDS = N_("The round is over. You can plan your next turn once new cards are dealt.")
    TOO_MANY_MESSAGES = N_(
        "You've written a lot here in the last hour. Please give the others time to read it, and try again later."
    )
    MUTED = N_("A moderator has muted you, so you can't write messages until %(time)s.")
    TALK_OVER = N_("This game ended more than 30 days ago, so its table talk is closed.")
    MESSAGE_FIXED = N_(
        "A message can be changed or deleted for 5 minutes. This one is older than that."
    )
    NOTE_CHANGED = N_(
        "Your notes were changed in another window, so what you typed isn't saved yet. Both texts are below. Save again to replace the other one."
    )
    MARK_FIXED = N_("That round is over, so your marks for it stay as they are.")

    @property
    def code(self) -> str:
        """What logs and templates call it."""
        return self.name.lower().replace("_", "-")


class NotAllowed(Refused):
    """The person may not do this now; ``reason`` says why, and ``params`` complete the sentence."""

    def __init__(self, reason: DenialReason, **params: int) -> None:
        super().__init__(reason.code)
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


MAX_REASON_LENGTH: Final = 500
_LINE_BREAK: Final = "\n"


def checked_reason(typed_reason: str, *, field: str = "reason") -> str:
    """Return a reason without surrounding blanks, its line breaks as one character. Raises FieldErrors for the field."""
    reason = _LINE_BREAK.join(typed_reason.strip().splitlines())
    error = _reason_error(reason, field)
    if error is not None:
        raise FieldErrors(error)
    return reason


def _reason_error(reason: str, field: str) -> FieldError | None:
    if not reason:
        return FieldError(field, "required")
    if len(reason) > MAX_REASON_LENGTH:
        return FieldError(field, "too-long", {"max": MAX_REASON_LENGTH})
    if not all(character.isprintable() or character == _LINE_BREAK for character in reason):
        return FieldError(field, "control-characters")
    return None
