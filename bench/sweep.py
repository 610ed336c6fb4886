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

from bench.shared.games import deal_games, sign_in_players
from bench.shared.interleaving import figure_and_anchor_pairs, interleaved_rounds
from bench.shared.local_services import autocommit_connection, running_database, settings_for
from bench.shared.result_rows import RowWriter, log_progress, run_reports
from tasks.context import WorkerContext, worker_context_for
from tasks.deadlines import sweep_deadlines as job
from tests.support.transactions import transaction
from webapp.clock.sweep import BATCH_SIZE, sweep
from webapp.kernel.system_time import utc_now
from webapp.kernel.tx import Database
from webapp.lobby.schema import Seat
from webapp.play.schema import Game, Secret

GAME_COUNT = 1_000_000
LATE_GAME_COUNT = 2_000
"""Games that are late at once."""
GAMES_PER_BATCH = BATCH_SIZE
QUERY_COUNT = 200
REPETITION_COUNT = 3
ALLOWANCE = timedelta(days=1)
SWEEP_TARGETS = {
    "9. sweep of 1,000,000 games, nothing due, ms": "<= 2",
    "9. late games/s, rules and notifications": ">= 0.25",
    "9. longest transaction of a sweep, ms": "<= 60",
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
    INSERT INTO turn (game_id, seq, seat, by, action, events, head, at)
    SELECT id, seq, 0, 'clock', '{"do":"pass"}', '[{"event":"passed","seat":1}]', sha256(''), %(now)s FROM moved
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
    bare_connection: psycopg.Connection
    first_game_id: int
    """The id of the first of them."""


class SweepTiming(NamedTuple):
    """Games advanced per second, and seconds of the longest transaction."""

    per_second: float
    longest_seconds: float


def main() -> None:
    """Measure and print all rows."""
    logging.disable(logging.WARNING)
    run_reports(running_games(), ((SWEEP_TARGETS, report_sweeps),))


@contextmanager
def running_games() -> Iterator[RunningGames]:
    """Yield a million copies of a game just dealt; each waits for a person, and none is late."""
    with running_database() as url:
        players = sign_in_players(url, settings_for(url))
        [table] = deal_games(players, 1)
        players.database.dispose()
        log_progress(f"{GAME_COUNT:,} games")
        settings = settings_for(url)
        context = worker_context_for(settings, is_stopping=lambda: False, nudge=lambda _: None)
        with autocommit_connection(url) as bare_connection:
            yield RunningGames(
                context,
                context.database,
                bare_connection,
                insert_game_copies(bare_connection, table.slug),
            )
        context.close()


def insert_game_copies(bare_connection: psycopg.Connection, slug: str) -> int:
    """Copy a game with its seats and secrets and return the id of the first copy."""
    [original_id] = bare_connection.execute(
        "SELECT id FROM game WHERE slug = %s", (slug,)
    ).fetchone() or (0,)
    changed_columns = {"id": "%(id)s + n", "slug": "slug || '-' || n"}
    changed_columns |= dict.fromkeys(
        ("deadline_at", "wake_at", "remind_at"), "%(at)s + n * interval '1 ms'"
    )
    # Do not check foreign keys for each of five million rows.
    bare_connection.execute("SET session_replication_role = replica")
    parameters = {"id": original_id, "at": utc_now() + ALLOWANCE, "last": GAME_COUNT}
    for table, key in ((Game, "id"), (Secret, "game_id"), (Seat, "game_id")):
        column_names = [column.name for column in table.__table__.columns]
        values = [changed_columns.get(name, name) for name in column_names]
        if key == "game_id":
            values = ["%(id)s + n" if name == key else name for name in column_names]
        copy_statement = (
            f"INSERT INTO {table.__tablename__} ({', '.join(column_names)}) OVERRIDING SYSTEM VALUE"
            f" SELECT {', '.join(values)} FROM {table.__tablename__}, generate_series(1, %(last)s) AS n"
            f" WHERE {key} = %(id)s"
        )
        bare_connection.execute(copy_statement.encode(), parameters)
        bare_connection.execute(f"VACUUM ANALYZE {table.__tablename__}".encode())
    bare_connection.execute("RESET session_replication_role")
    bare_connection.execute("CHECKPOINT")
    return int(original_id) + 1


def report_sweeps(games: RunningGames, rows: RowWriter) -> None:
    """Measure the sweep when nothing is due and when many games are late."""
    nothing_due_metric, late_games_metric, longest_transaction_metric = SWEEP_TARGETS
    now = utc_now()
    for query in (clock_job_milliseconds, bare_query_milliseconds):
        query(games, now)
    queries = interleaved_rounds(
        lambda: clock_job_milliseconds(games, now),
        lambda: bare_query_milliseconds(games, now),
        2 * REPETITION_COUNT,
    )
    rows.write_ratio(
        nothing_due_metric,
        figure_and_anchor_pairs(queries, float, float),
        "the indexed query alone",
    )
    first_late_ids = count(games.first_game_id, LATE_GAME_COUNT)
    for sweep_late_games in (measured_sweep, measured_bare_sweep):
        sweep_late_games(games, make_games_late(games, next(first_late_ids)))
    rounds = interleaved_rounds(
        lambda: measured_sweep(games, make_games_late(games, next(first_late_ids))),
        lambda: measured_bare_sweep(games, make_games_late(games, next(first_late_ids))),
        REPETITION_COUNT,
    )
    rows.write_ratio(
        late_games_metric,
        figure_and_anchor_pairs(
            rounds, lambda timing: timing.per_second, lambda timing: timing.per_second
        ),
        "bare SQL sweep",
    )
    median_milliseconds = statistics.median(
        1000 * subject.longest_seconds for subject, _, _ in rounds
    )
    rows.write_figure(
        longest_transaction_metric,
        median_milliseconds,
        f"of {LATE_GAME_COUNT} late games in batches of {GAMES_PER_BATCH}; median of the rounds",
    )


def clock_job_milliseconds(games: RunningGames, now: datetime) -> float:
    """Return the milliseconds of the clock's job when nothing is due."""
    context = replace(games.context, now=lambda: now)
    return median_milliseconds(lambda: job(context))


def bare_query_milliseconds(games: RunningGames, now: datetime) -> float:
    return median_milliseconds(lambda: games.bare_connection.execute(DUE_QUERY, (now,)).fetchall())


def median_milliseconds(run_work: Callable[[], object]) -> float:
    return statistics.median(1000 * seconds_of(run_work) for _ in range(QUERY_COUNT))


def make_games_late(games: RunningGames, first_id: int) -> datetime:
    """Make some games late, long before all others, and return the present instant."""
    now = utc_now()
    games.bare_connection.execute(
        "UPDATE game SET deadline_at = %s, wake_at = %s WHERE id >= %s AND id < %s",
        (now - ALLOWANCE, now - ALLOWANCE, first_id, first_id + LATE_GAME_COUNT),
    )
    return now


def measured_sweep(games: RunningGames, now: datetime) -> SweepTiming:
    expired_counts = []

    def sweep_one_batch() -> None:
        with transaction(games.database, now) as tx:
            expired_counts.append(sweep(tx, limit=GAMES_PER_BATCH).expired_count)

    return timed_sweep(sweep_one_batch, lambda: sum(expired_counts))


def measured_bare_sweep(games: RunningGames, now: datetime) -> SweepTiming:
    advanced_counts = []

    def sweep_one_batch() -> None:
        [number] = games.bare_connection.execute(
            BARE_SWEEP, {"now": now, "limit": GAMES_PER_BATCH}
        ).fetchone() or (0,)
        advanced_counts.append(number)

    return timed_sweep(sweep_one_batch, lambda: sum(advanced_counts))


def timed_sweep(
    sweep_one_batch: Callable[[], None], count_advanced_games: Callable[[], int]
) -> SweepTiming:
    """Sweep batch by batch until every late game has advanced."""
    seconds = [seconds_of(sweep_one_batch) for _ in range(LATE_GAME_COUNT // GAMES_PER_BATCH)]
    assert count_advanced_games() == LATE_GAME_COUNT, count_advanced_games()
    return SweepTiming(LATE_GAME_COUNT / sum(seconds), max(seconds))


def seconds_of(run_work: Callable[[], object]) -> float:
    started_at = time.perf_counter()
    run_work()
    return time.perf_counter() - started_at


if __name__ == "__main__":
    main()
