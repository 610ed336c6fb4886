"""The clock's sweep over a million running games: with nothing due, and with many late at once.

Beside it stands bare SQL on the same tables: the indexed question alone; and a statement that moves late games on, with a
turn and a letter each, but knows no rules.
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

from bench.shared.place import connected, running_database, settings_for
from bench.shared.play import company_in, tables_of
from bench.shared.rounds import interleaved, pairs
from bench.shared.rows import Sheet, say, tell_all
from tasks.context import WorkerContext, worker_context_for
from tasks.deadlines import sweep as job
from webapp.clock import utc_now
from webapp.services.play.deadlines import BATCH_SIZE, sweep
from webapp.services.tx import Database, transaction
from webapp.store.schema.lobby import Seat
from webapp.store.schema.play import Game, Secret

GAMES = 1_000_000
LATE = 2_000
"""Games that are late at once."""
BATCH = BATCH_SIZE
LOOKS = 200
ROUNDS = 3
ALLOWANCE = timedelta(days=1)
OF_SWEEPS = {
    "sweep of 1,000,000 games, nothing due, ms": "<= 2",
    "late games/s, rules and letters": ">= 0.25",
    "longest transaction of a sweep, ms": "<= 60",
}
LOOK = """
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
), owed AS (
    INSERT INTO notification (game_id, seq, kind, account_id, owed_at, due_at)
    SELECT id, seq, 'your-turn', 1, %(now)s, %(now)s FROM moved
)
SELECT count(*) FROM moved
"""


class Field(NamedTuple):
    """A million games, and how to reach them."""

    context: WorkerContext
    database: Database
    bare: psycopg.Connection
    first: int
    """The id of the first of them."""


class Swept(NamedTuple):
    """Games moved on in a second, and seconds of the longest transaction."""

    per_second: float
    longest: float


def main() -> None:
    """Tell all rows."""
    logging.disable(logging.WARNING)
    tell_all(field(), ((OF_SWEEPS, report_sweeps),))


@contextmanager
def field() -> Iterator[Field]:
    """A game just dealt, a million times; each waits for a person, and none is late."""
    with running_database() as url:
        company = company_in(url, settings_for(url))
        [table] = tables_of(company, 1)
        company.database.dispose()
        say(f"{GAMES:,} games")
        settings = settings_for(url)
        context = worker_context_for(settings, is_stopping=lambda: False, nudge=lambda _: None)
        with connected(url) as bare:
            yield Field(context, context.database, bare, multiply(bare, table.slug))
        context.close()


def multiply(bare: psycopg.Connection, slug: str) -> int:
    """Copy a game with its seats and secrets; the id of the first copy."""
    [original] = bare.execute("SELECT id FROM game WHERE slug = %s", (slug,)).fetchone() or (0,)
    changed = {"id": "%(id)s + n", "slug": "slug || '-' || n"}
    changed |= dict.fromkeys(
        ("deadline_at", "wake_at", "remind_at"), "%(at)s + n * interval '1 ms'"
    )
    # Without a look at foreign keys for each of five million rows.
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


def report_sweeps(over: Field, rows: Sheet) -> None:
    """Looking when there is nothing to do, and doing it."""
    nothing, late, longest = OF_SWEEPS
    now = utc_now()
    for look in (look_properly, look_barely):
        look(over, now)
    looks = interleaved(
        lambda: look_properly(over, now), lambda: look_barely(over, now), 2 * ROUNDS
    )
    rows.ratio(nothing, pairs(looks, float, float), "the indexed question alone")
    fresh = count(over.first, LATE)
    for sweep_all in (sweep_properly, sweep_barely):
        sweep_all(over, late_games(over, next(fresh)))
    rounds = interleaved(
        lambda: sweep_properly(over, late_games(over, next(fresh))),
        lambda: sweep_barely(over, late_games(over, next(fresh))),
        ROUNDS,
    )
    rows.ratio(
        late, pairs(rounds, lambda it: it.per_second, lambda it: it.per_second), "bare SQL sweep"
    )
    slowest = statistics.median(1000 * ours.longest for ours, _, _ in rounds)
    rows.figure(
        longest, slowest, f"of {LATE} late games in batches of {BATCH}; median of the rounds"
    )


def look_properly(over: Field, now: datetime) -> float:
    """Milliseconds of the clock's job where nothing is due."""
    context = replace(over.context, now=lambda: now)
    return median_of(lambda: job(context))


def look_barely(over: Field, now: datetime) -> float:
    return median_of(lambda: over.bare.execute(LOOK, (now,)).fetchall())


def median_of(look: Callable[[], object]) -> float:
    return statistics.median(1000 * seconds_of(look) for _ in range(LOOKS))


def late_games(over: Field, begin: int) -> datetime:
    """Make some games late, long before all others; the present moment."""
    now = utc_now()
    over.bare.execute(
        "UPDATE game SET deadline_at = %s, wake_at = %s WHERE id >= %s AND id < %s",
        (now - ALLOWANCE, now - ALLOWANCE, begin, begin + LATE),
    )
    return now


def sweep_properly(over: Field, now: datetime) -> Swept:
    expired = []

    def one_batch() -> None:
        with transaction(over.database) as tx:
            expired.append(sweep(tx, now=now, pick=first, limit=BATCH).expired)

    return swept(one_batch, lambda: sum(expired))


def sweep_barely(over: Field, now: datetime) -> Swept:
    moved = []

    def one_batch() -> None:
        [number] = over.bare.execute(BARE_SWEEP, {"now": now, "limit": BATCH}).fetchone() or (0,)
        moved.append(number)

    return swept(one_batch, lambda: sum(moved))


def swept(one_batch: Callable[[], None], done: Callable[[], int]) -> Swept:
    """Sweep batch by batch until all late games are moved on."""
    seconds = [seconds_of(one_batch) for _ in range(LATE // BATCH)]
    assert done() == LATE, done()
    return Swept(LATE / sum(seconds), max(seconds))


def seconds_of(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def first(_: int) -> int:
    """Chance that always picks the first."""
    return 0


if __name__ == "__main__":
    main()
