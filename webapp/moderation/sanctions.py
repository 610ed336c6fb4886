"""Acts on people: warn, ban, lift a ban, rename. Each is recorded in the ledger, and the person gets an email, from which they can appeal."""

import hashlib
from datetime import datetime, timedelta
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from webapp.accounts.names import checked_name
from webapp.accounts.person import Person
from webapp.accounts.relations import require_site_right
from webapp.accounts.security_log import record_act
from webapp.clock.pace.calendar import lies_ahead
from webapp.kernel.database import is_storable
from webapp.kernel.keyring import Keyring, hash_of
from webapp.kernel.redacted import Redacted
from webapp.kernel.refusals import (
    DenialReason,
    FieldErrors,
    NotAllowed,
    NotFound,
    checked_reason,
    out_of_range,
)
from webapp.kernel.rights import OPERATOR, SiteRight
from webapp.kernel.tx import Tx
from webapp.mail.queries import outbox
from webapp.mail.queries.outbox import NewNotification
from webapp.moderation.new_reports import checked_complaint
from webapp.moderation.queries import ledger, reports, sanctions
from webapp.moderation.queries.ledger import NewLedgerEntry
from webapp.moderation.queries.reports import NewReport
from webapp.moderation.queries.sanctions import NewSanction, PersonToSanction, SanctionRow

_PURPOSE: Final = "appeal"


class SentAppeal(Redacted, frozen=True, kw_only=True):
    """An appeal that a person has sent; ``answer`` is None until a moderator has decided."""

    complaint: str
    at: datetime
    answer: str | None


class AppealPage(Redacted, frozen=True, kw_only=True):
    """What an appeal is against, and the appeal if it was sent."""

    kind: str
    reason: str
    until: datetime | None
    is_lifted: bool
    zone: str
    """The time zone of the person, who need not be signed in."""
    sent: SentAppeal | None


def _new_appeal_token(ledger_id: int, keys: Keyring) -> str:
    """Return the token with which the person will appeal against what this entry of the ledger records."""
    return keys.token(_PURPOSE, ledger_id)


def appeal_token(sanction: SanctionRow, keys: Keyring) -> str:
    """Return the token with which the person appeals, made with the key that was in use at the time, if it is known."""
    tokens = keys.tokens(_PURPOSE, sanction.ledger_id)
    return next((token for token in tokens if hash_of(token) == sanction.appeal_hash), tokens[0])


def appeal_page(tx: Tx, token: str) -> AppealPage:
    """Return what the token appeals against. Raises NotFound."""
    sanction, zone = _find_sanction_and_zone(tx, token)
    return AppealPage(
        kind=sanction.kind,
        reason=sanction.reason,
        until=sanction.until,
        is_lifted=sanction.lifted_at is not None,
        zone=zone,
        sent=_sent_appeal(tx, sanction),
    )


def send_appeal(tx: Tx, token: str, *, text: str) -> None:
    """Store an appeal for the moderators. Raises NotFound, FieldErrors, and NotAllowed if one was sent already."""
    sanction, _ = _find_sanction_and_zone(tx, token)
    if _sent_appeal(tx, sanction) is not None:
        raise NotAllowed(DenialReason.APPEALED_ALREADY)
    report = NewReport(
        kind="appeal",
        reporter_id=sanction.account_id,
        account_id=sanction.account_id,
        sanction_id=sanction.id,
        complaint=checked_complaint(text),
        at=tx.now,
    )
    if not reports.add(tx, report):
        raise NotAllowed(DenialReason.APPEALED_ALREADY)


def _find_sanction_and_zone(tx: Tx, token: str) -> tuple[SanctionRow, str]:
    """Return what the token appeals against, and the time zone of the person."""
    found_sanction = sanctions.find_by_appeal(tx, hash_of(token))
    if found_sanction is None:
        raise NotFound
    return found_sanction


def _sent_appeal(tx: Tx, sanction: SanctionRow) -> SentAppeal | None:
    appeal_report = reports.newest_appeal(
        tx, account_id=sanction.account_id, sanction_id=sanction.id
    )
    if appeal_report is None:
        return None
    return SentAppeal(
        complaint=appeal_report.complaint, at=appeal_report.at, answer=appeal_report.answer
    )


class ShownSanction(msgspec.Struct, frozen=True, kw_only=True):
    """A sanction as the person it is about reads it."""

    is_rename: bool
    reason: str
    until: datetime | None
    appeal_token: str


SanctionKind: TypeAlias = Literal["warn", "ban", "unban", "rename"]
SANCTION_KINDS: Final[tuple[SanctionKind, ...]] = ("warn", "ban", "unban", "rename")
MAX_BAN_DAYS: Final = 365
"""Days; a ban always ends."""
RIGHT_OF_SANCTION: Final[dict[SanctionKind, SiteRight]] = {
    "warn": SiteRight.WARN,
    "ban": SiteRight.BAN,
    "unban": SiteRight.BAN,
    "rename": SiteRight.RENAME_PERSON,
}
_STORED_KIND: Final[dict[SanctionKind, str]] = {
    "warn": "warning",
    "ban": "ban",
    "rename": "rename",
}
_EMAIL_KIND: Final[dict[SanctionKind, str]] = {
    "warn": "warning",
    "ban": "ban",
    "rename": "warning",
}
_DAY: Final = timedelta(days=1)


class SanctionRequest(NamedTuple):
    """What a moderator wants to do to a person."""

    kind: SanctionKind
    reason: str
    form_id: str
    """A second press of the same form's button does nothing."""
    days: int | None = None
    """How long a ban lasts."""
    name: str = ""
    """The new name of someone who is renamed."""
    expected_entry: int | None = None
    """The newest act on the person when this one was previewed, 0 if there was none; None if it does not matter."""


class SanctionPreview(NamedTuple):
    """What an act would do."""

    name: str
    """Of the person now."""
    until: datetime | None
    new_name: str
    entry: int = 0
    """The newest act on the person, or 0."""


def preview(tx: Tx, actor: Person | None, ref: str, request: SanctionRequest) -> SanctionPreview:
    """Return what would happen. Raises what ``sanction_person`` raises."""
    person = person_to_sanction(tx, actor, ref, request.kind)
    checked_reason(request.reason)
    newest_entry = ledger.newest_sanction(tx, person.id)
    return _plan_sanction(person, request, tx.now)._replace(entry=newest_entry)


def sanction_person(
    tx: Tx,
    actor: Person | None,
    ref: str,
    request: SanctionRequest,
) -> bool:
    """Warn, ban or rename a person, or lift their ban; return False if this form was sent before.

    Without an actor it is the operator. Raises NotFound, FieldErrors for the fields of the request, and NotAllowed, also if
    another moderator has acted on the person since the preview.
    """
    person = person_to_sanction(tx, actor, ref, request.kind)
    request = request._replace(form_id=_form_key(actor, ref, request))
    if ledger.entry_of_form(tx, request.form_id) is not None:
        return False
    _require_unchanged(tx, person, request)
    planned_sanction = _plan_sanction(person, request, tx.now)
    request = request._replace(reason=checked_reason(request.reason))
    ledger_id = record_act(tx, _entry(person, actor, request, planned_sanction, tx.now))
    assert ledger_id is not None
    if request.kind == "unban":
        sanctions.lift_bans(tx, person.id)
        sanctions.set_ban(tx, person.id, None)
        _queue_email(tx, "ban-lifted", person, ledger_id)
        return True
    new_sanction = NewSanction(
        account_id=person.id,
        kind=_STORED_KIND[request.kind],
        reason=request.reason,
        at=tx.now,
        until=planned_sanction.until,
        ledger_id=ledger_id,
        appeal_hash=hash_of(_new_appeal_token(ledger_id, tx.keys)),
    )
    sanction_id = sanctions.add(tx, new_sanction)
    _apply_sanction(tx, person, request, planned_sanction, sanction_id)
    return True


def person_to_sanction(
    tx: Tx, actor: Person | None, ref: str, kind: SanctionKind
) -> PersonToSanction:
    """Return the person, locked. Raises NotFound without the right, and NotAllowed for oneself and for moderators."""
    if actor is not None:
        require_site_right(actor, RIGHT_OF_SANCTION[kind])
    person = sanctions.lock_person(tx, ref) if is_storable(ref) else None
    if person is None:
        raise NotFound
    if actor is not None and person.id == actor.id:
        raise NotAllowed(DenialReason.SANCTIONS_ONESELF)
    if actor is not None and person.is_moderator:
        raise NotAllowed(DenialReason.SANCTIONS_MODERATOR)
    return person


def ref_of_address(tx: Tx, address: str) -> str:
    """Return the ref of the account with this address. Raises NotFound."""
    person = sanctions.lock_address(tx, address)
    if person is None:
        raise NotFound
    return person.ref


def _plan_sanction(
    person: PersonToSanction, request: SanctionRequest, now: datetime
) -> SanctionPreview:
    if request.kind == "ban":
        if request.days is None or not 1 <= request.days <= MAX_BAN_DAYS:
            raise FieldErrors(out_of_range("days", 1, MAX_BAN_DAYS))
        return SanctionPreview(person.name, now + request.days * _DAY, "")
    if request.kind == "unban" and not lies_ahead(person.banned_until, now=now):
        raise NotAllowed(DenialReason.NOT_BANNED)
    new_name = checked_name(request.name, ()) if request.kind == "rename" else ""
    return SanctionPreview(person.name, None, new_name)


def _form_key(actor: Person | None, ref: str, request: SanctionRequest) -> str:
    """Return the form's id bound to who acts on whom and what was filled in: a changed form is another one."""
    filled_fields = (
        request.kind,
        request.days,
        request.name,
        request.reason,
    )
    key = (0 if actor is None else actor.id, ref, filled_fields, request.form_id)
    return hashlib.sha256(msgspec.json.encode(key)).hexdigest()


def _require_unchanged(tx: Tx, person: PersonToSanction, request: SanctionRequest) -> None:
    newest_entry = ledger.newest_sanction(tx, person.id)
    if request.expected_entry not in {None, newest_entry}:
        raise NotAllowed(DenialReason.SANCTIONED_MEANWHILE)


def _entry(
    person: PersonToSanction,
    actor: Person | None,
    request: SanctionRequest,
    planned_sanction: SanctionPreview,
    now: datetime,
) -> NewLedgerEntry:
    """Return the entry of the ledger; names are not kept there, because entries are never deleted."""
    earlier_end, later_end = person.banned_until, planned_sanction.until
    changes_ban = request.kind in {"ban", "unban"}
    return NewLedgerEntry(
        act="rename-person" if request.kind == "rename" else request.kind,
        actor_id=None if actor is None else actor.id,
        acted_as=OPERATOR if actor is None else "site-moderator",
        account_id=person.id,
        before={"banned_until": earlier_end.isoformat()} if changes_ban and earlier_end else {},
        after={"banned_until": later_end.isoformat()} if later_end else {},
        reason=request.reason,
        form_id=request.form_id,
        at=now,
    )


def _apply_sanction(
    tx: Tx,
    person: PersonToSanction,
    request: SanctionRequest,
    planned_sanction: SanctionPreview,
    sanction_id: int,
) -> None:
    """Let the account repeat the sanction, and write the email about it."""
    if request.kind == "ban":
        sanctions.set_ban(tx, person.id, planned_sanction.until)
    else:
        sanctions.set_warning(tx, person.id, sanction_id)
    if request.kind == "rename":
        sanctions.set_name(tx, person.id, planned_sanction.new_name)
    _queue_email(tx, _EMAIL_KIND[request.kind], person, sanction_id)


def _queue_email(tx: Tx, kind: str, person: PersonToSanction, dedup_key: int) -> None:
    email = NewNotification(
        kind=kind, game_id=None, account_id=person.id, dedup_key=dedup_key, due_at=tx.now
    )
    outbox.enqueue(tx, [email])


def unread_warning(tx: Tx, person: Person) -> ShownSanction | None:
    """Return the warning that the person has not confirmed; asks the database only if there is one."""
    if person.warning_id is None:
        return None
    warning = sanctions.find_many(tx, [person.warning_id]).get(person.warning_id)
    return None if warning is None else _shown_sanction(warning, tx.keys)


def ban_of(tx: Tx, person: Person) -> ShownSanction | None:
    """Return the ban of a banned person; None if it has just been lifted."""
    ban = sanctions.newest_ban(tx, person.id)
    return None if ban is None else _shown_sanction(ban, tx.keys)


def acknowledge_warning(tx: Tx, person: Person) -> None:
    """Record that the person has read their warning."""
    sanctions.set_warning(tx, person.id, None)


def _shown_sanction(sanction: SanctionRow, keys: Keyring) -> ShownSanction:
    return ShownSanction(
        is_rename=sanction.kind == "rename",
        reason=sanction.reason,
        until=sanction.until,
        appeal_token=appeal_token(sanction, keys),
    )
