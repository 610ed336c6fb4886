"""Which database an operator's command is about: the one of DATABASE_URL, or the one in the data folder."""

import argparse
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from webapp.config import Settings, settings_from
from webapp.embedded.attach import alone_in, visited


def add_data_option(parser: argparse.ArgumentParser) -> None:
    """Let the data folder be named, as `lodepost serve` does."""
    parser.add_argument(
        "--data",
        metavar="DIR",
        help="the folder of `lodepost serve` (DATA_DIR), without DATABASE_URL",
    )


def settings_for(arguments: argparse.Namespace) -> Settings:
    """Read the environment, with --data above it. Raises Misconfigured."""
    named = {} if arguments.data is None else {"DATA_DIR": arguments.data}
    return settings_from({**os.environ, **named})


@contextmanager
def database_of(settings: Settings) -> Iterator[str]:
    """Yield the URL of the database, whether a server runs on it or not. Raises EmbeddedError."""
    with _ended_in_order():
        if settings.database_url:
            yield settings.database_url
            return
        with visited(settings.data_dir) as url:
            yield url


@contextmanager
def database_alone(settings: Settings) -> Iterator[str]:
    """Yield the URL of a database that may be filled; a data folder is made where there is none. Raises EmbeddedError."""
    with _ended_in_order():
        if settings.database_url:
            yield settings.database_url
            return
        with alone_in(settings.data_dir) as url:
            yield url


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Let SIGTERM end the command as Ctrl-C does: a Postgres started for it stops, and no draft is left lying about."""
    earlier = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, earlier)
