"""Bytes of write-ahead log, of tables and of memory that work uses, and its CPU time."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import psutil

from bench.shared.local_services import autocommit_connection

WorkResult = TypeVar("WorkResult")


def wal_bytes_of(url: str, run_work: Callable[[], WorkResult]) -> tuple[WorkResult, int]:
    """Run work and return its result and the bytes of write-ahead log written meanwhile."""
    position_before = _log_position(url)
    result = run_work()
    return result, _log_position(url) - position_before


def size_per_row(url: str, table: str) -> float:
    """Return the bytes per row of a table, with its indexes and long values."""
    with autocommit_connection(url) as connection:
        connection.execute(f"VACUUM ANALYZE {table}".encode())
        size, rows = connection.execute(
            f"SELECT pg_total_relation_size('{table}'), (SELECT count(*) FROM {table})".encode()
        ).fetchone() or (0, 1)
    return float(size) / float(rows)


def database_size(url: str) -> int:
    """Rewrite all tables of a database and return their bytes, with their indexes and long values."""
    with autocommit_connection(url) as connection:
        connection.execute("VACUUM FULL ANALYZE")
        row = connection.execute(
            "SELECT sum(pg_total_relation_size(oid)) FROM pg_class"
            " WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        ).fetchone()
    assert row
    return int(row[0])


def process_memory(process: int) -> float:
    """Return the proportional set size of a process in MiB."""
    memory_summary = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii")
    [line] = [line for line in memory_summary.splitlines() if line.startswith("Pss:")]
    return int(line.split()[1]) / 1024


def cpu_seconds(pids: Sequence[int]) -> float:
    """Return the CPU seconds of processes and of all their children, those that have ended included."""
    seconds = 0.0
    for pid in pids:
        parent = psutil.Process(pid)
        for process in (parent, *parent.children(recursive=True)):
            times = process.cpu_times()
            seconds += times.user + times.system + times.children_user + times.children_system
    return seconds


def _log_position(url: str) -> int:
    with autocommit_connection(url) as connection:
        row = connection.execute("SELECT pg_current_wal_insert_lsn() - '0/0'").fetchone()
    assert row
    return int(row[0])
