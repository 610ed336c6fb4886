"""Outages of email: while no relay takes any email, no deadline runs out, and afterwards all of them move by the length.

They are known from attempts to reach the relay, not from emails that wait: an address that delays its emails is no outage.
What a maintenance or an outage of the server has given back is not given back again.
"""

from datetime import datetime, timedelta
from typing import Final

from webapp.kernel.email_outcomes import DELAY_CAUSES
from webapp.kernel.tx import Tx
from webapp.mail.queries import bounces
from webapp.mail.queries.bounces import DelayedEmails
from webapp.operations.maintenance import SHORTEST_OUTAGE, record_outage
from webapp.operations.queries import outages
from webapp.operations.queries.outages import ClockWork, RelayFailures

LONGEST_OUTAGE: Final = timedelta(days=3)
"""Deadlines run again after this time, and move by no more. Players who were not called get more time by themselves."""
_LONGEST_PAUSE_BETWEEN_ATTEMPTS: Final = timedelta(minutes=70)
"""Without another failure for longer than this, no email was due any more: the outage ended with the last one."""


def clock_work(tx: Tx) -> ClockWork:
    """Return what may stop the clocks of all games, and whether any is due; one statement, which mostly finds nothing."""
    return outages.clock_work(tx)


def is_email_down(tx: Tx) -> bool:
    """Return whether no deadline may run out, because of an outage of email for which they have not been moved yet."""
    failures = outages.relay_failures(tx)
    if failures is None or failures.is_settled:
        return False
    return (_end_of(tx, failures) or tx.now) - failures.began_at > SHORTEST_OUTAGE


def settle_outage(tx: Tx) -> None:
    """Let all deadlines be moved for an outage of email, if it is over or has lasted for as long as it may.

    Of several workers only one finds it. While clocks are moved for something else, it is left to the next call.
    """
    failures = outages.relay_failures(tx, lock=True)
    if failures is None:
        return
    end = _end_of(tx, failures)
    if not failures.is_settled:
        latest_end = failures.began_at + LONGEST_OUTAGE
        if end is None and tx.now < latest_end:
            return
        if not _record(tx, failures.began_at, min(end or tx.now, latest_end)):
            return
    if end is None:
        outages.mark_relay_failures_settled(tx)
        return
    is_down_again = failures.last_failure_at > end
    outages.end_relay_failures(
        tx, next_failure_at=failures.last_failure_at if is_down_again else None
    )


def _end_of(tx: Tx, failures: RelayFailures) -> datetime | None:
    """Return when the relay first took an email again, or the last failure if no email has been due since; None if it lasts."""
    accepted_at = outages.first_email_accepted_after(tx, failures.began_at)
    if accepted_at is not None:
        return accepted_at
    is_silent = tx.now - failures.last_failure_at > _LONGEST_PAUSE_BETWEEN_ATTEMPTS
    return failures.last_failure_at if is_silent else None


def _record(tx: Tx, began_at: datetime, ended_at: datetime) -> bool:
    """Store an outage that was long enough; return False if that must be tried again."""
    if ended_at - began_at <= SHORTEST_OUTAGE:
        return True
    return record_outage(tx, cause="email", began_at=began_at, ended_at=ended_at)


def delayed_email_counts(tx: Tx) -> dict[str, int]:
    """Return how many emails wait after a failure, by its cause; every cause has an entry."""
    counts = {delayed.cause: delayed.count_of_emails for delayed in delayed_emails(tx)}
    return dict.fromkeys(DELAY_CAUSES, 0) | counts


def delayed_emails(tx: Tx) -> list[DelayedEmails]:
    """Return which emails wait after a failure, by cause."""
    return bounces.delayed_by_cause(tx)
