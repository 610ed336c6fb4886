"""Deciding on reports: dismissed, or followed by an act on the person. A reported message can be removed before or after that.

There are two texts: the person reads what was decided about them, and the reporter only that it was dealt with.
"""

import hashlib
from typing import Final, NamedTuple

import msgspec

from webapp.accounts.person import Person
from webapp.accounts.relations import require_site_right
from webapp.accounts.security_log import record_act
from webapp.kernel.refusals import DenialReason, NotAllowed, NotFound, checked_reason
from webapp.kernel.rights import SiteRight
from webapp.kernel.tx import Tx
from webapp.mail.queries import outbox
from webapp.mail.queries.outbox import NewNotification
from webapp.moderation.queries import games_under_moderation, reports
from webapp.moderation.queries.ledger import NewLedgerEntry
from webapp.moderation.queries.reports import Decision, ReportRow
from webapp.moderation.sanctions import SanctionRequest, sanction_person
from webapp.play.reported_table import remove_reported_message

DISMISS: Final = "dismiss"
DECISIONS: Final = (DISMISS, "warn", "rename", "ban", "unban")
_MOST_REPORTS: Final = 100


class Ruling(NamedTuple):
    """An act on the reported person, with the text that they read, and the answer that only the reporter reads."""

    sanction_request: SanctionRequest
    answer: str


class ListedReports(NamedTuple):
    """Reports that a moderator may read, and how many are about this moderator, who sees neither their text nor their author."""

    shown: tuple[ReportRow, ...]
    hidden_count: int


def waiting_reports(tx: Tx, viewer: Person) -> ListedReports:
    """Return the reports that wait, the oldest first. Raises NotFound if the viewer may not decide on them."""
    require_site_right(viewer, SiteRight.DECIDE_REPORT)
    return _readable(reports.find_waiting(tx, limit=_MOST_REPORTS), viewer)


def decided_reports(tx: Tx, viewer: Person) -> ListedReports:
    """Return the newest reports that are decided. Raises NotFound."""
    require_site_right(viewer, SiteRight.DECIDE_REPORT)
    return _readable(reports.find_decided(tx, limit=_MOST_REPORTS), viewer)


def find_report(tx: Tx, viewer: Person, number: int) -> ReportRow:
    """Return one report. Raises NotFound, also for a report about the viewer."""
    require_site_right(viewer, SiteRight.DECIDE_REPORT)
    report = reports.find_many(tx, [number]).get(number)
    if report is None or report.account_id == viewer.id:
        raise NotFound
    return report


def _readable(found_reports: tuple[ReportRow, ...], viewer: Person) -> ListedReports:
    shown = tuple(report for report in found_reports if report.account_id != viewer.id)
    return ListedReports(shown, len(found_reports) - len(shown))


def dismiss_report(tx: Tx, viewer: Person, number: int, *, answer: str, form_id: str) -> None:
    """Decide that nothing is done about a report. Raises NotFound, NotAllowed, and FieldErrors for ``answer``."""
    report = find_report(tx, viewer, number)
    stated_reason = checked_reason(answer, field="answer")
    entry = NewLedgerEntry(
        act="dismiss-report",
        actor_id=viewer.id,
        acted_as="site-moderator",
        reason=stated_reason,
        form_id=_form_key(viewer, number, DISMISS, answer, form_id),
        at=tx.now,
    )
    if record_act(tx, entry) is not None:
        _close_report(tx, viewer, report, decision=DISMISS, answer=stated_reason)


def decide_report(tx: Tx, viewer: Person, number: int, ruling: Ruling) -> None:
    """Do to the reported person what the moderator wishes, and answer the reporter.

    Raises what ``sanction_person`` raises, and FieldErrors for ``answer``.
    """
    report = find_report(tx, viewer, number)
    if report.person_ref is None:
        raise NotFound
    answer, sanction_request = (
        checked_reason(ruling.answer, field="answer"),
        ruling.sanction_request,
    )
    if sanction_person(tx, viewer, report.person_ref, sanction_request):
        _close_report(tx, viewer, report, decision=sanction_request.kind, answer=answer)


def remove_message(tx: Tx, viewer: Person, number: int, *, reason: str, form_id: str) -> None:
    """Remove the message that a report is about from its table; its author reads the reason. A second press does nothing.

    Raises NotFound, FieldErrors for ``reason``, and NotAllowed if it is gone, and for moderators who play or played there.
    """
    require_site_right(viewer, SiteRight.REMOVE_MESSAGE)
    report = find_report(tx, viewer, number)
    if report.message_number is None or report.slug is None or report.account_id is None:
        raise NotFound
    game = games_under_moderation.find(tx, report.slug)
    assert game is not None
    if viewer.id in game.people or viewer.id in game.sat:
        raise NotAllowed(DenialReason.OWN_TABLE)
    entry = NewLedgerEntry(
        act=SiteRight.REMOVE_MESSAGE,
        actor_id=viewer.id,
        acted_as="site-moderator",
        game_id=game.id,
        seq=game.seq,
        account_id=report.account_id,
        after={"message": report.message_number},
        reason=checked_reason(reason),
        form_id=_form_key(viewer, number, SiteRight.REMOVE_MESSAGE, reason, form_id),
        at=tx.now,
    )
    if record_act(tx, entry) is None:
        return
    if not remove_reported_message(tx, game.id, report.message_number, author_id=report.account_id):
        raise NotAllowed(DenialReason.MESSAGE_GONE)


def _form_key(viewer: Person, number: int, act: str, text: str, form_id: str) -> str:
    """Return the form's id bound to who acts on which report and why: a changed form is another one."""
    key = msgspec.json.encode((viewer.id, number, act, text, form_id))
    return hashlib.sha256(key).hexdigest()


def _close_report(tx: Tx, viewer: Person, report: ReportRow, *, decision: str, answer: str) -> None:
    stored_decision = Decision(decided_by=viewer.id, decision=decision, answer=answer, at=tx.now)
    if not reports.decide_report(tx, report.id, stored_decision):
        raise NotAllowed(DenialReason.REPORT_DECIDED)
    if report.reporter_id is None:
        return
    email = NewNotification(
        kind="report-decided",
        game_id=None,
        account_id=report.reporter_id,
        dedup_key=report.id,
        due_at=tx.now,
    )
    outbox.enqueue(tx, [email])
