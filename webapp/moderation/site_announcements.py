"""Announcements to the whole site: a short text on every page of signed-in people, one at a time, until it expires.

The text is in the ledger as well, so that everyone who may read the ledger finds what was said.
"""

from datetime import datetime, timedelta
from typing import Final, NamedTuple

import msgspec

from webapp.accounts.names import plain_text_and_errors
from webapp.accounts.person import Person
from webapp.accounts.queries import accounts
from webapp.accounts.relations import require_site_right
from webapp.accounts.security_log import record_act
from webapp.clock.pace.calendar import has_passed
from webapp.kernel.keyring import hash_of
from webapp.kernel.refusals import DenialReason, FieldError, FieldErrors, NotAllowed, checked_reason
from webapp.kernel.rights import Relation, SiteRight
from webapp.kernel.site_settings import Announcement, SiteSettings
from webapp.kernel.tx import Tx
from webapp.moderation.queries import ledger
from webapp.moderation.queries.ledger import NewLedgerEntry
from webapp.site.current_settings import read_settings
from webapp.site.queries import settings

MAX_TEXT_LENGTH: Final = 300
OFFERED_HOURS: Final = (1, 6, 24, 72, 168, 336)
"""How long an announcement may stay."""
MAX_ANNOUNCEMENTS_PER_DAY: Final = 5
_ANNOUNCE_ACT: Final = "announce-to-site"
_WITHDRAW_ACT: Final = "withdraw-announcement"
_SETTING_NAME: Final = "announcement"
_DAY: Final = timedelta(days=1)


class AnnouncementRequest(NamedTuple):
    """What a site moderator wants to announce, as it was typed."""

    text: str
    hours: int | None
    reason: str
    form_id: str
    """A second press of the same form's button does nothing."""


def announcement_in_force_for_moderator(tx: Tx, viewer: Person) -> Announcement | None:
    """Return the announcement in force, for a site moderator. Raises NotFound."""
    require_site_right(viewer, SiteRight.ANNOUNCE_TO_SITE)
    return _announcement_in_force(tx)


def preview_announcement(
    tx: Tx, viewer: Person, announcement_request: AnnouncementRequest
) -> Announcement:
    """Return what everyone would see. Raises NotFound, FieldErrors and NotAllowed."""
    require_site_right(viewer, SiteRight.ANNOUNCE_TO_SITE)
    checked_announcement, _ = _checked_announcement(announcement_request, tx.now)
    _require_room(tx)
    return checked_announcement


def publish_announcement(tx: Tx, viewer: Person, announcement_request: AnnouncementRequest) -> None:
    """Show an announcement on every page. A form sent twice announces once. Raises NotFound, FieldErrors and NotAllowed."""
    require_site_right(viewer, SiteRight.ANNOUNCE_TO_SITE)
    settings.lock(tx)
    form_key = _form_key(viewer, _ANNOUNCE_ACT, announcement_request.form_id)
    if ledger.entry_of_form(tx, form_key) is not None:
        return
    checked_announcement, reason = _checked_announcement(announcement_request, tx.now)
    _require_room(tx)
    entry = NewLedgerEntry(
        act=_ANNOUNCE_ACT,
        actor_id=viewer.id,
        acted_as=Relation.SITE_MODERATOR,
        after={
            "text": checked_announcement.text,
            "expires_at": checked_announcement.expires_at.isoformat(),
        },
        reason=reason,
        form_id=form_key,
        at=tx.now,
    )
    entry_id = record_act(tx, entry)
    assert entry_id is not None
    stored_announcement = msgspec.structs.replace(checked_announcement, id=entry_id)
    settings.store_values(tx, {_SETTING_NAME: msgspec.to_builtins(stored_announcement)})


def withdraw_announcement(tx: Tx, viewer: Person, number: int, *, reason: str) -> None:
    """Take an announcement off every page. Raises NotFound, FieldErrors, and NotAllowed if it is there no more."""
    require_site_right(viewer, SiteRight.ANNOUNCE_TO_SITE)
    settings.lock(tx)
    stated_reason, shown_announcement = checked_reason(reason), _announcement_in_force(tx)
    if shown_announcement is None or shown_announcement.id != number:
        raise NotAllowed(DenialReason.ANNOUNCEMENT_GONE)
    entry = NewLedgerEntry(
        act=_WITHDRAW_ACT,
        actor_id=viewer.id,
        acted_as=Relation.SITE_MODERATOR,
        before={"text": shown_announcement.text},
        reason=stated_reason,
        form_id=_form_key(viewer, _WITHDRAW_ACT, str(number)),
        at=tx.now,
    )
    record_act(tx, entry)
    settings.store_values(tx, {_SETTING_NAME: None})


def dismiss_announcement(tx: Tx, viewer: Person, number: int) -> bool:
    """Hide the announcement with this number from one person; return False for one that is not announced yet."""
    shown_announcement = _announcement_in_force(tx)
    if shown_announcement is None or number > shown_announcement.id:
        return False
    accounts.dismiss_announcement(tx, viewer.id, number)
    return True


def _announcement_in_force(tx: Tx) -> Announcement | None:
    # The environment has no say in announcements, so no defaults need to be given.
    announcement = read_settings(tx, SiteSettings()).announcement
    return (
        None
        if announcement is None or has_passed(announcement.expires_at, now=tx.now)
        else announcement
    )


def _checked_announcement(
    announcement_request: AnnouncementRequest, now: datetime
) -> tuple[Announcement, str]:
    """Return the announcement, without its number, and the reason. Raises FieldErrors with everything that is wrong."""
    text, errors = plain_text_and_errors(
        "announcement", announcement_request.text, max_length=MAX_TEXT_LENGTH
    )
    if not text:
        errors.append(FieldError("announcement", "required"))
    if announcement_request.hours not in OFFERED_HOURS:
        errors.append(FieldError("hours", "unknown"))
    try:
        reason = checked_reason(announcement_request.reason)
    except FieldErrors as refusal:
        errors.extend(refusal.errors)
        raise FieldErrors(*errors) from None
    if errors:
        raise FieldErrors(*errors)
    expires_at = now + timedelta(hours=announcement_request.hours or 0)
    return Announcement(id=0, text=text, expires_at=expires_at), reason


def _require_room(tx: Tx) -> None:
    if _announcement_in_force(tx) is not None:
        raise NotAllowed(DenialReason.ANNOUNCED_ALREADY)
    if ledger.count_of_site(tx, _ANNOUNCE_ACT, since=tx.now - _DAY) >= MAX_ANNOUNCEMENTS_PER_DAY:
        raise NotAllowed(DenialReason.TOO_MANY_SITE_ANNOUNCEMENTS)


def _form_key(viewer: Person, act: str, form_id: str) -> str:
    """Return the form's id bound to person and act, so that no one can use up the form of another."""
    return hash_of("\n".join((str(viewer.id), act, form_id))).hex()
