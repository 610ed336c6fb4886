"""Seasons and announcements of a club. Every function needs the club locked."""

from datetime import date, datetime, timedelta
from typing import Final

from webapp.accounts.names import plain_text_and_errors
from webapp.clubs.access import ClubAccess, require_club_right
from webapp.clubs.founding import club_name_and_errors
from webapp.clubs.queries import calendar, members
from webapp.kernel.refusals import DenialReason, FieldError, FieldErrors, NotAllowed, NotFound
from webapp.kernel.rights import ClubRight
from webapp.kernel.tx import Tx
from webapp.mail.queries import outbox
from webapp.mail.queries.outbox import NewNotification

MOST_SEASONS: Final = 40
MOST_ANNOUNCEMENTS_A_DAY: Final = 5
MAX_ANNOUNCEMENT_LENGTH: Final = 2000
_SAME_ANNOUNCEMENT_PERIOD: Final = timedelta(minutes=10)
"""The same text by the same person within this time is a form that was sent twice."""
_EARLIEST_SEASON_DAY: Final = date(2000, 1, 1)
_LATEST_SEASON_DAY: Final = date(2199, 12, 31)


def add_season(tx: Tx, access: ClubAccess, *, name: str, starts_on: date, ends_on: date) -> None:
    """Store a season. The same season twice is stored once. Raises FieldErrors and NotAllowed."""
    require_club_right(access, ClubRight.MANAGE_SEASONS)
    name, errors = club_name_and_errors(name, field="season_name")
    errors += _day_errors("starts_on", starts_on) + _day_errors("ends_on", ends_on)
    if not errors and ends_on < starts_on:
        errors.append(FieldError("ends_on", "before-start"))
    if errors:
        raise FieldErrors(*errors)
    seasons = calendar.seasons_of(tx, access.club.id)
    if any((old.name, old.starts_on, old.ends_on) == (name, starts_on, ends_on) for old in seasons):
        return
    if len(seasons) >= MOST_SEASONS:
        raise NotAllowed(DenialReason.TOO_MANY_SEASONS)
    calendar.add_season(tx, access.club.id, name=name, starts_on=starts_on, ends_on=ends_on)


def remove_season(tx: Tx, access: ClubAccess, season_id: int) -> None:
    """Delete a season; its games stay. Deleting it twice changes nothing. Raises NotFound for a season of another club."""
    require_club_right(access, ClubRight.MANAGE_SEASONS)
    if calendar.remove_season(tx, access.club.id, season_id):
        return
    if calendar.has_season(tx, season_id):
        raise NotFound


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
    if calendar.has_announced(tx, club_id, me.id, text, since=since):
        return
    today = calendar.count_announcements(tx, club_id, since=tx.now - timedelta(days=1))
    if today >= MOST_ANNOUNCEMENTS_A_DAY:
        raise NotAllowed(DenialReason.TOO_MANY_ANNOUNCEMENTS)
    number = calendar.add_announcement(tx, club_id, me.id, text)
    reader_ids = members.accounts_wanting_announcements(tx, club_id, excluded_account_id=me.id)
    outbox.enqueue(tx, [_notification(number, reader, tx.now) for reader in reader_ids])
    tx.nudges.add("emails")


def _notification(announcement_id: int, account_id: int, now: datetime) -> NewNotification:
    return NewNotification(
        kind="club-announcement",
        game_id=None,
        account_id=account_id,
        dedup_key=announcement_id,
        due_at=now,
    )


def _day_errors(field: str, day: date) -> list[FieldError]:
    return (
        []
        if _EARLIEST_SEASON_DAY <= day <= _LATEST_SEASON_DAY
        else [FieldError(field, "not-a-date")]
    )
