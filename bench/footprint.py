"""Measure what a turn writes to the database, and the memory, start time and round trips of a web worker.

Write-ahead log: the same number of turns by HTTP and of bare transactions by pgbench, after a warm-up, with no checkpoint
between. Memory and start: `lodepost web` beside a bare Flask application with SQLAlchemy behind the same web server, both
after the same number of requests. Statements and Redis calls are exact; tests hold them on any machine.
"""

import logging
import random
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

import redis
from werkzeug.test import TestResponse

from bench.shared.games import (
    PreparedGame,
    PreparedTurn,
    SignedInBrowser,
    game_at,
    get,
    new_games,
    payload_of,
    tables_of,
    turns_from,
)
from bench.shared.interleaving import LoadResult, interleaved, pairs
from bench.shared.local_services import settings_for
from bench.shared.pgbench import Pgbench
from bench.shared.resource_usage import memory_of, size_per_row, wal_bytes_of
from bench.shared.rows import RowWriter, run_reports
from bench.shared.testbed import Testbed, running_testbed
from bench.shared.web import WebServer, bare_web, lodepost_web
from tests.support.statements import recorded_statements, without_begin_and_commit
from tests.support.visitors import Visitor
from webapp import urls
from webapp.app import create_app

REPETITIONS = 3
GAMES = 40
TURNS_PER_GAME = 15
"""Turns that are played in each game in a round."""
STARTS = 5
REQUESTS = 300
SIGNED_OUT = SignedInBrowser("none=none", "")
SEED = 13
STORAGE_TARGETS = {
    "WAL of a turn, bytes": "<= 2",
    "heap and index of a stored turn, bytes": "<= 250",
}
WORKER_TARGETS = {
    "memory of a web worker (PSS), MiB": "<= 1.25",
    "cold start of a web worker, s": "<= 1.5",
}
REQUEST_TARGETS = {
    "SQL statements in a turn": "<= 2",
    "SQL statements in a game page": "<= 2",
    "Redis calls inside a turn": "<= 0",
    "Redis calls inside a game page": "<= 0",
}
BARE_TURN = "pgbench: update, insert turn, insert notification, commit, of the same bytes"
BARE_WORKER = "bare Flask and SQLAlchemy, same web server"


def main() -> None:
    """Measure and print all rows."""
    logging.disable(logging.WARNING)
    reports = (
        (REQUEST_TARGETS, report_requests),
        (WORKER_TARGETS, report_workers),
        (STORAGE_TARGETS, report_store),
    )
    run_reports(running_testbed(), reports)


def report_store(testbed: Testbed, rows: RowWriter) -> None:
    """Measure bytes of write-ahead log and of tables."""
    chance = random.Random(SEED)
    games = new_games(
        testbed.players, GAMES, length=TURNS_PER_GAME * (REPETITIONS + 1), chance=chance
    )
    bare = Pgbench(testbed.url, payload_of(games))
    count = GAMES * TURNS_PER_GAME
    play = turn_sender(testbed, games)
    play()
    bare.run_times(count)
    rounds = interleaved(
        lambda: wal_bytes_of(testbed.url, play),
        lambda: wal_bytes_of(testbed.url, lambda: bare.run_times(count)),
        REPETITIONS,
    )
    wal, size = STORAGE_TARGETS
    rows.ratio(wal, pairs(rounds, lambda it: it[1] / count, lambda it: it[1] / count), BARE_TURN)
    rows.figure(size, size_per_row(testbed.url, "turn"), "random games of three, first turns first")


def turn_sender(
    testbed: Testbed, games: Sequence[Sequence[PreparedTurn]]
) -> Callable[[], LoadResult]:
    """Return a function that plays the next turns of every game."""
    begins = iter(range(0, len(games[0]), TURNS_PER_GAME))

    def play() -> LoadResult:
        begin = next(begins)
        turns = [turn.request for chain in games for turn in chain[begin : begin + TURNS_PER_GAME]]
        return testbed.load(testbed.web.port, [turns], want=303)

    return play


def report_workers(testbed: Testbed, rows: RowWriter) -> None:
    """Measure memory after some requests, and seconds from the start of a process to its first response."""
    memory, start = WORKER_TARGETS
    page = page_of(tables_of(testbed.players, 1)[0])
    row = get("/row", SIGNED_OUT)
    with bare_web(testbed.url) as bare:
        weights = interleaved(
            lambda: memory_after_load(testbed, testbed.web, page),
            lambda: memory_after_load(testbed, bare, row),
            REPETITIONS,
        )
    rows.ratio(memory, pairs(weights, float, float), BARE_WORKER)
    starts = interleaved(
        lambda: seconds_to_start(testbed, lodepost_web(testbed.url, testbed.redis_url), page),
        lambda: seconds_to_start(testbed, bare_web(testbed.url), row),
        STARTS,
    )
    rows.ratio(start, pairs(starts, float, float), BARE_WORKER)


def memory_after_load(testbed: Testbed, web: WebServer, request: bytes) -> float:
    testbed.load(web.port, [[request] * REQUESTS], want=200)
    return memory_of(web.process.pid)


def seconds_to_start(
    testbed: Testbed, web: AbstractContextManager[WebServer], request: bytes
) -> float:
    """Return the seconds from the start of a process to its first response."""
    begun = time.perf_counter()
    with web as started:
        testbed.load(started.port, [[request]], want=200)
        return time.perf_counter() - begun


def report_requests(testbed: Testbed, rows: RowWriter) -> None:
    """Count the statements and Redis commands of a page and of a turn inside the process that responds."""
    [table] = tables_of(testbed.players, 1)
    turn = next(turns_from(game_at(testbed.players.database, table), table, random.Random(SEED)))
    nudging: list[int] = []
    settings = settings_for(testbed.url, REDIS_URL=testbed.redis_url, BASE_URL="http://localhost")
    app = create_app(
        settings,
        database=testbed.players.database,
        send_task=lambda _: nudging.append(threading.get_ident()),
    )
    [seat] = [turn.write.turns[0].seat or 0]
    visitor = Visitor(app, app.test_client()).with_session(table.guests[seat].cookie)
    visitor.token()
    requests = {
        "a game page": lambda: visitor.get(urls.game(table.slug)),
        "a turn": lambda: visitor.post(urls.turns(table.slug), **turn.form),
    }
    for name, send in requests.items():
        statements, calls = counts_of(testbed, send)
        rows.figure(f"SQL statements in {name}", statements, "between BEGIN and COMMIT, if any")
        rows.figure(f"Redis calls inside {name}", calls + nudging.count(threading.get_ident()), "")


def counts_of(testbed: Testbed, send: Callable[[], TestResponse]) -> tuple[int, int]:
    """Return how many SQL statements and Redis commands a request took."""
    with redis.Redis.from_url(testbed.redis_url) as watching:
        before = commands_processed(watching)
        with recorded_statements(testbed.players.database) as statements_sent:
            assert send().status_code in {200, 303}
        # Reading the counter is one command itself.
        return len(without_begin_and_commit(statements_sent)), commands_processed(
            watching
        ) - before - 1


def commands_processed(watching: redis.Redis) -> int:
    return int(watching.info("stats")["total_commands_processed"])  # type: ignore[index]


def page_of(table: PreparedGame) -> bytes:
    return get(urls.game(table.slug), table.browsers[0])


if __name__ == "__main__":
    main()
