"""Outages of the site: found when its health is measured, and kept for as long as they excuse late turns."""

from datetime import datetime, timedelta
from typing import Final, NamedTuple

from sqlalchemy import Executable, delete, exists, func, insert, select, text, update
from sqlalchemy.dialects import postgresql

from webapp.clock.schema import Maintenance
from webapp.kernel.statements import Statement
from webapp.kernel.tx import Tx
from webapp.mail.queries.pending_emails import waiting_since
from webapp.mail.schema import Notification
from webapp.operations.schema import HealthSample, Outage
from webapp.play.queries import clocks

WORKERS: Final = "workers"
MAIL: Final = "mail"
RELAY: Final = "relay"
"""The relay cannot be reached at present; deadlines are still to be moved for it."""
RELAY_SETTLED: Final = "relay-settled"
"""It still cannot be, but for so long that deadlines run again: they have been moved as far as they may be."""
_RELAY_KINDS: Final = (RELAY, RELAY_SETTLED)


class RelayFailures(NamedTuple):
    """Attempts to reach the relay that have failed, with none in between that succeeded."""

    began_at: datetime
    last_failure_at: datetime
    is_settled: bool
    """Whether all the time that may be given back for them has been."""


class ClockWork(NamedTuple):
    """What those who watch the clocks may have to do: mostly none of it."""

    is_maintenance_unfinished: bool
    """Whether maintenance lasts, or clocks are still to be moved after it or an outage."""
    has_relay_failed: bool
    """Whether the last attempts to reach the relay have failed."""
    is_any_game_due: bool
    """Whether any game is due for a reminder or past its deadline, should clocks run."""


def last_sample_before(tx: Tx, sample_start: datetime) -> datetime | None:
    """Return the newest time before this one for which a worker has measured the health of the site."""
    return tx.execute(
        select(func.max(HealthSample.at)).where(
            HealthSample.at < sample_start, HealthSample.workers.is_not(None)
        )
    ).scalar_one()


def mail_stuck_since(tx: Tx, *, max_delay: timedelta) -> datetime | None:
    """Return since when emails wait although they are due, if for that long not one could be sent.

    Only emails to accounts count that became due after the last one that was sent: otherwise an address that delays its
    emails for days, such as one that someone invited, would make an outage of every quiet half-hour since then.
    """
    is_sent = Notification.status == "sent"
    last_sent_at = (
        select(Notification.settled_at)
        .where(is_sent, Notification.settled_at.is_not(None))
        .order_by(Notification.settled_at.desc())
        .limit(1)
        .scalar_subquery()
    )
    oldest: datetime | None = tx.execute(
        select(func.min(waiting_since())).where(
            text("status = 'pending'"),
            Notification.account_id.is_not(None),
            Notification.first_due_at > func.coalesce(last_sent_at, text("'-infinity'")),
        )
    ).scalar_one()
    return oldest if oldest is not None and oldest <= tx.now - max_delay else None


def record(tx: Tx, kind: str, *, began_at: datetime, ended_at: datetime) -> None:
    """Store an outage; one that began at the same time lasts longer."""
    statement = postgresql.insert(Outage).values(kind=kind, began_at=began_at, ended_at=ended_at)
    tx.execute(
        statement.on_conflict_do_update(
            index_elements=[Outage.kind, Outage.began_at],
            set_={"ended_at": func.greatest(Outage.ended_at, statement.excluded.ended_at)},
        )
    )


def delete_old(tx: Tx, before: datetime) -> int:
    """Delete outages; return how many."""
    return tx.execute(delete(Outage).where(Outage.ended_at < before)).rowcount


def clock_work(tx: Tx) -> ClockWork:
    """Return what may stop the clocks of all games, and whether any is due. One statement that takes no lock."""
    [row] = _CLOCK_WORK_STATEMENT.run(tx, now=tx.now)
    return ClockWork(*row)


def _clock_work_statement() -> Executable:
    return select(
        exists().where(Maintenance.shifted_at.is_(None)),
        exists().where(Outage.kind.in_(_RELAY_KINDS)),
        clocks.is_any_due(),
    )


_CLOCK_WORK_STATEMENT: Final = Statement(_clock_work_statement)
"""Run every few seconds, and mostly finds nothing."""


def note_unreachable_relay(tx: Tx) -> None:
    """Store that an attempt to reach the relay has failed: the first one, or another of those since."""
    values = {"ended_at": func.greatest(Outage.ended_at, tx.now)}
    is_known = tx.execute(
        update(Outage).where(Outage.kind.in_(_RELAY_KINDS)).values(values)
    ).rowcount
    if not is_known:
        row = postgresql.insert(Outage).values(kind=RELAY, began_at=tx.now, ended_at=tx.now)
        tx.execute(row.on_conflict_do_nothing())


def relay_failures(tx: Tx, *, lock: bool = False) -> RelayFailures | None:
    """Return since when the relay cannot be reached; None if the last attempt succeeded, as far as is known."""
    query = select(Outage.began_at, Outage.ended_at, Outage.kind).where(
        Outage.kind.in_(_RELAY_KINDS)
    )
    rows = tx.execute(query.with_for_update() if lock else query).all()
    if not rows:
        return None
    return RelayFailures(
        began_at=min(row.began_at for row in rows),
        last_failure_at=max(row.ended_at for row in rows),
        is_settled=any(row.kind == RELAY_SETTLED for row in rows),
    )


def first_email_accepted_after(tx: Tx, at: datetime) -> datetime | None:
    """Return when the relay accepted an email for the first time after an instant."""
    return tx.execute(
        select(Notification.settled_at)
        .where(Notification.status == "sent", Notification.settled_at > at)
        .order_by(Notification.settled_at)
        .limit(1)
    ).scalar()


def mark_relay_failures_settled(tx: Tx) -> None:
    tx.execute(update(Outage).where(Outage.kind == RELAY).values(kind=RELAY_SETTLED))


def end_relay_failures(tx: Tx, *, next_failure_at: datetime | None) -> None:
    """Forget that the relay could not be reached; ``next_failure_at`` is when it could not again, after it could."""
    tx.execute(delete(Outage).where(Outage.kind.in_(_RELAY_KINDS)))
    if next_failure_at is not None:
        values = {"kind": RELAY, "began_at": next_failure_at, "ended_at": next_failure_at}
        tx.execute(insert(Outage).values(values))
