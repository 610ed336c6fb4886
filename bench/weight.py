"""What a turn leaves behind in the database, and what a web worker weighs, asks and waits for.

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

from bench.shared.pgbench import Pgbench
from bench.shared.place import settings_for
from bench.shared.play import (
    Browser,
    Table,
    Turn,
    chains_of,
    game_at,
    get,
    payload_of,
    tables_of,
    turns_from,
)
from bench.shared.rounds import Load, interleaved, pairs
from bench.shared.rows import Sheet, tell_all
from bench.shared.stage import Stage, staged
from bench.shared.web import Web, bare_web, lodepost_web
from bench.shared.weighing import logged, memory_of, size_per_row
from tests.support.statements import counted, statements_in
from tests.support.visitors import Visitor
from webapp import urls
from webapp.app import create_app

ROUNDS = 3
GAMES = 40
EACH = 15
"""Turns that are played on in each game in a round."""
STARTS = 5
REQUESTS = 300
NOBODY = Browser("none=none", "")
SEED = 13
OF_STORE = {
    "WAL of a turn, bytes": "<= 2",
    "heap and index of a stored turn, bytes": "<= 250",
}
OF_WORKERS = {
    "memory of a web worker (PSS), MiB": "<= 1.25",
    "cold start of a web worker, s": "<= 1.5",
}
OF_REQUESTS = {
    "SQL statements in a turn": "<= 2",
    "SQL statements in a game page": "<= 2",
    "Redis calls inside a turn": "<= 0",
    "Redis calls inside a game page": "<= 0",
}
BARE_TURN = "pgbench: update, insert turn, insert letter, commit, of the same bytes"
BARE_WORKER = "bare Flask and SQLAlchemy, same web server"


def main() -> None:
    """Tell all rows."""
    logging.disable(logging.WARNING)
    reports = (
        (OF_REQUESTS, report_requests),
        (OF_WORKERS, report_workers),
        (OF_STORE, report_store),
    )
    tell_all(staged(), reports)


def report_store(stage: Stage, rows: Sheet) -> None:
    """Bytes of log and of tables."""
    chance = random.Random(SEED)
    chains = chains_of(stage.company, GAMES, length=EACH * (ROUNDS + 1), chance=chance)
    bare = Pgbench(stage.url, payload_of(chains))
    count = GAMES * EACH
    play = playing(stage, chains)
    play()
    bare.run_times(count)
    rounds = interleaved(
        lambda: logged(stage.url, play),
        lambda: logged(stage.url, lambda: bare.run_times(count)),
        ROUNDS,
    )
    wal, size = OF_STORE
    rows.ratio(wal, pairs(rounds, lambda it: it[1] / count, lambda it: it[1] / count), BARE_TURN)
    rows.figure(size, size_per_row(stage.url, "turn"), "random games of three, first turns first")


def playing(stage: Stage, chains: Sequence[Sequence[Turn]]) -> Callable[[], Load]:
    """Each call plays the next turns of every game."""
    begins = iter(range(0, len(chains[0]), EACH))

    def play() -> Load:
        begin = next(begins)
        turns = [turn.request for chain in chains for turn in chain[begin : begin + EACH]]
        return stage.load(stage.web.port, [turns], want=303)

    return play


def report_workers(stage: Stage, rows: Sheet) -> None:
    """Memory after some requests, and seconds from the start of a process to its first answer."""
    memory, start = OF_WORKERS
    page = page_of(tables_of(stage.company, 1)[0])
    row = get("/row", NOBODY)
    with bare_web(stage.url) as bare:
        weights = interleaved(
            lambda: weight_after(stage, stage.web, page),
            lambda: weight_after(stage, bare, row),
            ROUNDS,
        )
    rows.ratio(memory, pairs(weights, float, float), BARE_WORKER)
    starts = interleaved(
        lambda: seconds_to_start(stage, lodepost_web(stage.url, stage.redis_url), page),
        lambda: seconds_to_start(stage, bare_web(stage.url), row),
        STARTS,
    )
    rows.ratio(start, pairs(starts, float, float), BARE_WORKER)


def weight_after(stage: Stage, web: Web, request: bytes) -> float:
    stage.load(web.port, [[request] * REQUESTS], want=200)
    return memory_of(web.process.pid)


def seconds_to_start(stage: Stage, web: AbstractContextManager[Web], request: bytes) -> float:
    """From the start of a process to its first answer."""
    begun = time.perf_counter()
    with web as started:
        stage.load(started.port, [[request]], want=200)
        return time.perf_counter() - begun


def report_requests(stage: Stage, rows: Sheet) -> None:
    """What a page and a turn say to the database and to Redis, counted inside the process that answers."""
    [table] = tables_of(stage.company, 1)
    turn = next(turns_from(game_at(stage.company.database, table), table, random.Random(SEED)))
    nudging: list[int] = []
    settings = settings_for(stage.url, REDIS_URL=stage.redis_url, BASE_URL="http://localhost")
    app = create_app(
        settings,
        database=stage.company.database,
        send_task=lambda _: nudging.append(threading.get_ident()),
    )
    [seat] = [turn.write.turns[0].seat or 0]
    visitor = Visitor(app, app.test_client()).with_session(table.guests[seat].cookie)
    visitor.token()
    asked = {
        "a game page": lambda: visitor.get(urls.game(table.slug)),
        "a turn": lambda: visitor.post(urls.turns(table.slug), **turn.form),
    }
    for name, ask in asked.items():
        statements, calls = counts_of(stage, ask)
        rows.figure(f"SQL statements in {name}", statements, "between BEGIN and COMMIT, if any")
        rows.figure(f"Redis calls inside {name}", calls + nudging.count(threading.get_ident()), "")


def counts_of(stage: Stage, ask: Callable[[], TestResponse]) -> tuple[int, int]:
    """How many statements and how many Redis commands a request took."""
    with redis.Redis.from_url(stage.redis_url) as watching:
        before = commands_so_far(watching)
        with counted(stage.company.database) as said:
            assert ask().status_code in {200, 303}
        # The question itself is one.
        return len(statements_in(said)), commands_so_far(watching) - before - 1


def commands_so_far(watching: redis.Redis) -> int:
    return int(watching.info("stats")["total_commands_processed"])  # type: ignore[index]


def page_of(table: Table) -> bytes:
    return get(urls.game(table.slug), table.browsers[0])


if __name__ == "__main__":
    main()
