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

from bench.shared.bytes_used import process_memory, size_per_row, wal_bytes_of
from bench.shared.games import (
    PreparedGame,
    PreparedTurn,
    SignedInBrowser,
    deal_games,
    first_turns_of_new_games,
    get_request,
    load_game,
    median_turn_payload,
    prepared_turns,
)
from bench.shared.interleaving import LoadResult, figure_and_anchor_pairs, interleaved_rounds
from bench.shared.local_services import settings_for
from bench.shared.pgbench import Pgbench
from bench.shared.result_rows import RowWriter, run_reports
from bench.shared.testbed import Testbed, running_testbed
from bench.shared.web import WebServer, bare_web, lodepost_web
from tests.support.statements import recorded_statements, without_begin_and_commit
from tests.support.visitors import Visitor
from webapp.app import create_app
from webapp.kernel import urls

REPETITION_COUNT = 3
GAME_COUNT = 40
TURNS_PER_GAME = 15
"""Turns that are played in each game in a round."""
START_REPETITION_COUNT = 5
REQUEST_COUNT = 300
SIGNED_OUT_BROWSER = SignedInBrowser("none=none", "")
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
BARE_TURN_NOTE = "pgbench: update, insert turn, insert notification, commit, of the same bytes"
BARE_WORKER_NOTE = "bare Flask and SQLAlchemy, same web server"


def main() -> None:
    """Measure and print all rows."""
    logging.disable(logging.WARNING)
    targets_and_reporters = (
        (REQUEST_TARGETS, report_requests),
        (WORKER_TARGETS, report_workers),
        (STORAGE_TARGETS, report_storage),
    )
    run_reports(running_testbed(), targets_and_reporters)


def report_storage(testbed: Testbed, rows: RowWriter) -> None:
    """Measure bytes of write-ahead log and of tables."""
    chance = random.Random(SEED)
    games = first_turns_of_new_games(
        testbed.players, GAME_COUNT, length=TURNS_PER_GAME * (REPETITION_COUNT + 1), chance=chance
    )
    pgbench = Pgbench(testbed.url, median_turn_payload(games))
    turn_count = GAME_COUNT * TURNS_PER_GAME
    play = turn_sender(testbed, games)
    play()
    pgbench.run_transactions(turn_count)
    rounds = interleaved_rounds(
        lambda: wal_bytes_of(testbed.url, play),
        lambda: wal_bytes_of(testbed.url, lambda: pgbench.run_transactions(turn_count)),
        REPETITION_COUNT,
    )
    wal_metric, size_metric = STORAGE_TARGETS
    rows.write_ratio(
        wal_metric,
        figure_and_anchor_pairs(
            rounds,
            lambda work_and_wal_bytes: work_and_wal_bytes[1] / turn_count,
            lambda work_and_wal_bytes: work_and_wal_bytes[1] / turn_count,
        ),
        BARE_TURN_NOTE,
    )
    rows.write_figure(
        size_metric, size_per_row(testbed.url, "turn"), "random games of three, first turns first"
    )


def turn_sender(
    testbed: Testbed, games: Sequence[Sequence[PreparedTurn]]
) -> Callable[[], LoadResult]:
    """Return a function that plays the next turns of every game."""
    first_turn_indexes = iter(range(0, len(games[0]), TURNS_PER_GAME))

    def play() -> LoadResult:
        first_turn_index = next(first_turn_indexes)
        turns = [
            turn.request
            for game_turns in games
            for turn in game_turns[first_turn_index : first_turn_index + TURNS_PER_GAME]
        ]
        return testbed.load(testbed.web.port, [turns], expected_status=303)

    return play


def report_workers(testbed: Testbed, rows: RowWriter) -> None:
    """Measure memory after some requests, and seconds from the start of a process to its first response."""
    memory_metric, start_metric = WORKER_TARGETS
    page_request = game_page_request(deal_games(testbed.players, 1)[0])
    row_request = get_request("/row", SIGNED_OUT_BROWSER)
    with bare_web(testbed.url) as bare_server:
        memory_use_rounds = interleaved_rounds(
            lambda: memory_after_load(testbed, testbed.web, page_request),
            lambda: memory_after_load(testbed, bare_server, row_request),
            REPETITION_COUNT,
        )
    rows.write_ratio(
        memory_metric, figure_and_anchor_pairs(memory_use_rounds, float, float), BARE_WORKER_NOTE
    )
    start_time_rounds = interleaved_rounds(
        lambda: seconds_to_start(
            testbed, lodepost_web(testbed.url, testbed.redis_url), page_request
        ),
        lambda: seconds_to_start(testbed, bare_web(testbed.url), row_request),
        START_REPETITION_COUNT,
    )
    rows.write_ratio(
        start_metric, figure_and_anchor_pairs(start_time_rounds, float, float), BARE_WORKER_NOTE
    )


def memory_after_load(testbed: Testbed, web_server: WebServer, request: bytes) -> float:
    testbed.load(web_server.port, [[request] * REQUEST_COUNT], expected_status=200)
    return process_memory(web_server.process.pid)


def seconds_to_start(
    testbed: Testbed, web_server: AbstractContextManager[WebServer], request: bytes
) -> float:
    """Return the seconds from the start of a process to its first response."""
    started_at = time.perf_counter()
    with web_server as started_server:
        testbed.load(started_server.port, [[request]], expected_status=200)
        return time.perf_counter() - started_at


def report_requests(testbed: Testbed, rows: RowWriter) -> None:
    """Count the statements and Redis commands of a page and of a turn inside the process that responds."""
    [table] = deal_games(testbed.players, 1)
    turn = next(
        prepared_turns(load_game(testbed.players.database, table), table, random.Random(SEED))
    )
    nudging_threads: list[int] = []
    settings = settings_for(testbed.url, REDIS_URL=testbed.redis_url, BASE_URL="http://localhost")
    app = create_app(
        settings,
        database=testbed.players.database,
        send_task=lambda _: nudging_threads.append(threading.get_ident()),
    )
    [seat] = [turn.game_update.turns[0].seat or 0]
    visitor = Visitor(app, app.test_client()).with_session(table.guests[seat].cookie)
    visitor.token()
    requests = {
        "a game page": lambda: visitor.get(urls.game(table.slug)),
        "a turn": lambda: visitor.post(urls.turns(table.slug), **turn.form),
    }
    for name, send in requests.items():
        statements, redis_calls = statement_and_redis_call_counts(testbed, send)
        rows.write_figure(
            f"SQL statements in {name}", statements, "between BEGIN and COMMIT, if any"
        )
        rows.write_figure(
            f"Redis calls inside {name}",
            redis_calls + nudging_threads.count(threading.get_ident()),
            "",
        )


def statement_and_redis_call_counts(
    testbed: Testbed, send: Callable[[], TestResponse]
) -> tuple[int, int]:
    """Return how many SQL statements and Redis commands a request took."""
    with redis.Redis.from_url(testbed.redis_url) as redis_client:
        commands_before = commands_processed(redis_client)
        with recorded_statements(testbed.players.database) as statements_sent:
            assert send().status_code in {200, 303}
        # Reading the counter is one command itself.
        return len(without_begin_and_commit(statements_sent)), commands_processed(
            redis_client
        ) - commands_before - 1


def commands_processed(redis_client: redis.Redis) -> int:
    return int(redis_client.info("stats")["total_commands_processed"])  # type: ignore[index]


def game_page_request(table: PreparedGame) -> bytes:
    return get_request(urls.game(table.slug), table.browsers[0])


if __name__ == "__main__":
    main()
