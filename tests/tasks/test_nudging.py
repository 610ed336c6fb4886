"""Nudges of a web process, which loads no Celery."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from kombu import Message

from tasks.celery import celery_for
from tasks.nudging import NUDGE_LASTS, QUEUE, REDIS, Messenger, headers_of
from tests.support.factories import NOON
from tests.support.redis import free_port, running_redis, settings

ROOT = Path(__file__).parents[2]
LOADS = """
import sys
from webapp.cli import _create_pages
from webapp.config import settings_from
_create_pages(settings_from({"DATABASE_URL": "postgresql+psycopg://nobody@127.0.0.1:9/none", "REDIS_URL": "redis://127.0.0.1:9/0", "SECRET_KEY": "k" * 32}))
print(sorted(name for name in sys.modules if name in {"celery", "kombu", "alembic"}))
"""


def taken_by_a_worker(redis_url: str) -> list[str]:
    """The names of the tasks that wait in the queue, as Celery reads them."""
    return [message.headers["task"] for message in waiting(redis_url)]


def waiting(redis_url: str) -> Iterator[Message]:
    celery = celery_for(settings(REDIS_URL=redis_url))
    with celery.connection_for_read() as connection, connection.SimpleQueue(QUEUE) as queue:
        while True:
            try:
                yield queue.get_nowait()
            except queue.Empty:
                return


def test_the_headers_are_those_of_celery() -> None:
    celery = celery_for(settings())
    expires = NOON + NUDGE_LASTS
    theirs = celery.amqp.as_task_v2(
        "one", "tasks.bots.play", expires=expires, ignore_result=True, origin="lodepost web"
    )
    assert headers_of("tasks.bots.play", "one", expires=expires) == theirs.headers


def test_a_worker_finds_what_was_sent(redis_url: str) -> None:
    send = Messenger(settings(REDIS_URL=redis_url))
    for name in ("tasks.delivery.deliver", "tasks.bots.play"):
        send(name)
    assert taken_by_a_worker(redis_url) == ["tasks.delivery.deliver", "tasks.bots.play"]


def test_a_broker_that_came_back_is_found(tmp_path: Path) -> None:
    port = free_port()
    with running_redis(tmp_path, port) as url:
        send = Messenger(settings(REDIS_URL=url))
        send("tasks.delivery.deliver")
    for _ in range(2):
        with pytest.raises(Exception, match=r"(?i)connect|refused"):
            send("tasks.delivery.deliver")
    with running_redis(tmp_path, port) as url:
        send("tasks.bots.play")
        assert taken_by_a_worker(url) == ["tasks.bots.play"]


def test_a_broker_that_hangs_is_given_up_in_time() -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        url = f"redis://127.0.0.1:{deaf.getsockname()[1]}/0"
        soon = {**REDIS, "socket_timeout": 0.2, "socket_connect_timeout": 0.2}
        send = Messenger(settings(REDIS_URL=url), options=soon)
        with pytest.raises(Exception, match=r"(?i)time"):
            send("tasks.delivery.deliver")


def test_a_nudge_is_of_no_use_after_a_while(redis_url: str) -> None:
    send = Messenger(settings(REDIS_URL=redis_url), now=lambda: NOON)
    send("tasks.delivery.deliver")
    [message] = waiting(redis_url)
    assert message.headers["expires"] == (NOON + timedelta(seconds=60)).isoformat()


def test_pages_load_neither_celery_nor_alembic() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADS], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "['kombu']"
