"""`python3 dev.py year`: let simulated people play for a year on a clock of its own, and check what the clock did."""

import argparse
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.simulated_year.checks import CHECKS
from tests.simulated_year.database import scratch_database
from tests.simulated_year.report import report_of
from tests.simulated_year.year import SimulatedYear
from webapp.embedded import server
from webapp.kernel.operator_errors import OperatorError
from webapp.kernel.settings_reader import SettingsReader

_BAR_WIDTH: Final = 30
# Nothing of a simulated year need survive a crash, and planning its statements again each time takes most of the server's time.
_FAST_SETTINGS: Final = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "plan_cache_mode": "force_generic_plan",
    "jit": "off",
}


def main() -> int:
    """Simulate the year and print its report; return 1 if a check failed or a game did not end, 2 if nothing was done."""
    arguments = _parser().parse_args()
    try:
        report = _report_of_year(arguments.games, arguments.seed)
    except OperatorError as error:
        print(f"dev.py year: {error}", file=sys.stderr)
        return 2
    print(json.dumps(report) if arguments.json else _report_lines(report))
    has_running_games = report["games_ended"] != arguments.games
    return int(has_running_games or any(report[f"{check}s"] for check in CHECKS))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="dev.py year",
        description="Let simulated people play for a year on a clock of its own, and check what the clock did.",
        epilog=(
            "Uses a temporary database, or DATABASE_URL if that holds no games. Exit status: 0 all checks passed, "
            "1 a check failed or a game did not end, 2 nothing was done."
        ),
    )
    parser.add_argument(
        "--games", metavar="N", type=_positive_number, default=20, help="the number of games"
    )
    parser.add_argument(
        "--seed", metavar="S", default="0", help="the same seed gives the same year"
    )
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object instead of lines"
    )
    return parser


def _positive_number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"expected a number from 1 up, not {text!r}")
    return int(text)


def _report_of_year(games: int, seed: str) -> dict[str, object]:
    with _scratch_database_url() as url, scratch_database(url) as database:
        return report_of(SimulatedYear(database, games=games, seed=seed).run(_show_progress))


@contextmanager
def _scratch_database_url() -> Iterator[str]:
    """Yield the URL of the database in the environment, or of an embedded one that is deleted at the end."""
    if url := SettingsReader(os.environ).read("DATABASE_URL", "", str):
        yield url
        return
    with TemporaryDirectory(prefix="lodepost-year") as folder:
        running_server = server.start(Path(folder), settings=_FAST_SETTINGS)
        try:
            running_server.ensure_database(server.DATABASE)
            yield running_server.url_of(server.DATABASE)
        finally:
            running_server.stop()


def _show_progress(ended_count: int, games: int) -> None:
    """Draw a progress bar on standard error, if that is a terminal."""
    if not sys.stderr.isatty():
        return
    filled_width = _BAR_WIDTH * ended_count // games
    bar = "#" * filled_width + "." * (_BAR_WIDTH - filled_width)
    end = "\n" if ended_count == games else ""
    print(
        f"\r[{bar}] {ended_count} of {games} games have ended", end=end, file=sys.stderr, flush=True
    )


def _report_lines(report: dict[str, object]) -> str:
    width = max(map(len, report))
    return "\n".join(
        f"{name.replace('_', ' '):{width}}  {_value_text(value)}" for name, value in report.items()
    )


def _value_text(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{count} {name}" for name, count in value.items()) or "0"
    if isinstance(value, list):
        return "\n  ".join(["", *map(str, value)]) if value else "none"
    return str(value)


if __name__ == "__main__":
    sys.exit(main())
