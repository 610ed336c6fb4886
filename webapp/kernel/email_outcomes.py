"""Why emails are not sent, or wait."""

from enum import Enum, unique
from typing import Final, Literal, TypeAlias, get_args

from webapp.kernel.i18n import N_


@unique
class DropReason(Enum):
    """Why an email is not sent; the value is what moderators read."""

    NO_ADDRESS = N_("The account has no address")
    BANNED = N_("The player is banned")
    SUPPRESSED = N_("Emails to the player have come back")
    UNSUBSCRIBED = N_("The player has stopped these emails")
    UNDONE = N_("It was undone before the email was sent")
    MOVED_ON = N_("The game had moved on")
    PAUSED = N_("The game is paused")
    REWOUND = N_("The game was taken back")
    DEADLINE_MOVED = N_("The deadline had moved")
    TOO_LATE = N_("Time had run out")
    ONLY_BOTS = N_("They play with bots only")
    REMINDER_SENT = N_("The reminder was sent instead")
    TURN_EMAIL_SENT = N_("The turn email was sent instead")
    NOT_SEATED = N_("The player had left")
    SEATED = N_("They have a seat there already")
    FULL = N_("Every seat was taken")
    READY = N_("They had confirmed already")
    ACCEPTED = N_("The invitation had been accepted")
    ANSWERED = N_("It had been answered")
    EXPIRED = N_("The code or link had expired")
    USED = N_("The code or link had been used")
    LIFTED = N_("The ban had been lifted")
    CLOSED = N_("The club was closed")
    MEMBER = N_("They're a member of the club already")
    NOT_MEMBER = N_("They're no longer a member of the club")
    NOT_MODERATOR = N_("They no longer moderate the club")
    NO_ACT = N_("What it was about no longer exists")
    NO_CLUB = N_("The club no longer exists")
    NO_GAME = N_("The table no longer exists")
    NO_REPORT = N_("The report no longer exists")
    NO_SANCTION = N_("The sanction no longer exists")
    NO_VOTE = N_("The vote no longer exists")

    @property
    def code(self) -> str:
        """What is stored: the `reason` of a dropped notification."""
        return self.name.lower().replace("_", "-")


DROP_REASON_BY_CODE: Final = {reason.code: reason for reason in DropReason}
DelayCause: TypeAlias = Literal["recipient", "refused", "unreachable", "composing"]
"""Why an email waits: its recipient's mailbox, a relay that refuses this server, one that can't be reached, or a bug here."""
DELAY_CAUSES: Final[tuple[DelayCause, ...]] = get_args(DelayCause)
