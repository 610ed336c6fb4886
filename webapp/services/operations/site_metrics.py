"""The figures of the whole site for one scrape of its metrics; none of its statements reads a table that grows with the site."""

import msgspec

from webapp.services.operations.alarms import alarm_counts, delayed_email_counts
from webapp.services.operations.audit import AuditStatus, audit_status
from webapp.services.operations.health import Backlog, backlog
from webapp.services.operations.maintenance import are_clocks_stopped
from webapp.services.operations.process_status import ProcessStatus, process_status
from webapp.services.operations.site_figures import SiteFigures, read_figures
from webapp.services.tx import Tx
from webapp.store.notifications import pending_emails


class SiteMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of the whole site."""

    backlog: Backlog
    pending_emails: int
    delayed_emails: dict[str, int]
    """Of these, those that wait after a failure, by its cause."""
    alarms: dict[str, int]
    """How often each alarm was raised."""
    figures: SiteFigures
    processes: ProcessStatus
    audit: AuditStatus
    are_clocks_stopped: bool


def site_metrics(tx: Tx) -> SiteMetrics:
    """Return the present figures."""
    return SiteMetrics(
        backlog=backlog(tx),
        pending_emails=pending_emails.count_pending(tx.connection),
        delayed_emails=delayed_email_counts(tx),
        alarms=alarm_counts(tx),
        figures=read_figures(tx),
        processes=process_status(tx),
        audit=audit_status(tx),
        are_clocks_stopped=are_clocks_stopped(tx),
    )
