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

from bench.shared.aged_games import next_turns_of_extended_game, play_up_to
from bench.shared.boardgame import running_boardgame
from bench.shared.bytes_used import wal_bytes_of
from bench.shared.clients import run_clients
from bench.shared.games import (
    PreparedGame,
    PreparedTurn,
    deal_games,
    first_turns_of_new_games,
    load_game,
    median_turn_payload,
    prepared_turns,
)
from bench.shared.interleaving import (
    LoadResult,
    figure_and_anchor_pairs,
    interleaved_rounds,
    quantile,
)
from bench.shared.pgbench import Pgbench, PgbenchResult
from bench.shared.result_rows import RowWriter, log_progress, run_reports
from bench.shared.testbed import CLIENT_COUNT, Testbed, running_testbed

REPETITION_COUNT = 5
TURNS_PER_CLIENT = 25
"""Turns that each client plays in a round."""
SEQUENTIAL_TURNS = 20
"""Turns that one client plays in each of as many games."""
GAMES_PER_AGE = 25
"""Games of each age."""
OLD_GAME_TURNS, ANCIENT_GAME_TURNS = 200, 2_000
TURNS_PER_GAME = REPETITION_COUNT + 1
"""Turns that a game is continued for: one to warm up and one for each round."""
SEED = 11
GAME_AGE_TARGETS = {
    "1. p50 of turn 200 beside turn 1, ms": "<= 1.05",
    "1. p50 of turn 2,000 beside turn 1, ms": "<= 1.10",
}
TURN_TARGETS = {
    "8. turns/s, 16 clients": ">= 0.15",
    "turn p50, one client, ms": "<= 1.8",
    "turn p99, one client, ms": "<= 4",
}
BOARDGAME_TARGETS = {
    "7. turns/s, 16 clients, beside boardgame.io": ">= 2",
    "7. turn p50, 16 clients, beside boardgame.io, ms": "<= 0.6",
    "WAL of a turn beside boardgame.io, bytes": "<= 0.3",
}
BARE_TURN_NOTE = "pgbench: update, insert turn, insert notification, commit, of the same bytes"
BOARDGAME_NOTE = "boardgame.io 0.50 on Postgres, a position of the same size"


def main() -> None:
    """Measure and print all rows."""
    logging.disable(logging.WARNING)
    targets_and_reporters = (
        (GAME_AGE_TARGETS, report_turns_by_game_age),
        (TURN_TARGETS, report_turns),
        (BOARDGAME_TARGETS, report_beside_boardgame),
    )
    run_reports(running_testbed(), targets_and_reporters)


def report_turns_by_game_age(testbed: Testbed, rows: RowWriter) -> None:
    """Measure turns of young, old and ancient games in rotation."""
    log_progress("preparing young, old and ancient games")
    requests_by_client = zip(*aged_turns(testbed), strict=True)
    medians_by_round = [median_milliseconds_by_age(testbed, turns) for turns in requests_by_client][
        1:
    ]
    for age_index, metric in enumerate(GAME_AGE_TARGETS, start=1):
        rows.write_ratio(
            metric,
            [(age_medians[age_index], age_medians[0]) for age_medians in medians_by_round],
            "the same server's turn 1",
        )


def median_milliseconds_by_age(
    testbed: Testbed, turns: Sequence[PreparedTurn]
) -> tuple[float, ...]:
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
    while len(games) < 3 * GAMES_PER_AGE:
        young_game, old_game, ancient_game = deal_games(testbed.players, 3)
        old_game_turns = play_up_to(
            database,
            old_game,
            chance,
            last_turn=OLD_GAME_TURNS - TURNS_PER_GAME,
            extra_turns=TURNS_PER_GAME,
        )
        if old_game_turns:
            games += [next_turns(testbed, young_game, chance, TURNS_PER_GAME), old_game_turns]
            games.append(
                next_turns_of_extended_game(
                    database,
                    ancient_game,
                    chance,
                    last_turn=ANCIENT_GAME_TURNS - TURNS_PER_GAME,
                    extra_turns=TURNS_PER_GAME,
                )
            )
    return games


def next_turns(
    testbed: Testbed, table: PreparedGame, chance: random.Random, count: int
) -> list[PreparedTurn]:
    return list(
        islice(prepared_turns(load_game(testbed.players.database, table), table, chance), count)
    )


def report_turns(testbed: Testbed, rows: RowWriter) -> None:
    """Measure turns of sixteen clients and of one beside pgbench."""
    games = first_turns_of_new_games(
        testbed.players,
        CLIENT_COUNT + SEQUENTIAL_TURNS,
        length=TURNS_PER_CLIENT * TURNS_PER_GAME,
        chance=random.Random(SEED),
    )
    pgbench = Pgbench(testbed.url, median_turn_payload(games))
    concurrent_games, sequential_games = games[:CLIENT_COUNT], games[CLIENT_COUNT:]
    play_concurrently = concurrent_turns(testbed, concurrent_games)
    play_concurrently()
    rounds_of_concurrent_loads = interleaved_rounds(
        play_concurrently, lambda: pgbench.run(CLIENT_COUNT), REPETITION_COUNT
    )
    play_sequentially = sequential_turns(testbed, sequential_games)
    play_sequentially()
    rounds_of_sequential_loads = interleaved_rounds(
        play_sequentially, lambda: pgbench.run(1), REPETITION_COUNT
    )
    rate_metric, p50_metric, p99_metric = TURN_TARGETS
    rows.write_ratio(
        rate_metric,
        figure_and_anchor_pairs(
            rounds_of_concurrent_loads, lambda load: load.per_second, lambda load: load.per_second
        ),
        BARE_TURN_NOTE,
    )
    for metric, quantile_name in ((p50_metric, "p50_seconds"), (p99_metric, "p99_seconds")):
        milliseconds = milliseconds_of(quantile_name)
        pairs = figure_and_anchor_pairs(
            rounds_of_sequential_loads, milliseconds, mean_transaction_milliseconds
        )
        rows.write_ratio(metric, pairs, f"mean of {BARE_TURN_NOTE}")


def milliseconds_of(quantile_name: str) -> Callable[[LoadResult], float]:
    """Return the function that reads a quantile of a load, "p50_seconds" or "p99_seconds", in milliseconds."""
    return lambda load: 1000 * float(getattr(load, quantile_name))


def mean_transaction_milliseconds(pgbench_result: PgbenchResult) -> float:
    return 1000 * pgbench_result.seconds


def concurrent_turns(
    testbed: Testbed, games: Sequence[Sequence[PreparedTurn]]
) -> Callable[[], LoadResult]:
    """Return a function that plays the next turns of every game, each game by its own client."""
    first_turn_indices = iter(range(0, len(games[0]), TURNS_PER_CLIENT))

    def play() -> LoadResult:
        first_turn_index = next(first_turn_indices)
        requests_by_client = [
            [
                turn.request
                for turn in game_turns[first_turn_index : first_turn_index + TURNS_PER_CLIENT]
            ]
            for game_turns in games
        ]
        return testbed.load(testbed.web.port, requests_by_client, expected_status=303)

    return play


def sequential_turns(
    testbed: Testbed, games: Sequence[Sequence[PreparedTurn]]
) -> Callable[[], LoadResult]:
    """Return a function that plays the next turns of every game, one after another, by one client."""
    first_turn_indices = iter(range(0, len(games[0]), SEQUENTIAL_TURNS))

    def play() -> LoadResult:
        first_turn_index = next(first_turn_indices)
        turns = [
            turn
            for game_turns in games
            for turn in game_turns[first_turn_index : first_turn_index + SEQUENTIAL_TURNS]
        ]
        return testbed.load(
            testbed.web.port, [[turn.request for turn in turns]], expected_status=303
        )

    return play


def report_beside_boardgame(testbed: Testbed, rows: RowWriter) -> None:
    """Measure turns of sixteen clients beside the same number of moves on boardgame.io's server."""
    testbed.server.ensure_database("boardgame")
    with running_boardgame(
        testbed.server.url_of("boardgame"), CLIENT_COUNT, TURNS_PER_CLIENT
    ) as boardgame_clients:
        play = concurrent_turns(
            testbed,
            first_turns_of_new_games(
                testbed.players,
                CLIENT_COUNT,
                length=TURNS_PER_CLIENT * TURNS_PER_GAME,
                chance=random.Random(SEED),
            ),
        )
        play()
        boardgame_clients.play()
        rounds = interleaved_rounds(
            lambda: wal_bytes_of(testbed.url, play),
            lambda: wal_bytes_of(testbed.url, boardgame_clients.play),
            REPETITION_COUNT,
        )
    rate_metric, p50_metric, wal_metric = BOARDGAME_TARGETS
    rows.write_ratio(
        rate_metric,
        figure_and_anchor_pairs(rounds, turns_per_second, turns_per_second),
        BOARDGAME_NOTE,
    )
    rows.write_ratio(
        p50_metric,
        figure_and_anchor_pairs(rounds, p50_milliseconds, p50_milliseconds),
        BOARDGAME_NOTE,
    )
    rows.write_ratio(
        wal_metric,
        figure_and_anchor_pairs(rounds, wal_bytes_per_turn, wal_bytes_per_turn),
        BOARDGAME_NOTE,
    )


def turns_per_second(load_and_wal: tuple[LoadResult, int]) -> float:
    return load_and_wal[0].per_second


def p50_milliseconds(load_and_wal: tuple[LoadResult, int]) -> float:
    return 1000 * load_and_wal[0].p50_seconds


def wal_bytes_per_turn(load_and_wal: tuple[LoadResult, int]) -> float:
    return load_and_wal[1] / (CLIENT_COUNT * TURNS_PER_CLIENT)


if __name__ == "__main__":
    main()
