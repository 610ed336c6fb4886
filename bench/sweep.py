"""Measure the clock's sweep over a million running games: with nothing due, and with many late at once.

The anchor is bare SQL on the same tables: the indexed query alone, and a statement that advances late games with a turn
and a notification each, without any rules.
"""

import logging
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count
from typing import NamedTuple

import psycopg

from bench.shared.games import sign_in_players, tables_of
from bench.shared.interleaving import interleaved, pairs
from bench.shared.local_services import connected, running_database, settings_for
from bench.shared.rows import RowWriter, log_progress, run_reports
from tasks.context import WorkerContext, worker_context_for
from tasks.turns import sweep_deadlines as job
from webapp.clock import utc_now
from webapp.services.play.deadlines import BATCH_SIZE, sweep
from webapp.services.tx import Database, transaction
from webapp.store.schema.lobby import Seat
from webapp.store.schema.play import Game, Secret

GAMES = 1_000_000
LATE_GAMES = 2_000
"""Games that are late at once."""
BATCH = BATCH_SIZE
QUERIES = 200
REPETITIONS = 3
ALLOWANCE = timedelta(days=1)
SWEEP_TARGETS = {
    "sweep of 1,000,000 games, nothing due, ms": "<= 2",
    "late games/s, rules and notifications": ">= 0.25",
    "longest transaction of a sweep, ms": "<= 60",
}
DUE_QUERY = """
SELECT id FROM game WHERE status = 'running' AND NOT awaiting_bot AND wake_at <= %s
ORDER BY wake_at LIMIT 200
"""
BARE_SWEEP = """
WITH due AS (
    SELECT id FROM game WHERE status = 'running' AND NOT awaiting_bot AND wake_at <= %(now)s
    ORDER BY wake_at LIMIT %(limit)s FOR UPDATE SKIP LOCKED
), moved AS (
    UPDATE game SET seq = seq + 1, turn_seq = seq + 1, turn_started_at = %(now)s,
        deadline_at = %(now)s + allowance, wake_at = %(now)s + allowance
    FROM due WHERE game.id = due.id RETURNING game.id, game.seq
), logged AS (
    INSERT INTO turn (game_id, seq, seat, by, action, events, at)
    SELECT id, seq, 0, 'clock', '{"do":"pass"}', '[{"event":"passed","seat":1}]', %(now)s FROM moved
), notified AS (
    INSERT INTO notification (game_id, seq, kind, account_id, first_due_at, due_at)
    SELECT id, seq, 'your-turn', 1, %(now)s, %(now)s FROM moved
)
SELECT count(*) FROM moved
"""


class RunningGames(NamedTuple):
    """A million running games and the connections to them."""

    context: WorkerContext
    database: Database
    bare: psycopg.Connection
    first: int
    """The id of the first of them."""


class SweepTiming(NamedTuple):
    """Games advanced per second, and seconds of the longest transaction."""

    per_second: float
    longest: float


def main() -> None:
    """Measure and print all rows."""
    logging.disable(logging.WARNING)
    run_reports(running_games(), ((SWEEP_TARGETS, report_sweeps),))


@contextmanager
def running_games() -> Iterator[RunningGames]:
    """Yield a million copies of a game just dealt; each waits for a person, and none is late."""
    with running_database() as url:
        players = sign_in_players(url, settings_for(url))
        [table] = tables_of(players, 1)
        players.database.dispose()
        log_progress(f"{GAMES:,} games")
        settings = settings_for(url)
        context = worker_context_for(settings, is_stopping=lambda: False, nudge=lambda _: None)
        with connected(url) as bare:
            yield RunningGames(
                context, context.database, bare, insert_game_copies(bare, table.slug)
            )
        context.close()


def insert_game_copies(bare: psycopg.Connection, slug: str) -> int:
    """Copy a game with its seats and secrets and return the id of the first copy."""
    [original] = bare.execute("SELECT id FROM game WHERE slug = %s", (slug,)).fetchone() or (0,)
    changed = {"id": "%(id)s + n", "slug": "slug || '-' || n"}
    changed |= dict.fromkeys(
        ("deadline_at", "wake_at", "remind_at"), "%(at)s + n * interval '1 ms'"
    )
    # Do not check foreign keys for each of five million rows.
    bare.execute("SET session_replication_role = replica")
    given = {"id": original, "at": utc_now() + ALLOWANCE, "last": GAMES}
    for table, key in ((Game, "id"), (Secret, "game_id"), (Seat, "game_id")):
        names = [column.name for column in table.__table__.columns]
        values = [changed.get(name, name) for name in names]
        if key == "game_id":
            values = ["%(id)s + n" if name == key else name for name in names]
        copy = (
            f"INSERT INTO {table.__tablename__} ({', '.join(names)}) OVERRIDING SYSTEM VALUE"
            f" SELECT {', '.join(values)} FROM {table.__tablename__}, generate_series(1, %(last)s) AS n"
            f" WHERE {key} = %(id)s"
        )
        bare.execute(copy.encode(), given)
        bare.execute(f"VACUUM ANALYZE {table.__tablename__}".encode())
    bare.execute("RESET session_replication_role")
    bare.execute("CHECKPOINT")
    return int(original) + 1


def report_sweeps(over: RunningGames, rows: RowWriter) -> None:
    """Measure the sweep when nothing is due and when many games are late."""
    nothing, late, longest = SWEEP_TARGETS
    now = utc_now()
    for query in (clock_job_milliseconds, bare_query_milliseconds):
        query(over, now)
    queries = interleaved(
        lambda: clock_job_milliseconds(over, now),
        lambda: bare_query_milliseconds(over, now),
        2 * REPETITIONS,
    )
    rows.ratio(nothing, pairs(queries, float, float), "the indexed query alone")
    fresh = count(over.first, LATE_GAMES)
    for sweep_all in (measured_sweep, measured_bare_sweep):
        sweep_all(over, late_games(over, next(fresh)))
    rounds = interleaved(
        lambda: measured_sweep(over, late_games(over, next(fresh))),
        lambda: measured_bare_sweep(over, late_games(over, next(fresh))),
        REPETITIONS,
    )
    rows.ratio(
        late, pairs(rounds, lambda it: it.per_second, lambda it: it.per_second), "bare SQL sweep"
    )
    slowest = statistics.median(1000 * subject.longest for subject, _, _ in rounds)
    rows.figure(
        longest, slowest, f"of {LATE_GAMES} late games in batches of {BATCH}; median of the rounds"
    )


def clock_job_milliseconds(over: RunningGames, now: datetime) -> float:
    """Return the milliseconds of the clock's job when nothing is due."""
    context = replace(over.context, now=lambda: now)
    return median_milliseconds(lambda: job(context))


def bare_query_milliseconds(over: RunningGames, now: datetime) -> float:
    return median_milliseconds(lambda: over.bare.execute(DUE_QUERY, (now,)).fetchall())


def median_milliseconds(work: Callable[[], object]) -> float:
    return statistics.median(1000 * seconds_of(work) for _ in range(QUERIES))


def late_games(over: RunningGames, begin: int) -> datetime:
    """Make some games late, long before all others, and return the present instant."""
    now = utc_now()
    over.bare.execute(
        "UPDATE game SET deadline_at = %s, wake_at = %s WHERE id >= %s AND id < %s",
        (now - ALLOWANCE, now - ALLOWANCE, begin, begin + LATE_GAMES),
    )
    return now


def measured_sweep(over: RunningGames, now: datetime) -> SweepTiming:
    expired = []

    def one_batch() -> None:
        with transaction(over.database) as tx:
            expired.append(sweep(tx, now=now, pick=first, limit=BATCH).expired)

    return timed_sweep(one_batch, lambda: sum(expired))


def measured_bare_sweep(over: RunningGames, now: datetime) -> SweepTiming:
    advanced_counts = []

    def one_batch() -> None:
        [number] = over.bare.execute(BARE_SWEEP, {"now": now, "limit": BATCH}).fetchone() or (0,)
        advanced_counts.append(number)

    return timed_sweep(one_batch, lambda: sum(advanced_counts))


def timed_sweep(one_batch: Callable[[], None], done: Callable[[], int]) -> SweepTiming:
    """Sweep batch by batch until every late game has advanced."""
    seconds = [seconds_of(one_batch) for _ in range(LATE_GAMES // BATCH)]
    assert done() == LATE_GAMES, done()
    return SweepTiming(LATE_GAMES / sum(seconds), max(seconds))


def seconds_of(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def first(_: int) -> int:
    """Return 0: chance that always picks the first."""
    return 0


if __name__ == "__main__":
    main()
