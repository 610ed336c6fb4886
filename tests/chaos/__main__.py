"""`python3 dev.py chaos`: inject faults while simulated people play, and count what was lost."""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from tests.chaos.faults import FAULTS
from tests.chaos.report import format_report
from tests.chaos.run import RunPlan, run
from tests.support.programs import postgres_programs
from webapp.embedded.programs import PostgresPrograms

_FULL_RUN_SECONDS = 300.0
_MISSING_PROGRAMS_MESSAGE = """\
dev.py chaos: this needs the system's Postgres (15 or newer) and redis-server.
On Debian and Ubuntu:  apt-get install postgresql redis-server"""


def main() -> int:
    arguments = _parser().parse_args()
    postgres = postgres_programs()
    if postgres is None or shutil.which("redis-server") is None:
        print(_MISSING_PROGRAMS_MESSAGE, file=sys.stderr)
        return 2
    # A shorter run has no time for a whole minute without Redis.
    outage_seconds = 60.0 if arguments.seconds >= _FULL_RUN_SECONDS else arguments.seconds / 6
    plan = RunPlan(
        arguments.seconds,
        str(arguments.seed),
        outage_seconds=outage_seconds,
        fault_names=tuple(arguments.only or ()),
    )
    with tempfile.TemporaryDirectory(prefix="lodepost-chaos-") as folder:
        outcome = run(
            plan,
            Path(folder),
            PostgresPrograms(str(postgres[0]), postgres[1]),
            report=_print_report,
        )
        if outcome.found_violations or arguments.keep:
            _keep_logs(Path(folder), arguments.keep)
    print(format_report(outcome))
    return 1 if outcome.found_violations else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="dev.py chaos", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="how long faults are injected")
    parser.add_argument("--seed", default="1", help="the same seed gives the same order of faults")
    parser.add_argument("--only", action="append", choices=list(FAULTS), help="only this fault")
    parser.add_argument("--keep", metavar="DIR", help="copy the logs of all processes here")
    return parser


def _keep_logs(folder: Path, target: str | None) -> None:
    log_folder = Path(target or tempfile.mkdtemp(prefix="lodepost-chaos-logs-"))
    log_folder.mkdir(parents=True, exist_ok=True)
    for log in folder.glob("*.log"):
        shutil.copy(log, log_folder)
    _print_report(f"the logs are in {log_folder}")


def _print_report(message: str) -> None:
    print(f"chaos: {message}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
