"""The Celery application: its jobs, their schedule, and settings under which a queue may fail without losing anything.

``celery -A tasks worker`` and ``celery -A tasks beat`` find ``app`` here and read the environment; `lodepost` passes settings.
"""

import logging
import os
from collections.abc import Callable, Collection
from datetime import datetime
from functools import cache, partial
from threading import Lock
from typing import Any, Final

from celery import Celery, signals
from celery.worker import WorkController, state
from kombu import Queue

from tasks import bot_turns, deadlines, delivery, housekeeping, replies
from tasks.beat import BeatHeartbeats, VisibleScheduler
from tasks.broker import OwnClockStep, ReconnectingAMQP
from tasks.context import WorkerContext, worker_context_for
from tasks.nudging import BOT_QUEUE_NAME, QUEUE_NAME, REDIS_OPTIONS, SENDING_OPTIONS, nudge_sender
from webapp.kernel.config import Settings, settings_from
from webapp.kernel.nudges import TASKS_BY_NUDGE, Nudge, send_quietly
from webapp.kernel.operator_errors import Misconfigured
from webapp.kernel.refusals import Unavailable
from webapp.kernel.system_time import utc_now
from webapp.kernel.tx import Database
from webapp.operations.processes import DatabaseTime, database_time

Job = Callable[[WorkerContext], None]

_INTERVALS: Final[dict[Job, float]] = {
    delivery.deliver: 5.0,
    deadlines.sweep_deadlines: 5.0,
    bot_turns.play_bots: 2.0,
    replies.read_replies: 5.0,
    replies.fetch_emails: 20.0,
    housekeeping.run_audit: 300.0,
    housekeeping.report_delays: 60.0,
    housekeeping.report_wrong_codes: 60.0,
    housekeeping.end_votes: 60.0,
    housekeeping.close_unfilled_tables: 600.0,
    housekeeping.end_ready_checks: 600.0,
    housekeeping.inform_volunteers: 300.0,
    housekeeping.delete_expired: 3600.0,
    housekeeping.take_health_sample: 60.0,
    housekeeping.count_games: 300.0,
    housekeeping.count_statistics: 1800.0,
}
"""Every job with the seconds between two starts by beat; nudges come in addition."""

_IN_MEMORY_BROKER_OPTIONS: Final = {"polling_interval": 0.05}
_SETTINGS: Final[dict[str, Any]] = {
    **SENDING_OPTIONS,
    "accept_content": ["json"],
    "beat_max_loop_interval": 1,
    # For ever, see `tasks/broker.py`.
    "broker_connection_max_retries": None,
    "broker_connection_retry_on_startup": True,
    "enable_utc": True,
    "event_serializer": "json",
    "result_serializer": "json",
    # A worker takes from both queues unless its command names one.
    "task_queues": (
        Queue(QUEUE_NAME, routing_key=QUEUE_NAME),
        Queue(BOT_QUEUE_NAME, routing_key=BOT_QUEUE_NAME),
    ),
    "task_acks_late": True,
    "task_reject_on_worker_lost": True,
    "task_store_errors_even_if_ignored": False,
    "timezone": "UTC",
    "worker_concurrency": 4,
    "worker_hijack_root_logger": False,
    # Jobs wait for the database and for relays; threads share one pool of connections to each.
    "worker_pool": "threads",
    "worker_prefetch_multiplier": 1,
    "worker_redirect_stdouts": False,
}
# Workers need not know about each other; /healthz shows whether work is being done.
_WORKER_OPTIONS: Final = ("--without-gossip", "--without-mingle", "--without-heartbeat")
_log = logging.getLogger(__name__)


def celery_for(
    settings: Settings,
    *,
    now: Callable[[], datetime] = utc_now,
    database_time: DatabaseTime = database_time,
) -> Celery:
    """Return the application of one installation. It connects to database and relay only when the first job runs."""
    celery = Celery("lodepost", broker=settings.broker_url, amqp=ReconnectingAMQP)
    celery.conf.update(_SETTINGS)
    celery.conf.broker_transport_options = (
        REDIS_OPTIONS if settings.redis_url else _IN_MEMORY_BROKER_OPTIONS
    )
    celery.conf.beat_schedule = _beat_schedule()
    # The database knows what is due; beat itself has nothing to remember.
    celery.conf.beat_scheduler = partial(
        VisibleScheduler,
        heartbeats=BeatHeartbeats(
            lambda: Database(settings.database_url, pool_size=1),
            now=now,
            database_time=database_time,
        ),
    )
    celery.steps["worker"].add(OwnClockStep)
    get_context = _lazy_context(settings, celery, now, database_time)
    for job in _INTERVALS:
        celery.task(name=_task_name(job), shared=False)(_task_for(job, get_context))
    return celery


def run_celery(celery: Celery, *arguments: str) -> int:
    """Run ``worker`` or ``beat`` with these options until it is asked to end; return the exit status.

    It prints no banner, and logging stays as this process has configured it.
    """
    statuses: list[int] = []

    def note_status(sender: WorkController, **_: object) -> None:
        statuses.append(sender.exitcode or 0)

    # Celery itself does not return the status of a worker.
    signals.worker_shutdown.connect(note_status)
    # With a receiver connected, Celery leaves logging alone.
    signals.setup_logging.connect(_keep_logging_as_configured)
    options = _WORKER_OPTIONS if arguments[0] == "worker" else ()
    # The type stubs declare that it never returns.
    start: Callable[[list[str]], object] = celery.start
    result = start(["--quiet", *arguments, *options])
    return max(statuses, default=int(bool(result)))


def is_stopping() -> bool:
    """Return whether this process has been asked to end, by a signal or by `serve`."""
    # These hold the exit status, which may be 0.
    statuses: tuple[object, ...] = (state.should_stop, state.should_terminate)
    return any(status is not None and status is not False for status in statuses)


def __getattr__(name: str) -> Celery:
    """Return ``app`` when the celery command asks for it: importing this module reads no environment."""
    if name != "app":
        raise AttributeError(name)
    return _app_from_environment()


@cache
def _app_from_environment() -> Celery:
    settings = settings_from(os.environ)
    if not settings.database_url:
        raise Misconfigured(["DATABASE_URL is missing: only `lodepost serve` does without it."])
    return celery_for(settings)


def _keep_logging_as_configured(**_: object) -> None:
    """Do nothing: logging is configured already."""


def _beat_schedule() -> dict[str, dict[str, Any]]:
    """Return every job with its interval; a start for which no worker was free in time expires."""
    intervals = {_task_name(job): seconds for job, seconds in _INTERVALS.items()}
    return {
        name: {"task": name, "schedule": seconds, "options": {"expires": seconds}}
        for name, seconds in intervals.items()
    }


def _task_name(job: Job) -> str:
    return f"{job.__module__}.{job.__name__}"


def _task_for(job: Job, get_context: Callable[[], WorkerContext]) -> Callable[[], None]:
    def run() -> None:
        worker = get_context()
        has_failed = True
        try:
            worker.heartbeats.write_if_due(
                worker.database, now=worker.now(), clock_difference=worker.clock_difference
            )
            job(worker)
            has_failed = False
        except Unavailable:
            _log.warning("The database does not answer; %s will be retried.", job.__module__)
        finally:
            worker.heartbeats.note_task(has_failed=has_failed)

    return run


def _lazy_context(
    settings: Settings,
    celery: Celery,
    now: Callable[[], datetime],
    database_time: DatabaseTime,
) -> Callable[[], WorkerContext]:
    """Return a function that creates the context at its first call. The context is closed when the worker ends."""
    contexts: list[WorkerContext] = []
    lock = Lock()
    send_task = nudge_sender(celery)

    def nudge(nudges: Collection[Nudge]) -> None:
        for each in nudges:
            send_quietly(send_task, TASKS_BY_NUDGE[each])

    def get_context() -> WorkerContext:
        with lock:
            if not contexts:
                contexts.append(
                    worker_context_for(
                        settings,
                        is_stopping=is_stopping,
                        nudge=nudge,
                        now=now,
                        database_time=database_time,
                    )
                )
            return contexts[0]

    def close_context(sender: object, **_: object) -> None:
        with lock:
            if getattr(sender, "app", None) is celery and contexts:
                contexts.pop().close()

    signals.worker_shutdown.connect(close_context, weak=False)
    return get_context
