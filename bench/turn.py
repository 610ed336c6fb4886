"""A whole turn by HTTP: session, token, rules, log, snapshot, letters, commit; answered with a redirect.

Beside it stands the bare transaction of a turn (`bench/shared/pgbench.py`), and boardgame.io's server with Postgres
(`bench/boardgame/`). The turns are forms of games that were played beforehand, sent by clients in other processes.

Turns 195 to 200 are those of games played so far; the turns before turn 2,000 those of games whose log was made as long.
One client sends them in rotation with turns 1 to 6.
"""

import logging
import random
from collections.abc import Callable, Sequence
from itertools import islice

from bench.shared.boardgame import running_boardgame
from bench.shared.clients import outcomes_of
from bench.shared.pgbench import Bare, Pgbench
from bench.shared.play import Table, Turn, chains_of, game_at, payload_of, tables_of, turns_from
from bench.shared.rounds import Load, interleaved, pairs, quantile
from bench.shared.rows import Sheet, say, tell_all
from bench.shared.stage import CLIENTS, Stage, staged
from bench.shared.weighing import logged
from bench.shared.years import aged, lengthened

ROUNDS = 5
AT_ONCE = 25
"""Turns that each of the clients plays in a round."""
ALONE = 20
"""Turns that one client plays in each of as many games."""
AGED = 25
"""Games of each age."""
OLD, ANCIENT = 200, 2_000
EACH = ROUNDS + 1
"""Turns, or times as many, that a game is played on: one to warm up, and one for each round."""
SEED = 11
OF_AGE = {
    "p50 of turn 200 beside turn 1, ms": "<= 1.05",
    "p50 of turn 2,000 beside turn 1, ms": "<= 1.10",
}
OF_TURNS = {
    "turns/s, 16 clients": ">= 0.25",
    "turn p50, one client, ms": "<= 1.8",
    "turn p99, one client, ms": "<= 4",
}
BESIDE_BOARDGAME = {
    "turns/s, 16 clients, beside boardgame.io": ">= 6",
    "turn p50, 16 clients, beside boardgame.io, ms": "<= 0.2",
    "WAL of a turn beside boardgame.io, bytes": "<= 0.3",
}
BARE = "pgbench: update, insert turn, insert letter, commit, of the same bytes"
BOARDGAME = "boardgame.io 0.50 on Postgres, a position of the same size"


def main() -> None:
    """Tell all rows."""
    logging.disable(logging.WARNING)
    reports = (
        (OF_AGE, report_age),
        (OF_TURNS, report_turns),
        (BESIDE_BOARDGAME, report_beside_boardgame),
    )
    tell_all(staged(), reports)


def report_age(stage: Stage, rows: Sheet) -> None:
    """Turns of young, old and ancient games, one after the other."""
    say("games that are young, old and ancient")
    shares = zip(*aged_turns(stage), strict=True)
    measured = [medians(stage, turns) for turns in shares][1:]
    for place, metric in enumerate(OF_AGE, start=1):
        rows.ratio(
            metric, [(each[place], each[0]) for each in measured], "the same server's turn 1"
        )


def medians(stage: Stage, turns: Sequence[Turn]) -> tuple[float, ...]:
    """Send turns of the three ages in rotation; the median of each age in milliseconds."""
    requests = [turn.request for turn in turns]
    [outcome] = outcomes_of(stage.clients, stage.web.port, [requests])
    assert set(outcome.statuses) == {303}, set(outcome.statuses)
    return tuple(1000 * quantile(outcome.seconds[age::3], 0.5) for age in range(3))


def aged_turns(stage: Stage) -> list[list[Turn]]:
    """The next turns of games of three ages: young, old, ancient, young, old, ancient ..."""
    chance = random.Random(SEED)
    database = stage.company.database
    chains = []
    while len(chains) < 3 * AGED:
        young, old, ancient = tables_of(stage.company, 3)
        beyond = aged(database, old, chance, last=OLD - EACH, spare=EACH)
        if beyond:
            chains += [next_turns(stage, young, chance, EACH), beyond]
            chains.append(lengthened(database, ancient, chance, last=ANCIENT - EACH, spare=EACH))
    return chains


def next_turns(stage: Stage, table: Table, chance: random.Random, count: int) -> list[Turn]:
    return list(islice(turns_from(game_at(stage.company.database, table), table, chance), count))


def report_turns(stage: Stage, rows: Sheet) -> None:
    """Turns of sixteen clients and of one, beside pgbench."""
    chains = chains_of(
        stage.company, CLIENTS + ALONE, length=AT_ONCE * EACH, chance=random.Random(SEED)
    )
    bare = Pgbench(stage.url, payload_of(chains))
    many, alone = chains[:CLIENTS], chains[CLIENTS:]
    crowd = turns_at_once(stage, many)
    crowd()
    by_many = interleaved(crowd, lambda: bare.run(CLIENTS), ROUNDS)
    one_by_one = turns_alone(stage, alone)
    one_by_one()
    by_one = interleaved(one_by_one, lambda: bare.run(1), ROUNDS)
    rate, p50, p99 = OF_TURNS
    rows.ratio(rate, pairs(by_many, lambda it: it.per_second, lambda it: it.per_second), BARE)
    rows.ratio(p50, pairs(by_one, lambda it: 1000 * it.p50, in_milliseconds), f"mean of {BARE}")
    rows.ratio(p99, pairs(by_one, lambda it: 1000 * it.p99, in_milliseconds), f"mean of {BARE}")


def in_milliseconds(bare: Bare) -> float:
    return 1000 * bare.seconds


def turns_at_once(stage: Stage, chains: Sequence[Sequence[Turn]]) -> Callable[[], Load]:
    """Each call plays the next turns of every chain, each chain by a client of its own."""
    rounds = iter(range(0, len(chains[0]), AT_ONCE))

    def play() -> Load:
        begin = next(rounds)
        shares = [[turn.request for turn in chain[begin : begin + AT_ONCE]] for chain in chains]
        return stage.load(stage.web.port, shares, want=303)

    return play


def turns_alone(stage: Stage, chains: Sequence[Sequence[Turn]]) -> Callable[[], Load]:
    """Each call plays the next turns of every chain, one after another, by one client."""
    rounds = iter(range(0, len(chains[0]), ALONE))

    def play() -> Load:
        begin = next(rounds)
        turns = [turn for chain in chains for turn in chain[begin : begin + ALONE]]
        return stage.load(stage.web.port, [[turn.request for turn in turns]], want=303)

    return play


def report_beside_boardgame(stage: Stage, rows: Sheet) -> None:
    """Turns of sixteen clients, beside the same number of moves at boardgame.io's server."""
    stage.server.ensure_database("boardgame")
    with running_boardgame(stage.server.url_of("boardgame"), CLIENTS, AT_ONCE) as peer:
        play = turns_at_once(
            stage,
            chains_of(stage.company, CLIENTS, length=AT_ONCE * EACH, chance=random.Random(SEED)),
        )
        play()
        peer.play()
        rounds = interleaved(
            lambda: logged(stage.url, play), lambda: logged(stage.url, peer.play), ROUNDS
        )
    rate, p50, wal = BESIDE_BOARDGAME
    rows.ratio(rate, pairs(rounds, rate_of, rate_of), BOARDGAME)
    rows.ratio(p50, pairs(rounds, p50_of, p50_of), BOARDGAME)
    rows.ratio(wal, pairs(rounds, wal_of, wal_of), BOARDGAME)


def rate_of(measured: tuple[Load, int]) -> float:
    return measured[0].per_second


def p50_of(measured: tuple[Load, int]) -> float:
    return 1000 * measured[0].p50


def wal_of(measured: tuple[Load, int]) -> float:
    return measured[1] / (CLIENTS * AT_ONCE)


if __name__ == "__main__":
    main()
