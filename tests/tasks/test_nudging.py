"""Nudges through Redis, and from processes that run no jobs."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from kombu import Message

from tasks.celery import celery_for
from tasks.nudging import (
    BOT_QUEUE_NAME,
    NUDGE_LIFETIME,
    QUEUE_NAME,
    REDIS_OPTIONS,
    nudge_sender,
    sender_app,
)
from tests.support.ports import free_port
from tests.support.redis import running_redis, settings
from webapp.kernel.system_time import utc_now

ROOT = Path(__file__).parents[2]
LOADED_MODULES_SCRIPT = """
import sys
from webapp.process_commands import create_pages
from webapp.kernel.config import settings_from
create_pages(settings_from({"DATABASE_URL": "postgresql+psycopg://none@127.0.0.1:9/none", "REDIS_URL": "redis://127.0.0.1:9/0", "SECRET_KEY": "k" * 32}))
print(sorted(name for name in sys.modules if name in {"tasks.delivery", "webapp.mail.compose", "alembic"}))
"""


def queued_tasks(redis_url: str, name: str = QUEUE_NAME) -> list[str]:
    """Take the queued messages as a worker reads them; return the names of their tasks."""
    return [message.headers["task"] for message in queued_messages(redis_url, name)]


def queued_messages(redis_url: str, name: str = QUEUE_NAME) -> Iterator[Message]:
    celery = celery_for(settings(REDIS_URL=redis_url))
    with celery.connection_for_read() as connection, connection.SimpleQueue(name) as queue:
        while True:
            try:
                yield queue.get_nowait()
            except queue.Empty:
                return


def test_worker_finds_the_nudges_of_a_sender(redis_url: str) -> None:
    send = nudge_sender(sender_app(settings(REDIS_URL=redis_url)))
    for name in ("tasks.delivery.deliver", "tasks.bot_turns.play_bots"):
        send(name)
    assert queued_tasks(redis_url) == ["tasks.delivery.deliver"]
    assert queued_tasks(redis_url, BOT_QUEUE_NAME) == ["tasks.bot_turns.play_bots"]


def test_sender_reconnects_to_a_broker_that_returns(tmp_path: Path) -> None:
    port = free_port()
    with running_redis(tmp_path, port) as url:
        send = nudge_sender(sender_app(settings(REDIS_URL=url)))
        send("tasks.delivery.deliver")
    for _ in range(2):
        with pytest.raises(Exception, match=r"(?i)connect|refused"):
            send("tasks.delivery.deliver")
    with running_redis(tmp_path, port) as url:
        send("tasks.bot_turns.play_bots")
        assert queued_tasks(url, BOT_QUEUE_NAME) == ["tasks.bot_turns.play_bots"]


def test_sender_does_not_retry_an_absent_broker() -> None:
    send = nudge_sender(sender_app(settings(REDIS_URL=f"redis://127.0.0.1:{free_port()}/0")))
    # With retries it would never return.
    with pytest.raises(Exception, match=r"(?i)connect|refused"):
        send("tasks.delivery.deliver")


def test_sender_has_a_time_limit_for_a_hanging_broker() -> None:
    with socket.socket() as silent_socket:
        silent_socket.bind(("127.0.0.1", 0))
        silent_socket.listen()
        app = sender_app(
            settings(REDIS_URL=f"redis://127.0.0.1:{silent_socket.getsockname()[1]}/0")
        )
        assert app.conf.broker_transport_options["socket_timeout"] == 5
        assert app.conf.broker_transport_options["socket_connect_timeout"] == 5
        assert app.conf.broker_connection_timeout == 5
        # Shorter, so that the test is.
        app.conf.broker_transport_options = {
            **REDIS_OPTIONS,
            "socket_timeout": 0.2,
            "socket_connect_timeout": 0.2,
        }
        app.conf.broker_connection_timeout = 1
        with pytest.raises(Exception, match=r"(?i)time"):
            nudge_sender(app)("tasks.delivery.deliver")


def test_nudge_expires(redis_url: str) -> None:
    earliest_sending = utc_now()
    nudge_sender(sender_app(settings(REDIS_URL=redis_url)))("tasks.delivery.deliver")
    [message] = queued_messages(redis_url)
    assert (earliest_sending + NUDGE_LIFETIME).isoformat() <= message.headers["expires"]
    assert message.headers["expires"] <= (utc_now() + NUDGE_LIFETIME).isoformat()


def test_web_process_imports_neither_jobs_nor_mail_nor_alembic() -> None:
    finished_process = subprocess.run(
        [sys.executable, "-c", LOADED_MODULES_SCRIPT],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert finished_process.stdout.strip() == "[]"
