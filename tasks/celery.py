"""The Celery application: which jobs there are, when they run, and how a queue may fail without losing anything.

``celery -A tasks worker`` and ``celery -A tasks beat`` find it here and read the environment; `lodepost` hands it settings.
"""

import logging
import os
from collections.abc import Callable, Collection
from datetime import datetime
from functools import cache
from threading import Lock
from typing import Any, Final

from celery import Celery, signals
from celery.worker import state

from tasks import audit, bots, deadlines, delivery, housekeeping
from tasks.broker import PatientAMQP
from tasks.context import WorkerContext, worker_context_for
from tasks.nudging import NUDGE_LASTS, QUEUE, REDIS
from webapp.clock import utc_now
from webapp.config import Settings, settings_from
from webapp.operator_errors import Misconfigured
from webapp.services.errors import Unavailable
from webapp.services.tx import Nudge

Job = Callable[[WorkerContext], None]

_JOBS: Final[dict[str, tuple[Job, float]]] = {
    "tasks.delivery.deliver": (delivery.deliver, 5.0),
    "tasks.deadlines.sweep": (deadlines.sweep, 5.0),
    "tasks.bots.play": (bots.play, 2.0),
    "tasks.audit.run": (audit.run, 300.0),
    "tasks.housekeeping.report_delays": (housekeeping.report_delays, 60.0),
    "tasks.housekeeping.delete_expired": (housekeeping.delete_expired, 3600.0),
}
"""Every job with the seconds after which the clock starts it again; a nudge may come between."""
_NUDGES: Final[dict[Nudge, str]] = {"emails": "tasks.delivery.deliver", "bots": "tasks.bots.play"}

_MEMORY: Final = {"polling_interval": 0.05}
_SETTINGS: Final[dict[str, Any]] = {
    "accept_content": ["json"],
    "beat_max_loop_interval": 1,
    # What is due is written in the database; the clock itself has nothing to remember.
    "beat_scheduler": "tasks.broker:Clock",
    # For ever, see `tasks/broker.py`.
    "broker_connection_max_retries": None,
    "broker_connection_retry_on_startup": True,
    "enable_utc": True,
    "event_serializer": "json",
    "result_serializer": "json",
    "task_acks_late": True,
    "task_default_queue": QUEUE,
    "task_ignore_result": True,
    # Nobody waits for a nudge to get through: the clock finds out.
    "task_publish_retry": False,
    "task_reject_on_worker_lost": True,
    "task_serializer": "json",
    "task_store_errors_even_if_ignored": False,
    "timezone": "UTC",
    "worker_concurrency": 4,
    "worker_hijack_root_logger": False,
    # The jobs wait for the database and for relays; threads share one pool of connections to each.
    "worker_pool": "threads",
    "worker_prefetch_multiplier": 1,
    "worker_redirect_stdouts": False,
}
_log = logging.getLogger(__name__)


def celery_for(settings: Settings, *, now: Callable[[], datetime] = utc_now) -> Celery:
    """The application of one installation. It opens neither database nor relay before the first job."""
    celery = Celery("lodepost", broker=settings.broker_url, amqp=PatientAMQP)
    celery.conf.update(_SETTINGS)
    celery.conf.broker_transport_options = REDIS if settings.redis_url else _MEMORY
    celery.conf.beat_schedule = _schedule()
    open_shop = _opening(settings, celery, now)
    for name, (job, _) in _JOBS.items():
        celery.task(name=name, shared=False)(_task(job, open_shop))
    return celery


def nudging_with(celery: Celery) -> Callable[[str], object]:
    """What sends a task by name, from a process that has loaded Celery anyway: raises when the broker does not take it, and leaves nothing old behind."""

    def send(name: str) -> object:
        expires = NUDGE_LASTS.total_seconds()
        return celery.send_task(name, expires=expires, ignore_result=True, retry=False)

    return send


def is_stopping() -> bool:
    """Whether this process has been told to end, by a signal or by `serve`."""
    # The exit status stands there, which may be 0.
    told: tuple[object, ...] = (state.should_stop, state.should_terminate)
    return any(status is not None and status is not False for status in told)


def __getattr__(name: str) -> Celery:
    """Make ``app`` when the celery command asks for it: importing this module reads no environment."""
    if name != "app":
        raise AttributeError(name)
    return _app_from_environment()


@cache
def _app_from_environment() -> Celery:
    settings = settings_from(os.environ)
    if not settings.database_url:
        raise Misconfigured(["DATABASE_URL is missing: only `lodepost serve` does without it."])
    return celery_for(settings)


def _schedule() -> dict[str, dict[str, Any]]:
    """Every job again and again; a start that found no worker in time is not made up for."""
    return {
        name: {"task": name, "schedule": seconds, "options": {"expires": seconds}}
        for name, (_, seconds) in _JOBS.items()
    }


def _task(job: Job, open_shop: Callable[[], WorkerContext]) -> Callable[[], None]:
    def run() -> None:
        try:
            job(open_shop())
        except Unavailable:
            _log.warning("The database does not answer; %s is tried again.", job.__module__)

    return run


def _opening(
    settings: Settings, celery: Celery, now: Callable[[], datetime]
) -> Callable[[], WorkerContext]:
    """A workshop that is put together by the first job that needs it, and closed with the worker."""
    opened: list[WorkerContext] = []
    lock = Lock()
    send = nudging_with(celery)

    def open_shop() -> WorkerContext:
        with lock:
            if not opened:
                context = worker_context_for(
                    settings, is_stopping=is_stopping, nudge=_nudge_with(send), now=now
                )
                opened.append(context)
            return opened[0]

    def close_shop(sender: object, **_: object) -> None:
        with lock:
            if getattr(sender, "app", None) is celery and opened:
                opened.pop().close()

    signals.worker_shutdown.connect(close_shop, weak=False)
    return open_shop


def _nudge_with(send: Callable[[str], object]) -> Callable[[Collection[Nudge]], None]:
    def nudge(nudges: Collection[Nudge]) -> None:
        for name in nudges:
            try:
                send(_NUDGES[name])
            except Exception as problem:  # noqa: BLE001 - whatever the broker has
                # Nothing is lost: the clock looks for owed letters and waiting bots every few seconds.
                why = type(problem).__name__
                _log.warning("The broker took no nudge for %s: %s.", _NUDGES[name], why)

    return nudge
