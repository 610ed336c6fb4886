"""Jobs for the operator: audit all games, log what has been waiting too long, measure, count, delete what has expired."""

import logging
from datetime import timedelta
from typing import Final

from tasks.context import WorkerContext
from webapp.kernel.refusals import Unavailable
from webapp.kernel.tx import Tx
from webapp.lobby import volunteers, waiting_tables
from webapp.logs.fields import event_fields, log_effect
from webapp.operations import (
    alarms,
    audit,
    health,
    mail_outages,
    maintenance,
    site_figures,
    statistics,
)
from webapp.operations.health import backlog
from webapp.play import votes
from webapp.privacy import retention

AUDIT_DURATION: Final = timedelta(seconds=20)
"""How long one start of the audit continues; the next start follows in minutes."""
LONGEST_NORMAL_DELAY: Final = timedelta(minutes=5)
_log = logging.getLogger(__name__)


def run_audit(worker: WorkerContext, *, limit: int = 50) -> None:
    """Audit the next games for a while; each ``limit`` games are a short transaction."""
    audit_end = worker.now() + AUDIT_DURATION
    has_more = True
    while has_more and worker.now() < audit_end and not worker.is_stopping():
        with worker.transaction() as tx:
            has_more = worker.has_right_clock(tx) and audit.run_batch(tx, limit=limit).has_more


def report_delays(worker: WorkerContext) -> None:
    """Log a warning about the oldest pending email and the most overdue turns, if they have waited too long."""
    with worker.read_only() as tx:
        current_backlog = backlog(tx)
    _warn_about_delay("An email has been pending for %s.", current_backlog.oldest_unsent_email)
    _warn_about_delay(
        "A deadline passed %s ago, and no turn was played.", current_backlog.most_overdue_deadline
    )
    _warn_about_delay("A bot has been on turn for %s.", current_backlog.most_overdue_bot)


def report_wrong_codes(worker: WorkerContext) -> None:
    """Log an error if many wrong codes were typed on the whole site within an hour."""
    with worker.transaction() as tx:
        count = worker.has_right_clock(tx) and alarms.watch_wrong_codes(tx)
    if count:
        _log.error(
            "%s wrong sign-in codes were typed within an hour.",
            count,
            extra=event_fields("alarm", alarm="wrong-codes", count=count),
        )


def end_votes(worker: WorkerContext) -> None:
    """End votes and pauses by vote whose time is up; each game is a short transaction."""
    game_id: int | None = 0
    game_count = 0
    while game_id is not None and not worker.is_stopping():
        with worker.transaction() as tx:
            if not worker.has_right_clock(tx):
                break
            game_id = votes.end_next_due_votes(tx, after_id=game_id)
        game_count += game_id is not None
        worker.nudge(tx.nudges)
    log_effect(_log, "votes", games=game_count)


def close_unfilled_tables(worker: WorkerContext) -> None:
    """Warn the players of tables that never become full, and close them later; each table is a short transaction."""
    table_ids: list[int] = []
    while not worker.is_stopping():
        with worker.transaction() as tx:
            if not worker.has_right_clock(tx):
                break
            table_id = waiting_tables.handle_next_unfilled_table(tx, skipped_ids=table_ids)
        if table_id is None:
            break
        table_ids.append(table_id)
        worker.nudge(tx.nudges)
    log_effect(_log, "unfilled-tables", tables=len(table_ids))


def end_ready_checks(worker: WorkerContext) -> None:
    """Ask again who has not answered a ready-check, and end it later; each table is a short transaction.

    After an outage, and while no email can be sent, everyone first gets the chance to answer.
    """
    table_id: int | None = 0
    while table_id is not None and not worker.is_stopping():
        with worker.transaction() as tx:
            if not worker.has_right_clock(tx) or not _may_time_run_out(tx):
                return
            table_id = waiting_tables.handle_next_unanswered_check(tx, after_id=table_id)
        worker.nudge(tx.nudges)


def inform_volunteers(worker: WorkerContext) -> None:
    """Queue emails about open seats to people who want them; each game is a short transaction."""
    with worker.read_only() as tx:
        game_ids = volunteers.games_to_announce(tx)
    informed_count = 0
    for game_id in game_ids:
        if worker.is_stopping():
            break
        try:
            with worker.transaction() as tx:
                if worker.has_right_clock(tx):
                    informed_count += volunteers.inform_volunteers(tx, game_id)
        except Unavailable:
            raise
        except Exception:  # noqa: BLE001 - one broken game must not stop the others
            _log.exception("No one was informed of the open seat in game %s.", game_id)
        else:
            worker.nudge(tx.nudges)
    log_effect(_log, "volunteers", informed=informed_count)


def delete_expired(worker: WorkerContext) -> None:
    """Delete all that has been kept for long enough, and thin the samples of the site's health."""
    with worker.transaction() as tx:
        if not worker.has_right_clock(tx):
            return
        deleted_count = retention.apply_retention(tx)
        health.thin_samples(tx)
    log_effect(_log, "retention", rows=deleted_count)


def take_health_sample(worker: WorkerContext) -> None:
    """Store the health of the site for the present five minutes, unless a worker has done so."""
    with worker.transaction() as tx:
        if worker.has_right_clock(tx):
            health.take_sample(tx)


def count_games(worker: WorkerContext) -> None:
    """Count all games and turns for the metrics, which read no table of that size."""
    with worker.transaction() as tx:
        site_figures.count_games(tx)


def count_statistics(worker: WorkerContext) -> None:
    """Count the days that are missing, and today so far; each day is a short transaction."""
    for _ in range(statistics.MAX_DAYS_PER_RUN):
        with worker.transaction() as tx:
            has_more = worker.has_right_clock(tx) and statistics.count_oldest_missing_day(tx)
        if not has_more or worker.is_stopping():
            return


def _may_time_run_out(tx: Tx) -> bool:
    """Return whether the site is open, workers have watched it lately, and emails can be sent."""
    return maintenance.may_deadlines_run_out(tx) and not mail_outages.is_email_down(tx)


def _warn_about_delay(message: str, delay: timedelta | None) -> None:
    if delay is not None and delay > LONGEST_NORMAL_DELAY:
        extra = event_fields("alarm", alarm="overdue", seconds=int(delay.total_seconds()))
        _log.warning(message, delay, extra=extra)
