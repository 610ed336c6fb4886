"""The page of a game under way, beside a bare page that greets, both behind the same web server."""

import logging
import random
from collections.abc import Callable, Sequence
from itertools import cycle, islice

from bench.shared.play import Browser, game_at, get, tables_of
from bench.shared.rounds import Load, interleaved, pairs
from bench.shared.rows import Sheet, tell_all
from bench.shared.stage import CLIENTS, Stage, staged
from bench.shared.web import bare_web
from bench.shared.years import aged
from webapp import urls

ROUNDS = 5
GAMES = 24
TURNS_BEFORE = 20
AT_ONCE = 25
"""Pages that each of the clients asks for in a round."""
ALONE = 200
SEED = 12
OF_PAGES = {
    "game pages/s, 16 clients": ">= 0.15",
    "game page p50, one client, ms": "<= 5",
    "game page p99 beside its own p50, ms": "<= 2.5",
}
BARE = "bare Flask hello, same web server"


def main() -> None:
    """Tell all rows."""
    logging.disable(logging.WARNING)
    tell_all(staged(), ((OF_PAGES, report_pages),))


def report_pages(stage: Stage, rows: Sheet) -> None:
    """Pages for sixteen clients and for one."""
    pages = pages_of(stage)
    with bare_web(stage.url) as bare:
        hello = [get("/", Browser("none=none", ""))]
        of_page = asking(stage, stage.web.port, pages)
        of_hello = asking(stage, bare.port, hello)
        many = interleaved(
            lambda: of_page(CLIENTS, AT_ONCE), lambda: of_hello(CLIENTS, AT_ONCE), ROUNDS
        )
        one = interleaved(lambda: of_page(1, ALONE), lambda: of_hello(1, ALONE), ROUNDS)
    rate, p50, p99 = OF_PAGES
    rows.ratio(rate, pairs(many, lambda it: it.per_second, lambda it: it.per_second), BARE)
    rows.ratio(p50, pairs(one, in_milliseconds, in_milliseconds), BARE)
    rows.ratio(p99, [(1000 * each.p99, 1000 * each.p50) for each, _, _ in one], "its own p50")


def in_milliseconds(load: Load) -> float:
    return 1000 * load.p50


def pages_of(stage: Stage) -> list[bytes]:
    """Requests for the pages of games some turns old, by whoever is on turn."""
    chance = random.Random(SEED)
    company = stage.company
    requests = []
    for table in tables_of(company, GAMES):
        aged(company.database, table, chance, last=TURNS_BEFORE, spare=1)
        seat = game_at(company.database, table).row.awaiting
        assert seat is not None
        requests.append(get(urls.game(table.slug), table.browsers[seat]))
    return requests


def asking(stage: Stage, port: int, pages: Sequence[bytes]) -> Callable[[int, int], Load]:
    """Each call has so many clients ask for so many of these pages each; a few first, to warm up."""
    stage.load(port, [list(islice(cycle(pages), 100))] * 2, want=200)

    def ask(clients: int, each: int) -> Load:
        shares = [list(islice(cycle(pages), number, number + each)) for number in range(clients)]
        return stage.load(port, shares, want=200)

    return ask


if __name__ == "__main__":
    main()
