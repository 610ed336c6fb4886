"""The `lodepost` command: the top layer.

Each sub-command imports only its own libraries, so that `lodepost verify` starts fast and works without Flask and
without a database. Little is loaded before the process of `take_over_output` is forked, which keeps a copy of it.
"""

import argparse
import gc
import importlib
import io
import logging
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

from webapp.logs.fields import event_fields
from webapp.logs.process_output import is_output_taken_over, take_over_output

ConfigureParser = Callable[[argparse.ArgumentParser], None]
RunCommand = Callable[[argparse.Namespace], int]

# Run with `python -m`, this module has another name.
_log = logging.getLogger("webapp.cli")
_OBJECTS_UNTIL_COLLECTION = 10_000
"""Python's default of 700 collects garbage hundreds of times while modules are loaded that stay: a sixth of a start."""
_UNAVAILABLE_TEXT = (
    "The database does not answer or takes no changes. Run `lodepost doctor` to see why."
)


@dataclass(frozen=True)
class Command:
    """A sub-command: a summary for the list, and a function that imports the rest."""

    summary: str
    load: Callable[[], tuple[ConfigureParser, RunCommand]]
    is_server: bool = False
    """Whether it is a process of the server, all of whose output on standard error is log lines."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one sub-command and return the exit status: 0 success, 1 something is wrong, 2 nothing was done."""
    gc.set_threshold(_OBJECTS_UNTIL_COLLECTION)
    _replace_unprintable_characters()
    remaining_arguments = list(sys.argv[1:] if arguments is None else arguments)
    name = remaining_arguments.pop(0) if remaining_arguments else "--help"
    if name in {"--version", "version"}:
        print(f"Lodepost {_version()}")
        return 0
    command = _COMMANDS.get(name)
    if command is None:
        return _print_usage(name)
    if command.is_server and arguments is None:
        take_over_output()
    return _run(name, command, remaining_arguments)


def _run(name: str, command: Command, arguments: Sequence[str]) -> int:
    from webapp.kernel.operator_errors import OperatorError
    from webapp.kernel.refusals import Unavailable

    configure, run = command.load()
    parser = _Parser(prog=f"lodepost {name}", description=command.summary)
    configure(parser)
    parsed_arguments = parser.parse_args(arguments)
    if is_output_taken_over():
        _log_start(name)
    try:
        return run(parsed_arguments)
    except OperatorError as error:
        return _report_error(name, str(error))
    except Unavailable:
        return _report_error(name, _UNAVAILABLE_TEXT)
    except OSError as error:
        # A folder that cannot be created, a full disk, a file without read permission.
        file_prefix = f"{error.filename}: " if error.filename else ""
        return _report_error(name, f"{file_prefix}{error.strerror or error}.")


def _version() -> str:
    from webapp.kernel.resources import lodepost_version

    return lodepost_version()


def _log_start(name: str) -> None:
    version = _version()
    _log.info(
        "Lodepost %s starts: %s.",
        version,
        name,
        extra=event_fields("process-started", command=name, version=version),
    )


def _report_error(name: str, message: str) -> int:
    """Log or print why nothing was done, and return exit status 2."""
    from webapp.commands.messages import print_error

    if not is_output_taken_over():
        return print_error(name, message)
    _log.error("lodepost %s: %s", name, message, extra=event_fields("command-failed", command=name))
    return 2


class _Parser(argparse.ArgumentParser):
    """Quotes unknown arguments in its errors, without control characters that file names may contain."""

    def error(self, message: str) -> NoReturn:
        from webapp.wording.terminal import printable_lines

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


def _process(name: str) -> Callable[[], tuple[ConfigureParser, RunCommand]]:
    """Return a function that imports the module of the processes of the server, and returns two functions of one of them."""

    def load() -> tuple[ConfigureParser, RunCommand]:
        from webapp.process_commands import PROCESSES

        return PROCESSES[name]

    return load


_COMMANDS = {
    "serve": Command(
        "Run everything in one process: pages, emails, deadlines, bots and an embedded Postgres.",
        _process("serve"),
        is_server=True,
    ),
    "web": Command(
        "Answer requests, in one process or several.",
        _process("web"),
        is_server=True,
    ),
    "worker": Command(
        "Run a worker: emails, deadlines and bots.",
        _process("worker"),
        is_server=True,
    ),
    "beat": Command(
        "Run the scheduler; start exactly one.",
        _process("beat"),
        is_server=True,
    ),
    "mail-in": Command(
        "Receive the emails that players answer, from the host's mail server.",
        _process("mail-in"),
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
    "release": Command("Open a restored copy, and let it send emails.", _command_module("release")),
    "rotate-key": Command(
        "Replace the secret key in the data folder of `lodepost serve`.",
        _command_module("rotate_key"),
    ),
    "game": Command(
        "Extend, pause, rewind or cancel a game, as a moderator does.", _command_module("game")
    ),
    "seat": Command(
        "Free a seat of a game, or give it to someone else, as a moderator does.",
        _command_module("seat"),
    ),
    "emails": Command("List emails, or send some again.", _command_module("emails")),
    "show": Command("Print a stored turn with every secret.", _command_module("show")),
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
    "replay": Command(
        "Print a recorded game as a seat or an observer saw it.", _command_module("replay")
    ),
}

if __name__ == "__main__":
    sys.exit(main())
