"""The `lodepost` command: the top layer, and the only module that knows both pages and tasks.

Every sub-command loads its own libraries only, so that `lodepost verify` works, and works at
once, where there is neither Flask nor a database.
"""

import argparse
import importlib
import io
import logging
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from webapp.commands.refuse import refuse
from webapp.config import Misconfigured, Settings, settings_from
from webapp.embedded.errors import EmbeddedError
from webapp.logs import keep_journal, secrets_of
from webapp.wording.terminal import shown_lines

if TYPE_CHECKING:
    from celery import Celery
    from flask import Flask

Configure = Callable[[argparse.ArgumentParser], None]
Run = Callable[[argparse.Namespace], int]

_HIGHEST_PORT = 65535
# Workers have nothing to say to each other; who watches them looks at what waits (`/healthz`).
WORKING = ("worker", "--without-gossip", "--without-mingle", "--without-heartbeat")
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Command:
    """A sub-command: a sentence for the list, and how to get at the rest when it is asked for."""

    summary: str
    load: Callable[[], tuple[Configure, Run]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one sub-command and return the exit status: 0 well, 1 failed, 2 asked for wrongly."""
    _print_on_any_terminal()
    words = list(sys.argv[1:] if arguments is None else arguments)
    name = words.pop(0) if words else "--help"
    command = _COMMANDS.get(name)
    if command is None:
        return _explain(name)
    configure, run = command.load()
    parser = _Parser(prog=f"lodepost {name}", description=command.summary)
    configure(parser)
    try:
        return run(parser.parse_args(words))
    except (Misconfigured, EmbeddedError) as refusal:
        return refuse(name, str(refusal))
    except OSError as problem:
        # A folder that cannot be made, a disk that is full, a file that belongs to somebody else.
        place = f"{problem.filename}: " if problem.filename else ""
        return refuse(name, f"{place}{problem.strerror or problem}.")


class _Parser(argparse.ArgumentParser):
    """Repeats what it does not know: names of files too, in which anything can stand."""

    def error(self, message: str) -> NoReturn:
        super().error(shown_lines(message))


def _print_on_any_terminal() -> None:
    """A sign that the terminal does not have is printed as a question mark; standard error does so by itself."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _explain(name: str) -> int:
    wide = max(map(len, _COMMANDS))
    lines = [f"  {name:{wide}}  {command.summary}" for name, command in _COMMANDS.items()]
    words = "\n".join(["usage: lodepost COMMAND [--help] ...", "", *lines])
    if name in {"-h", "--help", "help"}:
        print(words)
        return 0
    print(f"lodepost: there is no command {name!r}.\n{words}", file=sys.stderr)
    return 2


def _module(name: str) -> Callable[[], tuple[Configure, Run]]:
    """A sub-command that lives in a module: `configure(parser)` and `run(arguments) -> int`."""

    def load() -> tuple[Configure, Run]:
        module = importlib.import_module(f"webapp.commands.{name}")
        return module.configure, module.run

    return load


def _configure_place(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--port", metavar="N", type=_port, help="the port to listen at (instead of LISTEN's)"
    )


def _port(given: str) -> int:
    if not (given.isascii() and given.isdigit() and 0 < int(given) <= _HIGHEST_PORT):
        raise argparse.ArgumentTypeError(f"a port is a number from 1 to 65535, not {given!r}")
    return int(given)


def _configure_serve(parser: argparse.ArgumentParser) -> None:
    _configure_place(parser)
    parser.add_argument("--data", metavar="DIR", help="where everything is kept (DATA_DIR)")


def _configure_nothing(parser: argparse.ArgumentParser) -> None:
    """This sub-command is told everything by the environment."""


def _serve(arguments: argparse.Namespace) -> int:
    from webapp.serving.process import serve

    settings = settings_from(_overridden(os.environ, arguments))
    keep_journal(logging.WARNING, secrets=secrets_of(settings))
    return serve(settings, create_app=_create_app, celery_for=_celery_for)


def _web(arguments: argparse.Namespace) -> int:
    from webapp.serving.process import serve_pages

    environ = _overridden(os.environ, arguments)
    settings = _settings_with(environ, "DATABASE_URL", "REDIS_URL")
    keep_journal(logging.INFO, secrets=secrets_of(settings))
    _warn_of_database(settings)
    return serve_pages(settings, create_app=_create_pages)


def _worker(_: argparse.Namespace) -> int:
    return _start_celery(*WORKING)


def _beat(_: argparse.Namespace) -> int:
    return _start_celery("beat")


def _start_celery(*words: str) -> int:
    from celery import signals

    settings = _settings_with(os.environ, "DATABASE_URL", "REDIS_URL")
    keep_journal(logging.INFO, secrets=secrets_of(settings))
    _warn_of_database(settings)
    # Whoever listens here sets up all logging; Celery would write past the journal.
    signals.setup_logging.connect(_leave_logging_alone)
    celery = _celery_for(settings)
    # The published types take it for a call that never returns.
    start: Callable[[list[str]], object] = celery.start
    return int(bool(start([*words, "--loglevel=INFO"])))


def _warn_of_database(settings: Settings) -> None:
    """Say at once what would otherwise be seen at the first page; go on, for it may be mended meanwhile."""
    from webapp.store.operations.migrate import is_behind, newest_revision

    try:
        if is_behind(settings.database_url):
            _log.warning(
                "The schema of the database is older than this release (%s): run `lodepost migrate`.",
                newest_revision(),
            )
    except Misconfigured as problem:
        _log.warning("%s", problem)


def _leave_logging_alone(**_: object) -> None:
    """The journal is kept already."""


def _migrate(_: argparse.Namespace) -> int:
    from webapp.store.operations.migrate import newest_revision, upgrade

    upgrade(_settings_with(os.environ, "DATABASE_URL").database_url)
    print(f"The database is at {newest_revision()}.")
    return 0


def _overridden(environ: Mapping[str, str], arguments: argparse.Namespace) -> dict[str, str]:
    """Put what was said on the command line above the environment."""
    merged = dict(environ)
    if getattr(arguments, "data", None) is not None:
        merged["DATA_DIR"] = arguments.data
    if arguments.port is not None:
        host = merged.get("LISTEN", "").strip().rpartition(":")[0] or "127.0.0.1"
        merged["LISTEN"] = f"{host}:{arguments.port}"
    return merged


def _settings_with(environ: Mapping[str, str], *names: str) -> Settings:
    """Read the settings of one process of several; those meet in what `names` say."""
    missing = [name for name in names if not environ.get(name, "").strip()]
    if missing:
        raise Misconfigured(
            [f"{name} is missing: only `lodepost serve` does without it." for name in missing]
        )
    return settings_from(environ)


def _create_app(settings: Settings, celery: "Celery") -> "Flask":
    from tasks.celery import nudging_with
    from webapp.app import create_app

    return create_app(settings, send_task=nudging_with(celery))


def _create_pages(settings: Settings) -> "Flask":
    """The application of a process that runs no jobs, and so loads no Celery."""
    from tasks.nudging import Messenger
    from webapp.app import create_app

    return create_app(settings, send_task=Messenger(settings))


def _celery_for(settings: Settings) -> "Celery":
    from tasks.celery import celery_for

    return celery_for(settings)


_COMMANDS = {
    "serve": Command(
        "Everything in one process: pages, mails, the clock and a Postgres of its own.",
        lambda: (_configure_serve, _serve),
    ),
    "web": Command("Pages alone.", lambda: (_configure_place, _web)),
    "worker": Command("Mails, bots and late turns alone.", lambda: (_configure_nothing, _worker)),
    "beat": Command("The clock alone; run exactly one.", lambda: (_configure_nothing, _beat)),
    "migrate": Command(
        "Bring the database to the schema of this release.",
        lambda: (_configure_nothing, _migrate),
    ),
    "backup": Command("Write everything to one file.", _module("backup")),
    "restore": Command("Fill an empty database from such a file.", _module("restore")),
    "audit": Command("Fold the log of every game and compare.", _module("audit")),
    "doctor": Command(
        "Look at all that Lodepost leans on, and say what is wrong.", _module("doctor")
    ),
    "verify": Command("Check every deal and every step of a finished game.", _module("verify")),
    "simulate": Command("Let bots play whole games and count.", _module("simulate")),
    "replay": Command("Print a recorded game as one seat saw it.", _module("replay")),
}

if __name__ == "__main__":
    sys.exit(main())
