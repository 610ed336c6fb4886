"""`lodepost doctor`: look at everything that Lodepost leans on, and say in words what is wrong."""

import argparse
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Final

from webapp.checkup.addresses import look_at_addresses, look_from_outside
from webapp.checkup.database import look_at_database
from webapp.checkup.dependencies import look_at_redis, look_at_relay
from webapp.checkup.disk import look_at_disk, room_at
from webapp.checkup.finding import Finding, Findings, Verdict, doubtful, wrong
from webapp.checkup.sender import ask_name_servers, look_at_sender
from webapp.clock import utc_now
from webapp.commands.database import add_data_option, database_of, settings_for
from webapp.config import Settings
from webapp.embedded.errors import EmbeddedError
from webapp.logs import Mask, secrets_of
from webapp.wording.terminal import shown_lines

_MARKS: Final[dict[Verdict, str]] = {"well": "well ", "doubtful": "look!", "wrong": "WRONG"}
_PATIENCE: Final = 5


def configure(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    add_data_option(parser)
    parser.add_argument(
        "--near", action="store_true", help="ask neither name servers nor for BASE_URL itself"
    )
    parser.epilog = (
        "Give it the environment of the server. Exit status: 0 nothing is wrong, 1 something is, "
        "2 the settings cannot be read."
    )


def run(arguments: argparse.Namespace) -> int:
    """Look, and print a finding as soon as there is one; 0: nothing is wrong, 1: something is."""
    settings = settings_for(arguments)
    mask = Mask(secrets_of(settings))
    verdicts = set()
    for finding in _findings(settings, near=arguments.near):
        verdicts.add(finding.verdict)
        print(shown_lines(mask(_told(finding))), flush=True)
    return 1 if "wrong" in verdicts else 0


def _findings(settings: Settings, *, near: bool) -> Iterator[Finding]:
    yield from look_at_addresses(settings)
    yield from _of_database(settings)
    yield look_at_redis(settings)
    yield look_at_relay(settings)
    if not settings.database_url or not settings.smtp_url:
        yield look_at_disk(settings.data_dir, room_at)
    if not near:
        yield from look_at_sender(settings, ask_name_servers)
        yield look_from_outside(settings, _fetch)


def _of_database(settings: Settings) -> Findings:
    if not settings.database_url and not (settings.data_dir / "postgres").is_dir():
        yield doubtful(
            f"There is no database in {settings.data_dir} yet.",
            "`lodepost serve` makes it; or name another folder with --data, or set DATABASE_URL.",
        )
        return
    try:
        with database_of(settings) as url:
            yield from look_at_database(url, utc_now)
    except EmbeddedError as problem:
        yield wrong(str(problem), "See postgres.log in the data folder.")


def _fetch(address: str) -> int:
    try:
        with urllib.request.urlopen(address, timeout=_PATIENCE) as answer:  # noqa: S310 - http or https: BASE_URL was checked
            return int(answer.status)
    except urllib.error.HTTPError as answer:
        return answer.code
    except urllib.error.URLError as problem:
        raise OSError(getattr(problem.reason, "strerror", None) or problem.reason) from problem


def _told(finding: Finding) -> str:
    line = f"{_MARKS[finding.verdict]}  {finding.words}"
    return f"{line}\n       {finding.remedy}" if finding.remedy else line
