"""Measure the second start of `lodepost serve`, the memory of all its processes, and the CPU time that it takes when idle.

The second start finds compiled bytecode and a database at the newest schema, as every start but the first does.
"""

import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

from bench.shared.bytes_used import process_memory
from bench.shared.local_services import free_port
from bench.shared.result_rows import RowWriter
from bench.shared.web import base_url

IDLE_SECONDS = 30.0
STARTUP_LINE = b"Lodepost is at "
SERVE_TARGETS = {
    "13. second start of serve, s of CPU": "<= 3",
    "13. memory of all processes of serve (PSS), MiB": "<= 150",
    "13. CPU of an idle serve, % of a core": "<= 2",
}


def main() -> None:
    """Measure and print all rows."""
    start_metric, memory_metric, idle_metric = SERVE_TARGETS
    rows = RowWriter(SERVE_TARGETS)
    with TemporaryDirectory(prefix="lodepost-bench-") as folder:
        with running_serve(Path(folder)):
            pass
        with running_serve(Path(folder)) as processes:
            rows.write_figure(
                start_metric, cpu_seconds(processes[:1]), "until the first page, without Postgres"
            )
            rows.write_figure(
                memory_metric,
                sum(process_memory(process.pid) for process in processes),
                f"{len(processes)} processes, after the first page",
            )
            rows.write_figure(idle_metric, idle_cpu_percent(processes), f"for {IDLE_SECONDS:.0f} s")


@contextmanager
def running_serve(folder: Path) -> Iterator[list[psutil.Process]]:
    """Run `lodepost serve` in this folder, request a page, and yield its process and those that it has started."""
    port = free_port()
    environ = {name: value for name, value in os.environ.items() if not name.endswith("_URL")}
    environ.pop("PYTHONDONTWRITEBYTECODE", None)
    process = subprocess.Popen(
        [
            *(sys.executable, "-P", "-m", "webapp.cli", "serve"),
            *("--port", str(port), "--data", str(folder / "data")),
        ],
        env={**environ, "PYTHONPYCACHEPREFIX": str(folder / "bytecode")},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert process.stdout
        if not process.stdout.readline().startswith(STARTUP_LINE):
            raise RuntimeError("lodepost serve has not started")
        with urllib.request.urlopen(f"{base_url(port)}/", timeout=60) as response:
            response.read()
        serve_process = psutil.Process(process.pid)
        yield [serve_process, *serve_process.children(recursive=True)]
    finally:
        process.terminate()
        process.communicate()


def idle_cpu_percent(processes: list[psutil.Process]) -> float:
    seconds_before = cpu_seconds(processes)
    time.sleep(IDLE_SECONDS)
    return 100 * (cpu_seconds(processes) - seconds_before) / IDLE_SECONDS


def cpu_seconds(processes: list[psutil.Process]) -> float:
    """Return the CPU seconds of processes; those that have ended meanwhile do not count."""
    seconds = 0.0
    for process in processes:
        if process.is_running():
            times = process.cpu_times()
            seconds += times.user + times.system
    return seconds


if __name__ == "__main__":
    main()
