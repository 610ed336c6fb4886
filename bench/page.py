"""Measure the page of a running game beside a bare hello page, both behind the same web server."""

import logging
import random
from collections.abc import Callable, Sequence
from itertools import cycle, islice

from bench.shared.aged_games import play_up_to
from bench.shared.games import SignedInBrowser, deal_games, get_request, load_game
from bench.shared.interleaving import LoadResult, figure_and_anchor_pairs, interleaved_rounds
from bench.shared.result_rows import RowWriter, run_reports
from bench.shared.testbed import CLIENT_COUNT, Testbed, running_testbed
from bench.shared.web import bare_web
from webapp.kernel import urls

REPETITION_COUNT = 5
GAME_COUNT = 24
TURNS_PLAYED_BEFOREHAND = 20
PAGES_PER_CLIENT = 25
"""Pages that each client requests in a round."""
SEQUENTIAL_PAGE_COUNT = 200
SEED = 12
PAGE_TARGETS = {
    "game pages/s, 16 clients": ">= 0.15",
    "game page p50, one client, ms": "<= 5",
    "game page p99 beside its own p50, ms": "<= 2.5",
}
BARE_PAGE_NOTE = "bare Flask hello, same web server"


def main() -> None:
    """Measure and print all rows."""
    logging.disable(logging.WARNING)
    run_reports(running_testbed(), ((PAGE_TARGETS, report_pages),))


def report_pages(testbed: Testbed, rows: RowWriter) -> None:
    """Measure pages for sixteen clients and for one."""
    page_requests = game_page_requests(testbed)
    with bare_web(testbed.url) as bare_server:
        hello_requests = [get_request("/", SignedInBrowser("none=none", ""))]
        load_game_pages = page_loader(testbed, testbed.web.port, page_requests)
        load_hello_page = page_loader(testbed, bare_server.port, hello_requests)
        rounds_of_concurrent_loads = interleaved_rounds(
            lambda: load_game_pages(CLIENT_COUNT, PAGES_PER_CLIENT),
            lambda: load_hello_page(CLIENT_COUNT, PAGES_PER_CLIENT),
            REPETITION_COUNT,
        )
        rounds_of_sequential_loads = interleaved_rounds(
            lambda: load_game_pages(1, SEQUENTIAL_PAGE_COUNT),
            lambda: load_hello_page(1, SEQUENTIAL_PAGE_COUNT),
            REPETITION_COUNT,
        )
    rate_metric, p50_metric, p99_metric = PAGE_TARGETS
    rows.write_ratio(
        rate_metric,
        figure_and_anchor_pairs(
            rounds_of_concurrent_loads, lambda load: load.per_second, lambda load: load.per_second
        ),
        BARE_PAGE_NOTE,
    )
    rows.write_ratio(
        p50_metric,
        figure_and_anchor_pairs(rounds_of_sequential_loads, p50_milliseconds, p50_milliseconds),
        BARE_PAGE_NOTE,
    )
    rows.write_ratio(
        p99_metric,
        [
            (1000 * load.p99_seconds, 1000 * load.p50_seconds)
            for load, _, _ in rounds_of_sequential_loads
        ],
        "its own p50",
    )


def p50_milliseconds(load: LoadResult) -> float:
    return 1000 * load.p50_seconds


def game_page_requests(testbed: Testbed) -> list[bytes]:
    """Return requests for the pages of games some turns old, by the player on turn."""
    chance = random.Random(SEED)
    players = testbed.players
    requests = []
    for table in deal_games(players, GAME_COUNT):
        play_up_to(
            players.database, table, chance, last_turn=TURNS_PLAYED_BEFOREHAND, extra_turns=1
        )
        seat = load_game(players.database, table).row.awaiting
        assert seat is not None
        requests.append(get_request(urls.game(table.slug), table.browsers[seat]))
    return requests


def page_loader(
    testbed: Testbed, port: int, page_requests: Sequence[bytes]
) -> Callable[[int, int], LoadResult]:
    """Warm up, and return a function that lets a number of clients request a number of these pages each."""
    testbed.load(port, [list(islice(cycle(page_requests), 100))] * 2, expected_status=200)

    def load_pages(client_count: int, pages_per_client: int) -> LoadResult:
        requests_by_client = [
            list(islice(cycle(page_requests), number, number + pages_per_client))
            for number in range(client_count)
        ]
        return testbed.load(port, requests_by_client, expected_status=200)

    return load_pages


if __name__ == "__main__":
    main()
