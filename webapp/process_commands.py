"""The sub-commands that run processes of the server.

The only module of `webapp` that imports tasks. Each function imports its own libraries, so that `--help` starts fast.
"""

import argparse
import logging
import os
import tempfile
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from webapp.commands.required_settings import settings_requiring, with_overrides
from webapp.kernel.config import Settings
from webapp.kernel.operator_errors import Misconfigured

if TYPE_CHECKING:
    from celery import Celery
    from flask import Flask

_DEFAULT_MAIL_IN_ADDRESS = ("127.0.0.1", 8025)
_HIGHEST_PORT = 65535
_MOST_PROCESSES = 64
_log = logging.getLogger(__name__)


def configure_port(parser: argparse.ArgumentParser) -> None:
    """Add --port."""
    help_text = "the port to listen on, instead of the one in LISTEN"
    parser.add_argument("--port", metavar="N", type=_port, help=help_text)


def configure_web(parser: argparse.ArgumentParser) -> None:
    """Add --port and --processes."""
    configure_port(parser)
    parser.add_argument(
        "--processes",
        metavar="N",
        type=_process_count,
        default=1,
        help="how many processes answer at this address, such as one per processor; by default 1",
    )


def _process_count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= _MOST_PROCESSES):
        expected = f"a number from 1 to {_MOST_PROCESSES}"
        raise argparse.ArgumentTypeError(f"expected {expected}, not {text!r}")
    return int(text)


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= _HIGHEST_PORT):
        raise argparse.ArgumentTypeError(f"expected a port from 1 to 65535, not {text!r}")
    return int(text)


def configure_serve(parser: argparse.ArgumentParser) -> None:
    """Add --port and --data."""
    configure_port(parser)
    parser.add_argument("--data", metavar="DIR", help="the folder for all data (DATA_DIR)")


def configure_nothing(parser: argparse.ArgumentParser) -> None:
    """Add nothing: this sub-command reads only the environment."""


def run_serve(arguments: argparse.Namespace) -> int:
    """Run everything in one process until a signal ends it."""
    from webapp.serving.process import serve

    settings = settings_requiring(with_overrides(os.environ, arguments))
    return serve(settings, create_app=_create_app, celery_for=_celery_for)


def run_web(arguments: argparse.Namespace) -> int:
    """Answer requests, in one process or several, until a signal ends them."""
    from webapp.serving.process import report_key, serve_pages

    environ = with_overrides(os.environ, arguments)
    settings = settings_requiring(environ, "DATABASE_URL", "REDIS_URL")
    _warn_about_schema(settings)
    report_key(settings)
    if arguments.processes == 1:
        return serve_pages(settings, create_app=create_pages)
    with tempfile.TemporaryDirectory(prefix="lodepost-metrics-") as folder:
        # The library of the metrics reads it when it is imported. In these files the processes share what they count.
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
        return serve_pages(settings, create_app=create_pages, process_count=arguments.processes)


def configure_worker(parser: argparse.ArgumentParser) -> None:
    """Add the options that share the work among processes."""
    share = parser.add_mutually_exclusive_group()
    share.add_argument("--only-bots", action="store_true", help="play bots and do nothing else")
    share.add_argument("--without-bots", action="store_true", help="do everything but play bots")


def run_worker(arguments: argparse.Namespace) -> int:
    """Run a worker until a signal ends it."""
    from tasks.nudging import BOT_QUEUE_NAME, QUEUE_NAME

    if arguments.only_bots:
        # One thread plays, another answers the nudges that come meanwhile.
        return _start_celery("worker", f"--queues={BOT_QUEUE_NAME}", "--concurrency=2")
    if arguments.without_bots:
        return _start_celery("worker", f"--queues={QUEUE_NAME}")
    return _start_celery("worker")


def configure_mail_in(parser: argparse.ArgumentParser) -> None:
    """Add the address to listen on, and the protocol."""
    parser.add_argument(
        "--listen",
        metavar="HOST:PORT",
        type=_listen_address,
        default=_DEFAULT_MAIL_IN_ADDRESS,
        help="where the host's mail server hands emails over; by default 127.0.0.1:8025",
    )
    parser.add_argument("--lmtp", action="store_true", help="speak LMTP instead of SMTP")


def _listen_address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host:
        raise argparse.ArgumentTypeError(f"expected HOST:PORT, not {text!r}")
    return host.strip("[]"), _port(port)


def run_mail_in(arguments: argparse.Namespace) -> int:
    """Receive emails until a signal ends it."""
    from tasks.nudging import nudge_sender, sender_app
    from webapp.kernel.nudges import Nudger
    from webapp.serving.mail_in import receive_mail
    from webapp.serving.process import report_key

    settings = settings_requiring(os.environ, "DATABASE_URL", "REDIS_URL", "REPLY_ADDRESS")
    _warn_about_schema(settings)
    report_key(settings)
    nudge = Nudger(nudge_sender(sender_app(settings)))
    host, port = arguments.listen
    return receive_mail(settings, host, port, is_lmtp=arguments.lmtp, nudge=nudge)


def run_beat(_: argparse.Namespace) -> int:
    """Run the scheduler until a signal ends it."""
    return _start_celery("beat")


def _start_celery(*arguments: str) -> int:
    from tasks.celery import run_celery
    from webapp.serving.process import report_key

    settings = settings_requiring(os.environ, "DATABASE_URL", "REDIS_URL")
    _warn_about_schema(settings)
    report_key(settings)
    return run_celery(_celery_for(settings), *arguments)


def _warn_about_schema(settings: Settings) -> None:
    """Log a warning if the database is unreachable or outdated; the process still starts, since that may be fixed later."""
    from webapp.operations.queries.migrate import is_schema_behind, newest_revision

    try:
        if is_schema_behind(settings.database_url):
            _log.warning(
                "The database schema is older than this release (%s); run `lodepost migrate`.",
                newest_revision(),
            )
    except Misconfigured as error:
        _log.warning("%s", error)


def _create_app(settings: Settings, celery: "Celery") -> "Flask":
    from tasks.nudging import nudge_sender
    from webapp.app import create_app
    from webapp.web.compression import compress_responses

    app = create_app(settings, send_task=nudge_sender(celery))
    compress_responses(app)
    return app


def create_pages(settings: Settings) -> "Flask":
    """Return the application of a process that runs no jobs, and so imports none."""
    from tasks.nudging import nudge_sender, sender_app
    from webapp.app import create_app

    return create_app(settings, send_task=nudge_sender(sender_app(settings)))


def _celery_for(settings: Settings) -> "Celery":
    from tasks.celery import celery_for

    return celery_for(settings)


PROCESSES: Final[
    Mapping[
        str, tuple[Callable[[argparse.ArgumentParser], None], Callable[[argparse.Namespace], int]]
    ]
] = {
    "serve": (configure_serve, run_serve),
    "web": (configure_web, run_web),
    "worker": (configure_worker, run_worker),
    "beat": (configure_nothing, run_beat),
    "mail-in": (configure_mail_in, run_mail_in),
}
"""The function that adds the arguments of each process, and the one that runs it."""
