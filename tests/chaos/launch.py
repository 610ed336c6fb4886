"""`lodepost web`, `worker` or `beat`, with a clock that can be set wrong from outside.

The composition roots take the clock as an argument; nothing else differs from `webapp/cli.py`.
"""

import logging
import os
import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from celery import signals
from flask import Flask

from tasks.celery import celery_for
from tasks.nudging import Messenger
from webapp.app import create_app
from webapp.cli import WORKING
from webapp.clock import utc_now
from webapp.config import Settings, settings_from
from webapp.logs import configure_logging, secrets_of
from webapp.serving.process import serve_pages

CLOCK = "LODEPOST_CHAOS_CLOCK"
"""Names the file that holds by how many seconds the clock of this process is ahead."""


def main(verb: str) -> int:
    settings = settings_from(os.environ)
    configure_logging(logging.INFO, secrets=secrets_of(settings))
    now = clock_set_by(Path(os.environ[CLOCK]))
    if verb == "web":
        return serve_pages(settings, create_app=lambda it: _pages(it, now))
    celery = celery_for(settings, now=now)
    signals.setup_logging.connect(_leave_logging_alone)
    # The published types take it for a call that never returns.
    start: Callable[[list[str]], object] = celery.start
    words = WORKING if verb == "worker" else (verb,)
    return int(bool(start([*words, "--loglevel=INFO"])))


def clock_set_by(file: Path) -> Callable[[], datetime]:
    """A clock that is as wrong as the file says whenever it is looked at."""
    return lambda: utc_now() + timedelta(seconds=float(file.read_text(encoding="ascii") or 0))


def _pages(settings: Settings, now: Callable[[], datetime]) -> Flask:
    return create_app(settings, send_task=Messenger(settings, now=now), now=now)


def _leave_logging_alone(**_: object) -> None:
    """The journal is kept already."""


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
