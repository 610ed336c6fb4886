"""`lodepost web`, `worker`, `beat` or `mail-in` with a clock that the harness can set.

The clock is an argument of the functions called here; nothing else differs from `webapp/cli.py`.
"""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from flask import Flask

from tasks.celery import celery_for, run_celery
from tasks.nudging import nudge_sender, sender_app
from webapp.app import create_app
from webapp.kernel.config import Settings, settings_from
from webapp.kernel.nudges import TASKS_BY_NUDGE, Nudge
from webapp.kernel.system_time import utc_now
from webapp.logs.masks import secrets_of
from webapp.logs.process_output import configure_logging
from webapp.operations.processes import DatabaseTime, database_time
from webapp.serving.mail_in import receive_mail
from webapp.serving.process import serve_pages
from webapp.web.context import current_context, install_context

CLOCK_FILE_VARIABLE = "LODEPOST_CHAOS_CLOCK"
"""The environment variable with the path of the file that contains how many seconds the clock is ahead."""
DATABASE_CLOCK_FILE_VARIABLE = "LODEPOST_CHAOS_DATABASE_CLOCK"
"""The same for the clock of the database, which all processes read."""


MAIL_PORT_VARIABLE = "LODEPOST_CHAOS_MAIL_PORT"
"""The port at which `mail-in` receives emails."""


def main(command_name: str) -> int:
    settings = settings_from(os.environ)
    configure_logging(secrets=secrets_of(settings))
    now = clock_from(Path(os.environ[CLOCK_FILE_VARIABLE]))
    time_of_database = database_time_from(Path(os.environ[DATABASE_CLOCK_FILE_VARIABLE]))
    if command_name == "web":
        return serve_pages(
            settings, create_app=lambda settings: _create_flask_app(settings, now, time_of_database)
        )
    if command_name == "mail-in":
        return _receive_mail(settings, now)
    celery = celery_for(settings, now=now, database_time=time_of_database)
    return run_celery(celery, command_name)


def _receive_mail(settings: Settings, now: Callable[[], datetime]) -> int:
    send_task = nudge_sender(sender_app(settings))

    def nudge(nudges: set[Nudge]) -> None:
        for each in nudges:
            with suppress(Exception):
                send_task(TASKS_BY_NUDGE[each])

    port = int(os.environ[MAIL_PORT_VARIABLE])
    return receive_mail(settings, "127.0.0.1", port, is_lmtp=False, nudge=nudge, now=now)


def clock_from(file: Path) -> Callable[[], datetime]:
    """Return a clock that is ahead by the seconds in this file, read at every call."""
    return lambda: utc_now() + _seconds_ahead(file)


def database_time_from(file: Path) -> DatabaseTime:
    """Return what asks the database for its time, which is ahead by the seconds in this file."""
    return lambda tx: database_time(tx) + _seconds_ahead(file)


def _seconds_ahead(file: Path) -> timedelta:
    return timedelta(seconds=float(file.read_text(encoding="ascii") or 0))


def _create_flask_app(
    settings: Settings, now: Callable[[], datetime], time_of_database: DatabaseTime
) -> Flask:
    app = create_app(settings, send_task=nudge_sender(sender_app(settings)), now=now)
    with app.app_context():
        install_context(app, replace(current_context(), database_time=time_of_database))
    return app


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
