"""Build the contexts of emails about sanctions and reports; or find that they are superseded."""

from webapp.clock import has_passed
from webapp.services.moderation.appeals import appeal_token
from webapp.services.notifications.email_context import (
    BanLiftedContext,
    ReportDecidedContext,
    SanctionContext,
)
from webapp.services.notifications.email_sources import EmailSource, Superseded, envelope_for


def sanction_email(source: EmailSource) -> SanctionContext:
    """Return what a warned, renamed or banned person is sent."""
    sanction = source.sanction
    if sanction is None:
        raise Superseded("no-sanction")
    is_over = sanction.until is not None and has_passed(sanction.until, now=source.now)
    if is_over or sanction.lifted_at is not None:
        raise Superseded("lifted")
    return SanctionContext(
        envelope=envelope_for(source),
        is_rename=sanction.kind == "rename",
        reason=sanction.reason,
        until=sanction.until,
        appeal_token=appeal_token(sanction, source.keys),
    )


def ban_lifted(source: EmailSource) -> BanLiftedContext:
    """Return what a person is sent whose ban has been lifted. Raises Superseded if they are banned again."""
    banned_until = source.notification.banned_until
    if banned_until is not None and not has_passed(banned_until, now=source.now):
        raise Superseded("banned")
    return BanLiftedContext(envelope=envelope_for(source))


def report_decided(source: EmailSource) -> ReportDecidedContext:
    """Return what the sender of a report or an appeal is sent once a moderator has decided."""
    report = source.report
    if report is None or report.answer is None:
        raise Superseded("no-report")
    return ReportDecidedContext(
        envelope=envelope_for(source), is_appeal=report.kind == "appeal", answer=report.answer
    )
