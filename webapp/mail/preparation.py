"""Re-reads what claimed notifications are about, and decides which of their emails still apply, and when they are sent.

Only now is it known whether an email applies, so it is also decided here whether one waits for the end of quiet hours.
``notification.quiet_until`` then keeps the email out of what counts as late.
"""

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec

from webapp.clock.pace.calendar import lies_ahead
from webapp.clock.pace.reminders import ReminderPreferences, quiet_until
from webapp.clock.queries.email_times import quiet_times
from webapp.kernel.config import DEFAULT_EMAIL_WAIT_MINUTES
from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.tx import Tx
from webapp.logs.fields import event_fields, request_id_in_logs
from webapp.mail import stored_message
from webapp.mail.email import Email, EmailSource, Superseded, emails_by_kind
from webapp.mail.envelope import EmailContext
from webapp.mail.mime import MessageParts
from webapp.mail.outbox.delivery import (
    Claim,
    drop_superseded,
    postpone,
    postpone_for_recipients,
    suppress,
)
from webapp.mail.queries import email_facts, opt_outs, replies
from webapp.mail.queries.email_facts import ClaimedNotification
from webapp.mail.queries.opt_outs import StoredOptOut, TokenRow
from webapp.mail.queries.replies import ReplyTokenRow
from webapp.play.access import LoadedGame, load_game
from webapp.play.queries import games

DEFAULT_EMAIL_WAIT: Final = timedelta(minutes=DEFAULT_EMAIL_WAIT_MINUTES)
"""How long recipients have been away from the site before they get an email about their turn."""
MAX_QUIET_WAIT: Final = timedelta(days=4)
"""The time after which a due email is sent even to someone whose quiet hours never end."""
_LONGEST_NIGHT: Final = timedelta(days=1)
"""Even an email that something else has delayed for days waits for quiet hours that end sooner than this."""
_log = logging.getLogger(__name__)


class OutgoingEmail(msgspec.Struct, frozen=True, kw_only=True):
    """An email to be sent: ``context`` is still to be composed, or ``message`` was composed and stored at an earlier claim."""

    claim: Claim
    address: str
    context: EmailContext | None
    message: MessageParts | None
    token_rows: tuple[TokenRow, ...]
    """The rows that make the links that stop such emails work."""
    reply_token_row: ReplyTokenRow | None
    """The row that makes its address for answers and its links to moves work."""

    def __repr__(self) -> str:
        return f"<OutgoingEmail {self.claim.id}>"


class _Candidate(msgspec.Struct):
    """An email that may still apply; its source is completed step by step."""

    claim: Claim
    email: Email[Any, Any]
    source: EmailSource[Any]


class _Decisions:
    """What becomes of the emails of one batch."""

    def __init__(self) -> None:
        self.outgoing_emails: list[OutgoingEmail] = []
        self._dropped_claims: list[tuple[Claim, str]] = []
        self._suppressed_claims: list[Claim] = []
        self._postponed_claims: list[tuple[Claim, datetime]] = []

    def decide(
        self,
        candidate: _Candidate,
        stopped: Mapping[str, Sequence[StoredOptOut]],
        email_wait: timedelta,
    ) -> None:
        try:
            outgoing_email = _outgoing_email(candidate, stopped)
            waits_until = _waits_until(candidate, email_wait)
        except Superseded as superseded:
            self._dropped_claims.append((candidate.claim, superseded.reason.code))
            return
        if _is_suppressed(candidate):
            self._suppressed_claims.append(candidate.claim)
        elif waits_until:
            self._postponed_claims.append((candidate.claim, waits_until))
        else:
            self.outgoing_emails.append(outgoing_email)

    def record(self, tx: Tx) -> None:
        """Drop and postpone what is not sent now."""
        drop_superseded(tx, self._dropped_claims)
        suppress(tx, self._suppressed_claims)
        postpone_for_recipients(tx, self._postponed_claims)


def prepare_emails(
    tx: Tx,
    claims: Sequence[Claim],
    *,
    email_wait: timedelta = DEFAULT_EMAIL_WAIT,
    reply_address: str = "",
) -> tuple[OutgoingEmail, ...]:
    """Return the emails that still apply and need not wait for the end of quiet hours, or for recipients to leave the site.

    Drop the superseded ones with their reasons, and postpone the others. ``reply_address`` is where answers are read, if they are.
    """
    candidates = _read_candidates(tx, claims, reply_address=reply_address)
    stopped = opt_outs.find_all(tx, {each.source.notification.address for each in candidates})
    decisions = _Decisions()
    for each in candidates:
        try:
            decisions.decide(each, stopped, email_wait)
        except Exception:  # noqa: BLE001 - whatever it is, the other emails must be sent
            _postpone_failed(tx, each.claim)
    decisions.record(tx)
    outgoing_emails = decisions.outgoing_emails
    tokens = {row.token_hash: row for email in outgoing_emails for row in email.token_rows}
    opt_outs.store_tokens(tx, list(tokens.values()))
    reply_token_rows = {email.reply_token_row for email in outgoing_emails}
    replies.store_tokens(tx, [row for row in reply_token_rows if row is not None])
    return tuple(outgoing_emails)


def address_of(tx: Tx, notification_id: int) -> str:
    """Return the address of an email's recipient; empty if the recipient no longer exists."""
    [notification] = email_facts.read(tx, [notification_id])
    email = emails_by_kind()[notification.kind]
    source = EmailSource[Any](notification=notification, game=None, keys=tx.keys, now=tx.now)
    facts = email.read_facts(tx, [source]).get(notification_id)
    return _addressed(notification, email, facts).address


def _read_candidates(tx: Tx, claims: Sequence[Claim], *, reply_address: str) -> list[_Candidate]:
    """Read the notifications, their games, and what each kind is about: one statement for each of these."""
    claims_by_id = {claim.id: claim for claim in claims}
    rows = email_facts.read(tx, list(claims_by_id)) if claims else ()
    game_ids = sorted({row.game_id for row in rows if row.game_id is not None})
    games_by_id = games.find_many(tx, game_ids) if game_ids else {}
    candidates: list[_Candidate] = []
    for row in rows:
        game_row = games_by_id.get(row.game_id or 0)
        try:
            game: LoadedGame | None = None if game_row is None else load_game(tx, game_row)
            source = EmailSource[Any](
                notification=row, game=game, keys=tx.keys, now=tx.now, reply_address=reply_address
            )
            candidates.append(_Candidate(claims_by_id[row.id], emails_by_kind()[row.kind], source))
        except Exception:  # noqa: BLE001 - whatever it is, the other emails must be sent
            _postpone_failed(tx, claims_by_id[row.id])
    for email in {each.email: None for each in candidates}:
        _read_facts(tx, email, [each for each in candidates if each.email is email])
    return candidates


def _read_facts(tx: Tx, email: Email[Any, Any], candidates: Sequence[_Candidate]) -> None:
    """Complete the sources of all candidates of one kind."""
    facts_by_id = email.read_facts(tx, [each.source for each in candidates])
    for each in candidates:
        notification = each.source.notification
        facts = facts_by_id.get(notification.id)
        each.source = msgspec.structs.replace(
            each.source, facts=facts, notification=_addressed(notification, email, facts)
        )


def _addressed(
    notification: ClaimedNotification,
    email: Email[Any, Any],
    facts: Any,  # noqa: ANN401 - each kind of email has its own
) -> ClaimedNotification:
    """Return the notification with its addressee, if it names no account."""
    person = None if notification.address or facts is None else email.addressee(facts)
    if person is None:
        return notification
    return msgspec.structs.replace(
        notification,
        address=person.address,
        recipient_id=person.account_id,
        language=person.language,
        zone=person.zone,
        quiet_hours=person.quiet_hours,
    )


def _outgoing_email(
    candidate: _Candidate, stopped: Mapping[str, Sequence[StoredOptOut]]
) -> OutgoingEmail:
    """Return the email. Raises Superseded if it no longer applies or its recipient has opted out."""
    email, source = candidate.email, candidate.source
    notification = source.notification
    if not notification.address:
        raise Superseded(DropReason.NO_ADDRESS)
    if not email.is_about_account:
        if lies_ahead(notification.banned_until, now=source.now):
            raise Superseded(DropReason.BANNED)
        if _is_stopped(candidate, stopped) and not email.answers_recipient(source):
            raise Superseded(DropReason.UNSUBSCRIBED)
    context = email.context(source)
    message = stored_message.decode(notification.message)
    return OutgoingEmail(
        claim=candidate.claim,
        address=notification.address,
        context=None if message is not None else context,
        message=message,
        token_rows=email.unsubscribe(source)[1],
        reply_token_row=email.reply_token_row(source),
    )


def _is_suppressed(candidate: _Candidate) -> bool:
    """Return whether emails to the recipient have come back, so that this one is not sent either."""
    source = candidate.source
    return not candidate.email.is_about_account and lies_ahead(
        source.notification.suppressed_until, now=source.now
    )


def _is_stopped(candidate: _Candidate, stopped: Mapping[str, Sequence[StoredOptOut]]) -> bool:
    notification = candidate.source.notification
    return any(
        opt_out.scope == "everything"
        or (opt_out.scope == "game" and opt_out.game_id == notification.game_id)
        or (opt_out.scope == "reminders" and candidate.email.is_reminder)
        for opt_out in stopped.get(notification.address, ())
    )


def _waits_until(candidate: _Candidate, email_wait: timedelta) -> datetime | None:
    """Return the instant until which an email waits for its recipient; None if it is sent now.

    This depends on the recipient's wishes, their visits, the deadline and the kind of email, never on cards or roles.
    """
    return _quiet_end(candidate) or candidate.email.waits_until(candidate.source, email_wait)


def _quiet_end(candidate: _Candidate) -> datetime | None:
    """Return the end of the recipient's quiet hours for which an email waits; None if it does not wait.

    Emails about the account never wait, nor does one that would come too late for what it asks the recipient to do.
    """
    source = candidate.source
    notification = source.notification
    if not notification.quiet_hours or candidate.email.is_about_account:
        return None
    quiet = quiet_times(notification.quiet_hours, notification.zone)
    quiet_end = quiet_until(source.now, ReminderPreferences(quiet=quiet))
    if quiet_end is None:
        return None
    is_night = quiet_end - source.now < _LONGEST_NIGHT
    if not is_night and quiet_end > notification.first_due_at + MAX_QUIET_WAIT:
        return None
    needed_by = candidate.email.needed_by(source)
    return None if needed_by is not None and needed_by <= quiet_end else quiet_end


def _postpone_failed(tx: Tx, claim: Claim) -> None:
    with request_id_in_logs(claim.request_id):
        _log.exception(
            "Email %s cannot be prepared.",
            claim.id,
            extra=event_fields("email-not-composed", email=claim.id, kind=claim.kind),
        )
    postpone(tx, claim, code="preparing failed")
