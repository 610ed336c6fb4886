"""The `lodepost` command: the top layer, and the only module that imports both pages and tasks.

Each sub-command imports only its own libraries, so that `lodepost verify` starts fast and works without Flask and
without a database.
"""

import argparse
import importlib
import io
import logging
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from webapp.commands.messages import print_error
from webapp.commands.required_settings import settings_requiring, with_overrides
from webapp.config import Settings
from webapp.logs.events import event_fields
from webapp.logs.process_output import is_output_taken_over, take_over_output
from webapp.operator_errors import Misconfigured, OperatorError
from webapp.resources import lodepost_version
from webapp.wording.terminal import printable_lines

if TYPE_CHECKING:
    from celery import Celery
    from flask import Flask

ConfigureParser = Callable[[argparse.ArgumentParser], None]
RunCommand = Callable[[argparse.Namespace], int]

_HIGHEST_PORT = 65535
# Run with `python -m`, this module has another name.
_log = logging.getLogger("webapp.cli")


@dataclass(frozen=True)
class Command:
    """A sub-command: a summary for the list, and a function that imports the rest."""

    summary: str
    load: Callable[[], tuple[ConfigureParser, RunCommand]]
    is_server: bool = False
    """Whether it is a process of the server, all of whose output on standard error is log lines."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one sub-command and return the exit status: 0 success, 1 something is wrong, 2 nothing was done."""
    _replace_unprintable_characters()
    remaining_arguments = list(sys.argv[1:] if arguments is None else arguments)
    name = remaining_arguments.pop(0) if remaining_arguments else "--help"
    if name in {"--version", "version"}:
        print(f"Lodepost {lodepost_version()}")
        return 0
    command = _COMMANDS.get(name)
    if command is None:
        return _print_usage(name)
    if command.is_server and arguments is None:
        take_over_output()
    configure, run = command.load()
    parser = _Parser(prog=f"lodepost {name}", description=command.summary)
    configure(parser)
    parsed_arguments = parser.parse_args(remaining_arguments)
    if is_output_taken_over():
        _log_start(name)
    try:
        return run(parsed_arguments)
    except OperatorError as error:
        return _report_error(name, str(error))
    except OSError as error:
        # A folder that cannot be created, a full disk, a file without read permission.
        file_prefix = f"{error.filename}: " if error.filename else ""
        return _report_error(name, f"{file_prefix}{error.strerror or error}.")


def _log_start(name: str) -> None:
    version = lodepost_version()
    _log.info(
        "Lodepost %s starts: %s.",
        version,
        name,
        extra=event_fields("process-started", command=name, version=version),
    )


def _report_error(name: str, message: str) -> int:
    """Log or print why nothing was done, and return exit status 2."""
    if not is_output_taken_over():
        return print_error(name, message)
    _log.error("lodepost %s: %s", name, message, extra=event_fields("command-failed", command=name))
    return 2


class _Parser(argparse.ArgumentParser):
    """Quotes unknown arguments in its errors, without control characters that file names may contain."""

    def error(self, message: str) -> NoReturn:
        super().error(printable_lines(message))


def _replace_unprintable_characters() -> None:
    """Print characters that the terminal lacks as question marks; Python does so for standard error only."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _print_usage(name: str) -> int:
    width = max(map(len, _COMMANDS))
    lines = [f"  {name:{width}}  {command.summary}" for name, command in _COMMANDS.items()]
    usage = "\n".join(["usage: lodepost COMMAND [--help] ... | --version", "", *lines])
    if name in {"-h", "--help", "help"}:
        print(usage)
        return 0
    print(f"lodepost: there is no command {name!r}.\n{usage}", file=sys.stderr)
    return 2


def _command_module(name: str) -> Callable[[], tuple[ConfigureParser, RunCommand]]:
    """Return a function that imports a module of `webapp.commands` with its `configure` and `run`."""

    def load() -> tuple[ConfigureParser, RunCommand]:
        module = importlib.import_module(f"webapp.commands.{name}")
        return module.configure, module.run

    return load


def _configure_port(parser: argparse.ArgumentParser) -> None:
    help_text = "the port to listen on, instead of the one in LISTEN"
    parser.add_argument("--port", metavar="N", type=_port, help=help_text)


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= _HIGHEST_PORT):
        raise argparse.ArgumentTypeError(f"expected a port from 1 to 65535, not {text!r}")
    return int(text)


def _configure_serve(parser: argparse.ArgumentParser) -> None:
    _configure_port(parser)
    parser.add_argument("--data", metavar="DIR", help="the folder for all data (DATA_DIR)")


def _configure_nothing(parser: argparse.ArgumentParser) -> None:
    """Add nothing: this sub-command reads only the environment."""


def _serve(arguments: argparse.Namespace) -> int:
    from webapp.serving.process import serve

    settings = settings_requiring(with_overrides(os.environ, arguments))
    return serve(settings, create_app=_create_app, celery_for=_celery_for)


def _run_web(arguments: argparse.Namespace) -> int:
    from webapp.serving.process import serve_pages

    environ = with_overrides(os.environ, arguments)
    settings = settings_requiring(environ, "DATABASE_URL", "REDIS_URL")
    _warn_about_schema(settings)
    return serve_pages(settings, create_app=_create_pages)


def _configure_worker(parser: argparse.ArgumentParser) -> None:
    share = parser.add_mutually_exclusive_group()
    share.add_argument("--only-bots", action="store_true", help="play bots and do nothing else")
    share.add_argument("--without-bots", action="store_true", help="do everything but play bots")


def _run_worker(arguments: argparse.Namespace) -> int:
    from tasks.nudging import BOT_QUEUE_NAME, QUEUE_NAME

    if arguments.only_bots:
        # One thread plays, another answers the nudges that come meanwhile.
        return _start_celery("worker", f"--queues={BOT_QUEUE_NAME}", "--concurrency=2")
    if arguments.without_bots:
        return _start_celery("worker", f"--queues={QUEUE_NAME}")
    return _start_celery("worker")


def _run_beat(_: argparse.Namespace) -> int:
    return _start_celery("beat")


def _start_celery(*arguments: str) -> int:
    from tasks.celery import run_celery

    settings = settings_requiring(os.environ, "DATABASE_URL", "REDIS_URL")
    _warn_about_schema(settings)
    return run_celery(_celery_for(settings), *arguments)


def _warn_about_schema(settings: Settings) -> None:
    """Log a warning if the database is unreachable or outdated; the process still starts, since that may be fixed later."""
    from webapp.store.operations.migrate import is_schema_behind, newest_revision

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

    return create_app(settings, send_task=nudge_sender(celery))


def _create_pages(settings: Settings) -> "Flask":
    """Return the application of a process that runs no jobs, and so imports none."""
    from tasks.nudging import nudge_sender, sender_app
    from webapp.app import create_app

    return create_app(settings, send_task=nudge_sender(sender_app(settings)))


def _celery_for(settings: Settings) -> "Celery":
    from tasks.celery import celery_for

    return celery_for(settings)


_COMMANDS = {
    "serve": Command(
        "Run everything in one process: pages, emails, deadlines, bots and an embedded Postgres.",
        lambda: (_configure_serve, _serve),
        is_server=True,
    ),
    "web": Command(
        "Run a web process.",
        lambda: (_configure_port, _run_web),
        is_server=True,
    ),
    "worker": Command(
        "Run a worker: emails, deadlines and bots.",
        lambda: (_configure_worker, _run_worker),
        is_server=True,
    ),
    "beat": Command(
        "Run the scheduler; start exactly one.",
        lambda: (_configure_nothing, _run_beat),
        is_server=True,
    ),
    "migrate": Command(
        "Upgrade the database to the schema of this release.",
        _command_module("migrate"),
        is_server=True,
    ),
    "health": Command(
        "Tell whether the worker or the beat here is doing its work.", _command_module("health")
    ),
    "backup": Command("Back up the database to one file.", _command_module("backup")),
    "restore": Command("Restore a backup into an empty database.", _command_module("restore")),
    "game": Command(
        "Extend, pause, rewind or cancel a game, as a moderator does.", _command_module("game")
    ),
    "seat": Command(
        "Free a seat of a game, or give it to someone else, as a moderator does.",
        _command_module("seat"),
    ),
    "emails": Command("List emails, or send some again.", _command_module("emails")),
    "audit": Command("Check every game against its log.", _command_module("audit")),
    "moderator": Command("Add, remove or list site moderators.", _command_module("moderator")),
    "person": Command("Warn, ban or rename a person, or lift a ban.", _command_module("person")),
    "settings": Command("Show or change the settings of the site.", _command_module("settings")),
    "status": Command(
        "Show what the server is doing and what needs action.", _command_module("status")
    ),
    "doctor": Command(
        "Check everything that Lodepost depends on, and print what is wrong.",
        _command_module("doctor"),
    ),
    "verify": Command(
        "Check every deal and every turn of a finished game.", _command_module("verify")
    ),
    "simulate": Command(
        "Let bots play whole games and print statistics.", _command_module("simulate")
    ),
    "simulate-year": Command(
        "Let simulated people play for a year, and check what the clock did.",
        _command_module("simulate_year"),
    ),
    "replay": Command(
        "Print a recorded game as a seat or an observer saw it.", _command_module("replay")
    ),
}

if __name__ == "__main__":
    sys.exit(main())
