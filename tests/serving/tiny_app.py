"""A minimal application for the tests of `webapp/serving/`: it stores words and runs one task.

Run as a program it serves itself, as `lodepost serve` serves the real application.
"""

import os
import socket
import sys
import time
from collections.abc import Callable, Iterable

import psycopg
from celery import Celery

from webapp.kernel.config import Settings, settings_from
from webapp.kernel.operator_errors import OperatorError
from webapp.serving.process import serve, serve_pages

_POLL_SECONDS = 0.1
StartResponse = Callable[[str, list[tuple[str, str]]], object]


def create_app(
    settings: Settings, celery: Celery
) -> Callable[[dict[str, str], StartResponse], Iterable[bytes]]:
    with _connect(settings) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS tiny (word text)")

    def app(environ: dict[str, str], start: StartResponse) -> Iterable[bytes]:
        word = environ["PATH_INFO"].strip("/")
        if word == "slow":
            _insert_word(settings, "slow-began")
            _wait_until(lambda: not _accepts_connections(settings))
        if word == "forwarded":
            return _reply(start, environ.get("HTTP_X_FORWARDED_FOR", "nothing"))
        if word in {"nudged", "slow-task"}:
            celery.send_task("tiny.write", (word,))
        elif word:
            _insert_word(settings, word)
        return _reply(start, " ".join(_words(settings)))

    return app


def celery_for(settings: Settings) -> Celery:
    celery = Celery(broker=settings.broker_url)
    celery.conf.beat_scheduler = "celery.beat:Scheduler"
    celery.conf.broker_transport_options = {"polling_interval": 0.05}
    celery.conf.task_ignore_result = True
    entry = {"task": "tiny.write", "schedule": 0.2, "args": ("tick",)}
    celery.conf.beat_schedule = {"tick": entry}

    @celery.task(name="tiny.write")
    def write(word: str) -> None:
        if word == "slow-task":
            # Here, because it loads the whole server, and few of the many processes of these tests need it.
            from tasks.celery import is_stopping

            _insert_word(settings, "slow-task-began")
            _wait_until(is_stopping)
        _insert_word(settings, word)

    return celery


def _wait_until(condition: Callable[[], bool]) -> None:
    """Wait until the server stops, however long the test takes to stop it, and a moment longer."""
    while not condition():
        time.sleep(_POLL_SECONDS)
    time.sleep(_POLL_SECONDS)


def _accepts_connections(settings: Settings) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((settings.listen_host, settings.listen_port)) == 0


def _reply(start: StartResponse, text: str) -> Iterable[bytes]:
    start("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(text)))])
    return [text.encode()]


def _insert_word(settings: Settings, word: str) -> None:
    with _connect(settings) as connection:
        connection.execute("INSERT INTO tiny VALUES (%s)", (word,))


def _words(settings: Settings) -> list[str]:
    with _connect(settings) as connection:
        return [word for (word,) in connection.execute("SELECT word FROM tiny")]


def _connect(settings: Settings) -> psycopg.Connection:
    return psycopg.connect(settings.database_url.replace("+psycopg", ""), connect_timeout=5)


def main() -> int:
    settings = settings_from(os.environ)
    if "pages" in sys.argv:
        return serve_pages(
            settings,
            create_app=lambda page_settings: create_app(page_settings, celery_for(page_settings)),
        )
    return serve(settings, create_app=create_app, celery_for=celery_for)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except OperatorError as error:
        sys.exit(str(error))
