"""Which emails wait for the end of their recipient's quiet hours.

What is decided here depends on the recipient's wishes, the deadline and the kind of email, never on cards or roles.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from webapp.game_status import GameStatus
from webapp.pace.reminders import ReminderPreferences, quiet_until
from webapp.services.email_kinds import REQUESTED_KINDS, NotificationKind
from webapp.services.notifications.email_sources import EmailSource
from webapp.store.clock.quiet_times import quiet_times
from webapp.store.clock.votes import decode_vote

MAX_QUIET_WAIT: Final = timedelta(days=4)
"""How long after it was due an email is sent even to someone whose quiet hours never end."""
_LONGEST_NIGHT: Final = timedelta(days=1)
"""Quiet hours that end sooner are waited for even by an email that something else has delayed for days."""
_KINDS_ABOUT_DEADLINE: Final[frozenset[NotificationKind]] = frozenset(
    {"your-turn", "reminder", "nudge", "briefing", "moderator-act", "vote-ended"}
)
"""Emails that tell the player on turn about their deadline, or that it was moved."""


def quiet_end_for(source: EmailSource) -> datetime | None:
    """Return until when an email waits for the end of its recipient's quiet hours; None if it is sent now.

    Emails about the account never wait, nor does one that would come too late for what it asks the recipient to do.
    """
    notification = source.notification
    if not notification.quiet_hours or notification.kind in REQUESTED_KINDS:
        return None
    quiet = quiet_times(notification.quiet_hours, notification.zone)
    quiet_end = quiet_until(source.now, ReminderPreferences(quiet=quiet))
    if quiet_end is None:
        return None
    is_night = quiet_end - source.now < _LONGEST_NIGHT
    if not is_night and quiet_end > notification.first_due_at + MAX_QUIET_WAIT:
        return None
    return None if any(at <= quiet_end for at in _latest_times(source)) else quiet_end


def _latest_times(source: EmailSource) -> Iterator[datetime]:
    """Yield the instants by which the recipient has to know what the email says."""
    notification, vote = source.notification, decode_vote(source.notification.vote)
    if notification.expires_at is not None:
        yield notification.expires_at
    if notification.kind == "vote-opened" and vote is not None:
        yield vote.expires_at
    if notification.kind in _KINDS_ABOUT_DEADLINE and (deadline_at := _own_deadline(source)):
        yield deadline_at


def _own_deadline(source: EmailSource) -> datetime | None:
    """Return the deadline of the running turn if it is the recipient's."""
    row = None if source.game is None else source.game.row
    if row is None or row.status != GameStatus.RUNNING or row.awaiting is None:
        return None
    is_own = row.seats[row.awaiting].account_id == source.notification.account_id
    return row.deadline_at if is_own else None
