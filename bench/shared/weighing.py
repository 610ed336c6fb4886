"""What work leaves behind: bytes of write-ahead log, of tables, of memory."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from bench.shared.place import connected

T = TypeVar("T")


def logged(url: str, work: Callable[[], T]) -> tuple[T, int]:
    """What a piece of work gives, and the bytes of write-ahead log that were written meanwhile."""
    before = _log_position(url)
    done = work()
    return done, _log_position(url) - before


def size_per_row(url: str, table: str) -> float:
    """Bytes of a table with its indexes and long values, for each of its rows."""
    with connected(url) as connection:
        connection.execute(f"VACUUM ANALYZE {table}".encode())
        size, rows = connection.execute(
            f"SELECT pg_total_relation_size('{table}'), (SELECT count(*) FROM {table})".encode()
        ).fetchone() or (0, 1)
    return float(size) / float(rows)


def memory_of(process: int) -> float:
    """The proportional set size of a process, in MiB."""
    told = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii")
    [line] = [line for line in told.splitlines() if line.startswith("Pss:")]
    return int(line.split()[1]) / 1024


def _log_position(url: str) -> int:
    with connected(url) as connection:
        row = connection.execute("SELECT pg_current_wal_insert_lsn() - '0/0'").fetchone()
    assert row
    return int(row[0])
