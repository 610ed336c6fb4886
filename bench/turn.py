"""Measure a whole turn by HTTP: session, CSRF token, rules, log, snapshot, notifications, commit, redirect.

The anchors are the bare transaction of a turn (`bench/shared/pgbench.py`) and boardgame.io's server with Postgres
(`bench/boardgame/`). The turns are forms prepared from games played in advance, sent by clients in other processes.

Turns 195 to 200 come from games played up to there, the turns before turn 2,000 from games whose log was extended.
One client sends them in rotation with turns 1 to 6.
"""

import logging
import random
from collections.abc import Callable, Sequence
from itertools import islice

from bench.shared.aged_games import extended_game, play_up_to
from bench.shared.boardgame import running_boardgame
from bench.shared.clients import run_clients
from bench.shared.games import (
    PreparedGame,
    PreparedTurn,
    game_at,
    new_games,
    payload_of,
    tables_of,
    turns_from,
)
from bench.shared.interleaving import LoadResult, interleaved, pairs, quantile
from bench.shared.pgbench import Pgbench, PgbenchResult
from bench.shared.resource_usage import wal_bytes_of
from bench.shared.rows import RowWriter, log_progress, run_reports
from bench.shared.testbed import CLIENTS, Testbed, running_testbed

REPETITIONS = 5
TURNS_PER_CLIENT = 25
"""Turns that each client plays in a round."""
TURNS_ALONE = 20
"""Turns that one client plays in each of as many games."""
AGED = 25
"""Games of each age."""
OLD, ANCIENT = 200, 2_000
TURNS_PER_GAME = REPETITIONS + 1
"""Turns that a game is continued for: one to warm up and one for each round."""
SEED = 11
GAME_AGE_TARGETS = {
    "p50 of turn 200 beside turn 1, ms": "<= 1.05",
    "p50 of turn 2,000 beside turn 1, ms": "<= 1.10",
}
TURN_TARGETS = {
    "turns/s, 16 clients": ">= 0.25",
    "turn p50, one client, ms": "<= 1.8",
    "turn p99, one client, ms": "<= 4",
}
BOARDGAME_TARGETS = {
    "turns/s, 16 clients, beside boardgame.io": ">= 6",
    "turn p50, 16 clients, beside boardgame.io, ms": "<= 0.2",
    "WAL of a turn beside boardgame.io, bytes": "<= 0.3",
}
BARE = "pgbench: update, insert turn, insert notification, commit, of the same bytes"
BOARDGAME = "boardgame.io 0.50 on Postgres, a position of the same size"


def main() -> None:
    """Measure and print all rows."""
    logging.disable(logging.WARNING)
    reports = (
        (GAME_AGE_TARGETS, report_turns_by_game_age),
        (TURN_TARGETS, report_turns),
        (BOARDGAME_TARGETS, report_beside_boardgame),
    )
    run_reports(running_testbed(), reports)


def report_turns_by_game_age(testbed: Testbed, rows: RowWriter) -> None:
    """Measure turns of young, old and ancient games in rotation."""
    log_progress("preparing young, old and ancient games")
    shares = zip(*aged_turns(testbed), strict=True)
    measured = [medians(testbed, turns) for turns in shares][1:]
    for place, metric in enumerate(GAME_AGE_TARGETS, start=1):
        rows.ratio(
            metric, [(each[place], each[0]) for each in measured], "the same server's turn 1"
        )


def medians(testbed: Testbed, turns: Sequence[PreparedTurn]) -> tuple[float, ...]:
    """Send turns of the three ages in rotation and return the median of each age in milliseconds."""
    requests = [turn.request for turn in turns]
    [outcome] = run_clients(testbed.clients, testbed.web.port, [requests])
    assert set(outcome.statuses) == {303}, set(outcome.statuses)
    return tuple(1000 * quantile(outcome.seconds[age::3], 0.5) for age in range(3))


def aged_turns(testbed: Testbed) -> list[list[PreparedTurn]]:
    """Return the next turns of games of three ages: young, old, ancient, young, old, ancient ..."""
    chance = random.Random(SEED)
    database = testbed.players.database
    games = []
    while len(games) < 3 * AGED:
        young, old, ancient = tables_of(testbed.players, 3)
        beyond = play_up_to(database, old, chance, last=OLD - TURNS_PER_GAME, extra=TURNS_PER_GAME)
        if beyond:
            games += [next_turns(testbed, young, chance, TURNS_PER_GAME), beyond]
            games.append(
                extended_game(
                    database, ancient, chance, last=ANCIENT - TURNS_PER_GAME, extra=TURNS_PER_GAME
                )
            )
    return games


def next_turns(
    testbed: Testbed, table: PreparedGame, chance: random.Random, count: int
) -> list[PreparedTurn]:
    return list(islice(turns_from(game_at(testbed.players.database, table), table, chance), count))


def report_turns(testbed: Testbed, rows: RowWriter) -> None:
    """Measure turns of sixteen clients and of one beside pgbench."""
    games = new_games(
        testbed.players,
        CLIENTS + TURNS_ALONE,
        length=TURNS_PER_CLIENT * TURNS_PER_GAME,
        chance=random.Random(SEED),
    )
    bare = Pgbench(testbed.url, payload_of(games))
    many, alone = games[:CLIENTS], games[CLIENTS:]
    crowd = concurrent_turns(testbed, many)
    crowd()
    by_many = interleaved(crowd, lambda: bare.run(CLIENTS), REPETITIONS)
    one_by_one = sequential_turns(testbed, alone)
    one_by_one()
    by_one = interleaved(one_by_one, lambda: bare.run(1), REPETITIONS)
    rate, p50, p99 = TURN_TARGETS
    rows.ratio(rate, pairs(by_many, lambda it: it.per_second, lambda it: it.per_second), BARE)
    rows.ratio(p50, pairs(by_one, lambda it: 1000 * it.p50, in_milliseconds), f"mean of {BARE}")
    rows.ratio(p99, pairs(by_one, lambda it: 1000 * it.p99, in_milliseconds), f"mean of {BARE}")


def in_milliseconds(bare: PgbenchResult) -> float:
    return 1000 * bare.seconds


def concurrent_turns(
    testbed: Testbed, games: Sequence[Sequence[PreparedTurn]]
) -> Callable[[], LoadResult]:
    """Return a function that plays the next turns of every game, each game by its own client."""
    rounds = iter(range(0, len(games[0]), TURNS_PER_CLIENT))

    def play() -> LoadResult:
        begin = next(rounds)
        shares = [
            [turn.request for turn in chain[begin : begin + TURNS_PER_CLIENT]] for chain in games
        ]
        return testbed.load(testbed.web.port, shares, want=303)

    return play


def sequential_turns(
    testbed: Testbed, games: Sequence[Sequence[PreparedTurn]]
) -> Callable[[], LoadResult]:
    """Return a function that plays the next turns of every game, one after another, by one client."""
    rounds = iter(range(0, len(games[0]), TURNS_ALONE))

    def play() -> LoadResult:
        begin = next(rounds)
        turns = [turn for chain in games for turn in chain[begin : begin + TURNS_ALONE]]
        return testbed.load(testbed.web.port, [[turn.request for turn in turns]], want=303)

    return play


def report_beside_boardgame(testbed: Testbed, rows: RowWriter) -> None:
    """Measure turns of sixteen clients beside the same number of moves on boardgame.io's server."""
    testbed.server.ensure_database("boardgame")
    with running_boardgame(testbed.server.url_of("boardgame"), CLIENTS, TURNS_PER_CLIENT) as peer:
        play = concurrent_turns(
            testbed,
            new_games(
                testbed.players,
                CLIENTS,
                length=TURNS_PER_CLIENT * TURNS_PER_GAME,
                chance=random.Random(SEED),
            ),
        )
        play()
        peer.play()
        rounds = interleaved(
            lambda: wal_bytes_of(testbed.url, play),
            lambda: wal_bytes_of(testbed.url, peer.play),
            REPETITIONS,
        )
    rate, p50, wal = BOARDGAME_TARGETS
    rows.ratio(rate, pairs(rounds, rate_of, rate_of), BOARDGAME)
    rows.ratio(p50, pairs(rounds, p50_of, p50_of), BOARDGAME)
    rows.ratio(wal, pairs(rounds, wal_of, wal_of), BOARDGAME)


def rate_of(measured: tuple[LoadResult, int]) -> float:
    return measured[0].per_second


def p50_of(measured: tuple[LoadResult, int]) -> float:
    return 1000 * measured[0].p50


def wal_of(measured: tuple[LoadResult, int]) -> float:
    return measured[1] / (CLIENTS * TURNS_PER_CLIENT)


if __name__ == "__main__":
    main()
