"""`python3 dev.py chaos`: break everything that can break while people play, and count what was lost."""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from tests.chaos.faults import TROUBLES
from tests.chaos.report import table_of
from tests.chaos.run import Plan, run
from tests.support.programs import postgres_programs
from webapp.embedded.binaries import PostgresPrograms

_SHORT = 300.0
_LACKING = """\
dev.py chaos: this needs the system's Postgres (15 or newer) and redis-server.
On Debian and Ubuntu:  apt-get install postgresql redis-server"""


def main() -> int:
    arguments = _parser().parse_args()
    found = postgres_programs()
    if found is None or shutil.which("redis-server") is None:
        print(_LACKING, file=sys.stderr)
        return 2
    # A scaled-down run has no time for the whole minute without Redis.
    outage = 60.0 if arguments.seconds >= _SHORT else arguments.seconds / 6
    plan = Plan(
        arguments.seconds, str(arguments.seed), outage=outage, only=tuple(arguments.only or ())
    )
    with tempfile.TemporaryDirectory(prefix="lodepost-chaos-") as folder:
        outcome = run(plan, Path(folder), PostgresPrograms(str(found[0]), found[1]), say=_say)
        if outcome.lost or arguments.keep:
            _keep(Path(folder), arguments.keep)
    print(table_of(outcome))
    return 1 if outcome.lost else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="dev.py chaos", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="how long troubles go on")
    parser.add_argument("--seed", default="1", help="the same seed strikes in the same order")
    parser.add_argument("--only", action="append", choices=list(TROUBLES), help="only this trouble")
    parser.add_argument("--keep", metavar="DIR", help="copy the logs of all processes here")
    return parser


def _keep(folder: Path, wanted: str | None) -> None:
    kept = Path(wanted or tempfile.mkdtemp(prefix="lodepost-chaos-logs-"))
    kept.mkdir(parents=True, exist_ok=True)
    for log in folder.glob("*.log"):
        shutil.copy(log, kept)
    _say(f"the logs are in {kept}")


def _say(words: str) -> None:
    print(f"chaos: {words}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
