"""Measure the page of a running game beside a bare hello page, both behind the same web server."""

import logging
import random
from collections.abc import Callable, Sequence
from itertools import cycle, islice

from bench.shared.aged_games import play_up_to
from bench.shared.games import SignedInBrowser, game_at, get, tables_of
from bench.shared.interleaving import LoadResult, interleaved, pairs
from bench.shared.rows import RowWriter, run_reports
from bench.shared.testbed import CLIENTS, Testbed, running_testbed
from bench.shared.web import bare_web
from webapp import urls

REPETITIONS = 5
GAMES = 24
TURNS_BEFORE = 20
TURNS_PER_CLIENT = 25
"""Pages that each client requests in a round."""
TURNS_ALONE = 200
SEED = 12
PAGE_TARGETS = {
    "game pages/s, 16 clients": ">= 0.15",
    "game page p50, one client, ms": "<= 5",
    "game page p99 beside its own p50, ms": "<= 2.5",
}
BARE = "bare Flask hello, same web server"


def main() -> None:
    """Measure and print all rows."""
    logging.disable(logging.WARNING)
    run_reports(running_testbed(), ((PAGE_TARGETS, report_pages),))


def report_pages(testbed: Testbed, rows: RowWriter) -> None:
    """Measure pages for sixteen clients and for one."""
    pages = pages_of(testbed)
    with bare_web(testbed.url) as bare:
        hello = [get("/", SignedInBrowser("none=none", ""))]
        of_page = page_loader(testbed, testbed.web.port, pages)
        of_hello = page_loader(testbed, bare.port, hello)
        many = interleaved(
            lambda: of_page(CLIENTS, TURNS_PER_CLIENT),
            lambda: of_hello(CLIENTS, TURNS_PER_CLIENT),
            REPETITIONS,
        )
        one = interleaved(
            lambda: of_page(1, TURNS_ALONE), lambda: of_hello(1, TURNS_ALONE), REPETITIONS
        )
    rate, p50, p99 = PAGE_TARGETS
    rows.ratio(rate, pairs(many, lambda it: it.per_second, lambda it: it.per_second), BARE)
    rows.ratio(p50, pairs(one, in_milliseconds, in_milliseconds), BARE)
    rows.ratio(p99, [(1000 * each.p99, 1000 * each.p50) for each, _, _ in one], "its own p50")


def in_milliseconds(load: LoadResult) -> float:
    return 1000 * load.p50


def pages_of(testbed: Testbed) -> list[bytes]:
    """Return requests for the pages of games some turns old, by the player on turn."""
    chance = random.Random(SEED)
    players = testbed.players
    requests = []
    for table in tables_of(players, GAMES):
        play_up_to(players.database, table, chance, last=TURNS_BEFORE, extra=1)
        seat = game_at(players.database, table).row.awaiting
        assert seat is not None
        requests.append(get(urls.game(table.slug), table.browsers[seat]))
    return requests


def page_loader(
    testbed: Testbed, port: int, pages: Sequence[bytes]
) -> Callable[[int, int], LoadResult]:
    """Warm up, and return a function that lets a number of clients request a number of these pages each."""
    testbed.load(port, [list(islice(cycle(pages), 100))] * 2, want=200)

    def ask(clients: int, each: int) -> LoadResult:
        shares = [list(islice(cycle(pages), number, number + each)) for number in range(clients)]
        return testbed.load(port, shares, want=200)

    return ask


if __name__ == "__main__":
    main()
