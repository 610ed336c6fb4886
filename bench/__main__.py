"""Run families one after another, each in its own process, and print one table of all their rows."""

import argparse
import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from bench.shared.result_rows import Row, format_table, log_progress, read_row


def main() -> int:
    """Return 0 when every family finished."""
    parser = argparse.ArgumentParser(prog="dev.py bench")
    parser.add_argument("families", nargs="*", metavar="FAMILY")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    family_names = [path.stem for path in sorted(Path(__file__).parent.glob("[a-z]*.py"))]
    for name in arguments.families:
        if name not in family_names:
            parser.error(f"no family {name}; there are {', '.join(family_names)}")
    rows: list[Row] = []
    failed_families = [
        name for name in arguments.families or family_names if not run_family(name, rows)
    ]
    print(
        json.dumps([asdict(row) for row in rows], indent=1)
        if arguments.json
        else format_table(rows)
    )
    for name in failed_families:
        log_progress(f"FAILED: {name}")
    return 1 if failed_families else 0


def run_family(family: str, rows: list[Row]) -> bool:
    """Run a family, collect its rows and return whether it finished."""
    log_progress(family)
    command = [sys.executable, "-P", "-m", f"bench.{family}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        for line in process.stdout:
            row = read_row(line)
            rows.append(row)
            log_progress(format_table([row]).splitlines()[1])
    return process.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
