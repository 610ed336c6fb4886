"""Announcements to the members of a club, which has to be locked."""

from datetime import datetime, timedelta
from typing import Final

from webapp.accounts.names import plain_text_and_errors
from webapp.clubs.access import ClubAccess, require_club_right
from webapp.clubs.queries import announcements, members
from webapp.kernel.refusals import DenialReason, FieldError, FieldErrors, NotAllowed
from webapp.kernel.rights import ClubRight
from webapp.kernel.tx import Tx
from webapp.mail.queries import outbox
from webapp.mail.queries.outbox import NewNotification

MOST_ANNOUNCEMENTS_A_DAY: Final = 5
MAX_ANNOUNCEMENT_LENGTH: Final = 2000
_SAME_ANNOUNCEMENT_PERIOD: Final = timedelta(minutes=10)
"""The same text by the same person within this time is a form that was sent twice."""


def announce(tx: Tx, access: ClubAccess, *, text: str) -> None:
    """Show a text on the club's page and email it to all members who want that. A form sent twice announces once."""
    me = require_club_right(access, ClubRight.ANNOUNCE_TO_CLUB)
    text, errors = plain_text_and_errors("announcement", text, max_length=MAX_ANNOUNCEMENT_LENGTH)
    if not errors and not text:
        errors = [FieldError("announcement", "required")]
    if errors:
        raise FieldErrors(*errors)
    club_id = access.club.id
    since = tx.now - _SAME_ANNOUNCEMENT_PERIOD
    if announcements.has_announced(tx, club_id, me.id, text, since=since):
        return
    today = announcements.count_announcements(tx, club_id, since=tx.now - timedelta(days=1))
    if today >= MOST_ANNOUNCEMENTS_A_DAY:
        raise NotAllowed(DenialReason.TOO_MANY_ANNOUNCEMENTS)
    number = announcements.add_announcement(tx, club_id, me.id, text)
    reader_ids = members.accounts_wanting_announcements(tx, club_id, excluded_account_id=me.id)
    outbox.enqueue(tx, [_notification(number, reader, tx.now) for reader in reader_ids])


def _notification(announcement_id: int, account_id: int, now: datetime) -> NewNotification:
    return NewNotification(
        kind="club-announcement",
        game_id=None,
        account_id=account_id,
        dedup_key=announcement_id,
        due_at=now,
    )
