"""Turns of players whose time ran out, and reminders of those whose time is running out."""

import logging

from tasks.context import WorkerContext
from webapp.clock import sweep
from webapp.logs.fields import log_effect
from webapp.operations import mail_outages, maintenance

_log = logging.getLogger(__name__)


def sweep_deadlines(worker: WorkerContext) -> None:
    """Remind players and play for those who are late until nothing is due; each batch is a short transaction.

    After maintenance or an outage, shift all clocks first; during maintenance nothing is due, and while no email can be sent
    only the turns that players hold. A worker whose clock is wrong plays nothing.
    """
    with worker.heartbeats.counted_sweep(worker.now):
        has_due_games = (
            _has_any_work(worker) and _give_lost_time_back(worker) and _any_turn_is_due(worker)
        )
        while has_due_games and not worker.is_stopping():
            has_due_games = _sweep_batch(worker)


def _has_any_work(worker: WorkerContext) -> bool:
    """Return False if one statement shows that there is nothing to do, and note that there was nothing until now."""
    if worker.heartbeats.may_have_missed_sweeps(worker.now()):
        return True
    with worker.read_only() as tx:
        has_work = any(mail_outages.clock_work(tx))
    if not has_work:
        worker.heartbeats.note_sweep(tx.now)
    return has_work


def _give_lost_time_back(worker: WorkerContext) -> bool:
    """Move all deadlines by the last maintenance, and by the time for which no worker has watched them; return whether that is done.

    An outage can only be recorded while no clocks are shifted after another one.
    """
    is_outage_recorded = not worker.heartbeats.may_have_missed_sweeps(worker.now())
    while not worker.is_stopping():
        is_outage_recorded = is_outage_recorded or _detect_outage(worker)
        _shift_clocks(worker)
        if is_outage_recorded:
            return True
    return False


def _detect_outage(worker: WorkerContext) -> bool:
    """Return whether the time is recorded for which no worker has watched deadlines; one whose clock is wrong looks for none."""
    with worker.transaction() as tx:
        return not worker.has_right_clock(tx) or maintenance.detect_outage(tx)


def _shift_clocks(worker: WorkerContext) -> None:
    """Move the deadlines of all running games by the length of the last maintenance or outage, if that has not been done."""
    with worker.read_only() as tx:
        work = mail_outages.clock_work(tx)
    if work.has_relay_failed:
        _settle_mail_outage(worker)
    has_games_to_shift = work.has_relay_failed or work.is_maintenance_unfinished
    while has_games_to_shift and not worker.is_stopping():
        with worker.transaction() as tx:
            if not worker.has_right_clock(tx):
                return
            has_games_to_shift = maintenance.shift_next_games(tx)


def _settle_mail_outage(worker: WorkerContext) -> None:
    """Record an outage of email if one is over; a worker whose clock is wrong does not know that."""
    with worker.transaction() as tx:
        if worker.has_right_clock(tx):
            mail_outages.settle_outage(tx)


def _any_turn_is_due(worker: WorkerContext) -> bool:
    """Return whether there is anything to do, and note that there was nothing until now."""
    with worker.read_only() as tx:
        is_due = mail_outages.clock_work(tx).is_any_game_due and not maintenance.are_clocks_stopped(
            tx
        )
    if not is_due:
        worker.heartbeats.note_sweep(tx.now)
    return is_due


def _sweep_batch(worker: WorkerContext) -> bool:
    """Deal with the next games that are due; return whether there are more.

    The process may stand still at any line. So one instant, that of the transaction, decides which deadlines have passed,
    whether workers have watched them until then, and since when no one has watched them.
    """
    with worker.transaction() as tx:
        if not worker.has_right_clock(tx):
            return False
        if not maintenance.may_deadlines_run_out(tx):
            worker.heartbeats.forget_sweep()
            return False
        is_email_down = mail_outages.is_email_down(tx)
        swept = sweep.sweep(tx, is_held_only=is_email_down)
    worker.heartbeats.note_sweep(tx.now)
    worker.nudge(tx.nudges)
    log_effect(
        _log,
        "deadlines",
        played=swept.expired_count,
        reminded=swept.reminded_count,
        failed=swept.failed_count,
    )
    return swept.has_more
