"""Bytes of write-ahead log, of tables and of memory that work uses."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from bench.shared.local_services import connected

T = TypeVar("T")


def wal_bytes_of(url: str, work: Callable[[], T]) -> tuple[T, int]:
    """Run work and return its result and the bytes of write-ahead log written meanwhile."""
    before = _log_position(url)
    done = work()
    return done, _log_position(url) - before


def size_per_row(url: str, table: str) -> float:
    """Return the bytes per row of a table, with its indexes and long values."""
    with connected(url) as connection:
        connection.execute(f"VACUUM ANALYZE {table}".encode())
        size, rows = connection.execute(
            f"SELECT pg_total_relation_size('{table}'), (SELECT count(*) FROM {table})".encode()
        ).fetchone() or (0, 1)
    return float(size) / float(rows)


def memory_of(process: int) -> float:
    """Return the proportional set size of a process in MiB."""
    rollup = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii")
    [line] = [line for line in rollup.splitlines() if line.startswith("Pss:")]
    return int(line.split()[1]) / 1024


def _log_position(url: str) -> int:
    with connected(url) as connection:
        row = connection.execute("SELECT pg_current_wal_insert_lsn() - '0/0'").fetchone()
    assert row
    return int(row[0])
