"""Reads received emails: each is examined, then locked, its commands are executed, and it is settled with its answer, in one transaction.

So a killed worker loses none and plays none twice. Nothing is done for an email unless its token was issued for the account
whose address is in From, and it is proven that it comes from there. The answer always goes to the account's own address.
"""

import logging
import re
from collections.abc import Collection
from datetime import timedelta
from typing import Final

from webapp.accounts.person import Person
from webapp.accounts.queries import accounts
from webapp.kernel.i18n import Language, language_for
from webapp.kernel.networks import FetchTexts
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.logs.fields import event_fields
from webapp.mail.compose import reply_markers
from webapp.mail.inbound.authentication import is_sender_proven
from webapp.mail.inbound.delivery_reports import read_delivery_report
from webapp.mail.inbound.execution import (
    CommandOutcome,
    ReplyOutcome,
    ReplyTurn,
    encode_outcome,
    execute,
)
from webapp.mail.inbound.reading import ReceivedEmail, read_email
from webapp.mail.outbox.bounces import DeliveryReport, record_report
from webapp.mail.outbox.unsubscribe import unsubscribe_by_hash
from webapp.mail.queries import outbox, replies
from webapp.mail.queries.outbox import NewNotification
from webapp.mail.queries.replies import InboundEmailRow, ReplyTokenRow

MAX_ANSWERS_A_DAY: Final = 100
"""How many emails of one person are read within a day; more than that are written by a program."""
MAX_UNPROVEN_ANSWERS_A_DAY: Final = 5
"""How many emails of a person are answered within a day without a proof that they have sent them.

They don't count among the others: no one can use up the answers of someone else.
"""
_DAY: Final = timedelta(days=1)
_DOMAIN: Final = re.compile(r"(?=.{1,100}$)[a-z0-9-]+(\.[a-z0-9-]+)+")
"""A domain as it is shown to the player; anyone may have chosen it."""
_log = logging.getLogger(__name__)


class ExaminedEmail(Redacted, frozen=True, kw_only=True):
    """A received email, and what could be found out about it without the database."""

    row: InboundEmailRow
    email: ReceivedEmail
    report: DeliveryReport | None
    """The report of a mail server about an email from here, if it is one."""
    is_proven: bool
    """Whether it comes from the domain in its From."""
    is_from_here: bool
    """Whether it says that this site itself has sent it."""


def next_email(tx: Tx) -> InboundEmailRow | None:
    """Return the oldest email that waits; None if there is none."""
    return replies.next_waiting(tx)


def examine(
    row: InboundEmailRow,
    *,
    authserv_id: str,
    fetch_texts: FetchTexts,
    own_addresses: Collection[str] = (),
) -> ExaminedEmail:
    """Read an email, and find out who has sent it; that may take seconds, so no transaction is open.

    ``authserv_id`` names the mail server whose Authentication-Results count; empty if the receiver checks signatures itself.
    ``own_addresses`` are those of the site, without tokens.
    """
    email = read_email(row.message, markers=reply_markers())
    is_proven = row.is_vouched or (
        row.token_hash is not None
        and not email.is_automatic
        and is_sender_proven(email, row.message, authserv_id=authserv_id, fetch_texts=fetch_texts)
    )
    report = None if row.notification_id is None else read_delivery_report(row.message)
    local_part, at, domain = email.sender.lower().rpartition("@")
    bare_sender = f"{local_part.partition('+')[0]}{at}{domain}"
    is_from_here = bool(at) and bare_sender in set(map(str.lower, own_addresses))
    return ExaminedEmail(
        row=row, email=email, report=report, is_proven=is_proven, is_from_here=is_from_here
    )


def settle_email(tx: Tx, examined: ExaminedEmail) -> None:
    """Do what an email asks for, unless another worker has done it meanwhile."""
    row = replies.lock(tx, examined.row.id)
    if row is None:
        return
    if row.notification_id is not None:
        outcome = record_report(tx, row.notification_id, examined.report)
        _ignore(tx, row, outcome)
        return
    token_hash = row.token_hash or b""
    found = replies.find_token(tx, token_hash)
    if found is None:
        has_stopped = unsubscribe_by_hash(tx, token_hash)
        _ignore(tx, row, "unsubscribed" if has_stopped else "unknown-token")
        return
    token, slug = found
    person = _sender(tx, token)
    reason = _reason_to_ignore(tx, examined, person)
    if person is None or reason:
        _ignore(tx, row, reason or "no-account")
        return
    turn = ReplyTurn(slug, token.seq, person, row.id)
    is_own = _is_from(person, examined)
    may_act = examined.is_proven and is_own
    commands = execute(tx, turn, examined.email.lines, may_act=may_act)
    actions = {command.action for command in commands if command.action}
    found_out = ReplyOutcome(
        commands=commands if is_own else (),
        is_proven=may_act,
        understood_action=actions.pop() if len(actions) == 1 else "",
        other_domain=None if is_own else _shown_domain(examined.email.sender),
    )
    _answer(tx, row, token, found_out, is_proven=may_act)


def give_up_email(tx: Tx, email_id: int, examined: ExaminedEmail | None) -> None:
    """Settle an email that could not be settled, because the others must be read.

    ``examined`` is None if the email could not even be examined: then it may be a program's, and gets no answer.
    """
    row = replies.lock(tx, email_id)
    if row is None:
        return
    _log.error("Email %s cannot be read.", row.id, extra=event_fields("reply-failed", reply=row.id))
    found = replies.find_token(tx, row.token_hash or b"")
    person = None if found is None else _sender(tx, found[0])
    if found is None or person is None or examined is None:
        _ignore(tx, row, "failed")
        return
    reason = _reason_to_ignore(tx, examined, person)
    if reason or not _is_from(person, examined):
        _ignore(tx, row, reason or "other-sender")
        return
    sentence = _language(person).gettext(
        "Something went wrong on our side, and nothing was played. Please play on the website."
    )
    command = CommandOutcome("", sentence, is_done=False, public_reason=sentence)
    outcome = ReplyOutcome(commands=(command,))
    _answer(tx, row, found[0], outcome, is_proven=examined.is_proven)


def _sender(tx: Tx, token: ReplyTokenRow) -> Person | None:
    """Return the person for whom the token was issued, unless they have deleted their account or are banned."""
    person = accounts.find(tx, token.account_id)
    return None if person is None or person.is_banned(now=tx.now) else person


def _reason_to_ignore(tx: Tx, examined: ExaminedEmail, person: Person | None) -> str | None:
    """Return why an email gets no answer: two programs could answer each other for ever."""
    if person is None:
        return "no-account"
    if examined.email.is_automatic:
        return "automatic"
    if not examined.email.sender:
        return "no-sender"
    is_own = _is_from(person, examined)
    if examined.is_from_here and not is_own:
        return "automatic"
    is_proven = examined.is_proven and is_own
    count = replies.count_answered(tx, person.id, is_proven=is_proven, since=tx.now - _DAY)
    most = MAX_ANSWERS_A_DAY if is_proven else MAX_UNPROVEN_ANSWERS_A_DAY
    return "too-many" if count >= most else None


def _is_from(person: Person, examined: ExaminedEmail) -> bool:
    """Return whether an email says that it comes from the player's own address."""
    return examined.email.sender.casefold() == person.address.casefold()


def _shown_domain(address: str) -> str:
    """Return the domain of an address; empty if it is not one that can be shown."""
    domain = address.rpartition("@")[2].lower()
    return domain if _DOMAIN.fullmatch(domain) else ""


def _ignore(tx: Tx, row: InboundEmailRow, reason: str) -> None:
    replies.settle(tx, row.id, account_id=None, is_proven=None, outcome=reason)
    _log.info(
        "Email %s is not answered: %s.",
        row.id,
        reason,
        extra=event_fields("reply-ignored", reply=row.id, reason=reason),
    )


def _answer(
    tx: Tx,
    row: InboundEmailRow,
    token: ReplyTokenRow,
    outcome: ReplyOutcome,
    *,
    is_proven: bool,
) -> None:
    replies.settle(
        tx,
        row.id,
        account_id=token.account_id,
        is_proven=is_proven,
        outcome=encode_outcome(outcome),
    )
    answer = NewNotification(
        kind="reply-answered",
        game_id=token.game_id,
        seq=token.seq,
        account_id=token.account_id,
        dedup_key=row.id,
        due_at=tx.now,
    )
    outbox.enqueue(tx, [answer])


def _language(person: Person) -> Language:
    return language_for(person.language)
