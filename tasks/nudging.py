"""Nudges: tasks without arguments that are sent by name, so that workers look for work at once. A lost one costs seconds."""

from datetime import timedelta
from typing import Any, Final

from celery import Celery

from webapp.kernel.config import Settings
from webapp.kernel.nudges import TASKS_BY_NUDGE, SendTask

QUEUE_NAME: Final = "lodepost"
BOT_QUEUE_NAME: Final = "lodepost-bots"
"""A queue of its own, so that other workers can be kept free of bots."""
NUDGE_LIFETIME: Final = timedelta(seconds=60)
"""How long a nudge is useful: by then beat has started the same job many times."""
_REDELIVERY_SECONDS: Final = 300
"""Seconds after which Redis gives a task to another worker. All processes must use the same value."""
_ANSWER_TIMEOUT_SECONDS: Final = 5
"""Seconds that a broker has to answer; without a limit a hanging Redis blocks every sender for ever."""
REDIS_OPTIONS: Final[dict[str, float]] = {
    "visibility_timeout": _REDELIVERY_SECONDS,
    # By default a task of a worker that was killed is redelivered a minute and a half later than that.
    "unacked_restore_interval": 5,
    "unacked_restore_throttle": 1,
    "socket_timeout": _ANSWER_TIMEOUT_SECONDS,
    "socket_connect_timeout": _ANSWER_TIMEOUT_SECONDS,
}
SENDING_OPTIONS: Final[dict[str, Any]] = {
    "broker_connection_timeout": _ANSWER_TIMEOUT_SECONDS,
    "task_default_queue": QUEUE_NAME,
    "task_routes": {TASKS_BY_NUDGE["bots"]: {"queue": BOT_QUEUE_NAME}},
    "task_ignore_result": True,
    # No one waits for a nudge to succeed: beat starts every job anyway.
    "task_publish_retry": False,
    "task_serializer": "json",
}
"""Settings of Celery that every process which sends tasks must share."""


def sender_app(settings: Settings) -> Celery:
    """Return a Celery application that sends tasks to Redis and runs none; it imports no job."""
    celery = Celery("lodepost", broker=settings.broker_url)
    celery.conf.update(SENDING_OPTIONS, broker_transport_options=REDIS_OPTIONS)
    return celery


def nudge_sender(celery: Celery) -> SendTask:
    """Return a function that sends a task by name. It raises if the broker is away or does not answer in time."""

    def send(name: str) -> object:
        expires_seconds = NUDGE_LIFETIME.total_seconds()
        return celery.send_task(name, expires=expires_seconds, ignore_result=True, retry=False)

    return send
