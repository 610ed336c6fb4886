"""Find the database for an operator's command: the one of DATABASE_URL, or the embedded one in the data folder."""

import argparse
import logging
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from webapp.accounts.security_log import record_command
from webapp.embedded.server import attach, attach_exclusively
from webapp.kernel.config import Settings, settings_from
from webapp.kernel.keyring import TokenSource, keyring_for
from webapp.kernel.keys import with_stored_keys
from webapp.kernel.refusals import Unavailable
from webapp.kernel.system_time import utc_now
from webapp.kernel.tx import Database, Tx, transaction
from webapp.logs.masks import secrets_of
from webapp.logs.process_output import configure_logging

_log = logging.getLogger(__name__)


def add_data_option(parser: argparse.ArgumentParser) -> None:
    """Add the --data option, as `lodepost serve` has it."""
    parser.add_argument(
        "--data",
        metavar="DIR",
        help="the data folder of `lodepost serve` (DATA_DIR); ignored if DATABASE_URL is set",
    )


def settings_for(arguments: argparse.Namespace) -> Settings:
    """Return the settings of the environment, with --data in place of DATA_DIR. Raises Misconfigured.

    From now on the command logs. On a terminal it logs warnings only, because it prints there what it does.
    """
    overrides = {} if arguments.data is None else {"DATA_DIR": arguments.data}
    settings = settings_from({**os.environ, **overrides})
    level = logging.WARNING if sys.stderr.isatty() else logging.INFO
    configure_logging(secrets=secrets_of(settings), own_level=level)
    return settings


@contextmanager
def open_database(settings: Settings) -> Iterator[str]:
    """Yield the URL of the database, whether or not a server is running on it. Raises EmbeddedError."""
    with _exit_on_sigterm():
        if settings.database_url:
            yield settings.database_url
            return
        with attach(settings.data_dir) as url:
            yield url


@contextmanager
def command_transaction(settings: Settings, *, needs_keys: bool = False) -> Iterator[Tx]:
    """Open the database, and in it the transaction of a command that needs one only. Raises EmbeddedError, Unavailable.

    With ``needs_keys`` the transaction can make tokens. Raises Misconfigured if the stored keys are not valid.
    """
    with open_database(settings) as url, Database(url, pool_size=1) as database:
        tokens = TokenSource(keyring_for(with_stored_keys(settings))) if needs_keys else None
        with transaction(database, utc_now(), tokens=tokens) as tx:
            yield tx


@contextmanager
def open_database_exclusively(settings: Settings) -> Iterator[str]:
    """Yield the URL of a database to fill; an embedded one is locked, and created if missing. Raises EmbeddedError."""
    with _exit_on_sigterm():
        if settings.database_url:
            yield settings.database_url
            return
        with attach_exclusively(settings.data_dir) as url:
            yield url


def record_in_database(url: str, command: str, subjects: Mapping[str, Any] | None = None) -> None:
    """Record a command in the database that it was run on; only warn if that takes no changes, such as a standby."""
    try:
        with Database(url, pool_size=1) as database, transaction(database, utc_now()) as tx:
            record_command(tx, command, subjects=subjects)
    except Unavailable:
        _log.warning("The security log takes no changes: `lodepost %s` is not recorded.", command)


@contextmanager
def _exit_on_sigterm() -> Iterator[None]:
    """Let SIGTERM end the command like Ctrl-C, so that its Postgres is stopped and temporary files are deleted."""
    previous_handler = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous_handler)
