"""Reports by players: about someone at a table, one of their messages, or the table itself."""

from datetime import timedelta
from typing import Final, NamedTuple

from webapp.accounts.names import has_only_visible_characters, without_emoji_joiners
from webapp.accounts.person import Person
from webapp.kernel.refusals import DenialReason, FieldError, FieldErrors, NotAllowed
from webapp.kernel.statements import lock_count
from webapp.kernel.tx import Tx
from webapp.moderation.queries import reports
from webapp.moderation.queries.reports import NewReport
from webapp.play.reported_table import ReportedMessage, ReportedTable

MAX_COMPLAINT_LENGTH: Final = 1000
REPORT_KINDS: Final = ("name", "stalling", "unfair", "other")
"""What a report may be about that is about no message."""
MAX_REPORTS_PER_DAY: Final = 10
_DAY: Final = timedelta(days=1)
_LINE_BREAK: Final = "\n"


class Complaint(NamedTuple):
    """What a player writes; ``seat`` is None for a report about the table itself."""

    kind: str
    seat: int | None
    text: str


def checked_complaint(typed_complaint: str) -> str:
    """Return a text without surrounding blanks. Raises FieldErrors for ``complaint``."""
    text = _LINE_BREAK.join(typed_complaint.strip().splitlines())
    if not text:
        raise FieldErrors(FieldError("complaint", "required"))
    if len(text) > MAX_COMPLAINT_LENGTH:
        raise FieldErrors(FieldError("complaint", "too-long", {"max": MAX_COMPLAINT_LENGTH}))
    if not all(map(has_only_visible_characters, map(without_emoji_joiners, text.splitlines()))):
        raise FieldErrors(FieldError("complaint", "control-characters"))
    return text


def send_report(tx: Tx, reporter: Person, table: ReportedTable, complaint: Complaint) -> None:
    """Store a report about a seat, or about the table and so its host if there is none. Raises FieldErrors and NotAllowed."""
    seat = complaint.seat
    if complaint.kind not in REPORT_KINDS:
        raise FieldErrors(FieldError("kind", "unknown"))
    if seat is not None and (seat >= len(table.accounts) or table.accounts[seat] is None):
        raise FieldErrors(FieldError("seat", "unknown"))
    account_id = table.host_id if seat is None else table.accounts[seat]
    if account_id == reporter.id:
        raise NotAllowed(DenialReason.REPORTS_ONESELF)
    report = NewReport(
        kind=complaint.kind,
        reporter_id=reporter.id,
        account_id=account_id,
        game_id=table.game_id,
        seat=seat,
        complaint=checked_complaint(complaint.text),
        at=tx.now,
    )
    _store(tx, reporter, report)


def report_message(
    tx: Tx, reporter: Person, game_id: int, message: ReportedMessage, complaint: str
) -> None:
    """Store a report about a message, with what it says now: a later change does not touch the evidence. Raises FieldErrors and NotAllowed."""
    report = NewReport(
        kind="message",
        reporter_id=reporter.id,
        account_id=message.author_id,
        game_id=game_id,
        seat=message.seat,
        message_number=message.number,
        message_text=message.text,
        complaint=checked_complaint(complaint),
        at=tx.now,
    )
    _store(tx, reporter, report)


def _store(tx: Tx, reporter: Person, report: NewReport) -> None:
    lock_count(tx, "reports", reporter.id)
    if reports.count_since(tx, reporter.id, tx.now - _DAY) >= MAX_REPORTS_PER_DAY:
        raise NotAllowed(DenialReason.TOO_MANY_REPORTS)
    if not reports.add(tx, report):
        raise NotAllowed(DenialReason.REPORTED_ALREADY)
