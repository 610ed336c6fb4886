"""Measure the CPU time of a played turn without its email: one POST and five pages, of the web process and of Postgres together.

The pages are those on the way of a player: the table, the picked card, a place for it, the place that is played, and the table
after the turn. The three choices are loaded as the page's script does it, the board alone; the note has the cost of whole pages
too, as a browser without scripts loads them. The anchor is six requests to a bare Flask application on the same Postgres server, which each read one row.
One client sends everything.
"""

import logging
import random
import statistics
from collections.abc import Sequence
from itertools import count, islice
from typing import NamedTuple

from bench.peers.bare_flask import row_path
from bench.shared.bytes_used import cpu_seconds
from bench.shared.games import SIGNED_OUT_BROWSER, get_request
from bench.shared.interleaving import figure_and_anchor_pairs, interleaved_rounds
from bench.shared.played_turns import PAGE_COUNT, PlayedTurn, first_played_turns
from bench.shared.result_rows import RowWriter, run_reports
from bench.shared.testbed import Testbed, running_testbed
from bench.shared.web import WebServer, bare_web

REPETITION_COUNT = 5
GAME_COUNT = 30
TURNS_PER_GAME = 5
"""Turns that are played in each game in a round."""
SEED = 14
COST_TARGETS = {"2. CPU of a played turn without its email, ms": "<= 4"}


class Cost(NamedTuple):
    """CPU milliseconds of a played turn, of web and Postgres together."""

    pages: float
    """The cost of the pages of the table before and after the turn."""
    choices: float
    choice_pages: float
    """The cost of the choices as whole pages."""
    post: float


def main() -> None:
    """Measure and print all rows."""
    logging.disable(logging.WARNING)
    run_reports(running_testbed(), ((COST_TARGETS, report_costs),))


def report_costs(testbed: Testbed, rows: RowWriter) -> None:
    """Measure played turns beside requests to the bare application."""
    games = first_played_turns(
        testbed.players,
        GAME_COUNT,
        length=TURNS_PER_GAME * (REPETITION_COUNT + 1),
        chance=random.Random(SEED),
    )
    turns_of_all_games = zip(*games, strict=True)
    row_numbers = count()
    with bare_web(testbed.url) as bare_server:

        def play() -> Cost:
            costs = [
                cost_of_turns(testbed, turns)
                for turns in islice(turns_of_all_games, TURNS_PER_GAME)
            ]
            return Cost(*map(statistics.mean, zip(*costs, strict=True)))

        def read_rows() -> float:
            requests = [
                get_request(row_path(number), SIGNED_OUT_BROWSER)
                for number in islice(row_numbers, GAME_COUNT * TURNS_PER_GAME * (PAGE_COUNT + 1))
            ]
            return milliseconds_of(testbed, bare_server, requests, 200) / len(requests)

        play()
        read_rows()
        rounds = interleaved_rounds(play, read_rows, REPETITION_COUNT)
    [metric] = COST_TARGETS
    cost = Cost(*map(statistics.median, zip(*(cost for cost, _, _ in rounds), strict=True)))
    without_script = (cost.pages + cost.choice_pages + cost.post) / statistics.median(
        (PAGE_COUNT + 1) * bare for _, *anchors in rounds for bare in anchors
    )
    rows.write_ratio(
        metric,
        figure_and_anchor_pairs(
            rounds,
            lambda cost: cost.pages + cost.choices + cost.post,
            lambda bare: (PAGE_COUNT + 1) * bare,
        ),
        f"{PAGE_COUNT + 1} bare Flask requests that read one row each; two pages {cost.pages:.1f}, three choices {cost.choices:.1f}"
        f" and POST {cost.post:.1f} ms; {without_script:.1f} times without script; then <= 3",
    )


def cost_of_turns(testbed: Testbed, turns: Sequence[PlayedTurn]) -> Cost:
    """Play a turn in each of several games and return the mean cost of one."""

    def cost_of(requests: Sequence[bytes], expected_status: int = 200) -> float:
        return milliseconds_of(testbed, testbed.web, requests, expected_status) / len(turns)

    page_before = cost_of([turn.page_before for turn in turns])
    choices = cost_of([choice for turn in turns for choice in turn.choices])
    choice_pages = cost_of([page for turn in turns for page in turn.choice_pages])
    post = cost_of([turn.post for turn in turns], 303)
    page_after = cost_of([turn.page_after for turn in turns])
    return Cost(page_before + page_after, choices, choice_pages, post)


def milliseconds_of(
    testbed: Testbed, web: WebServer, requests: Sequence[bytes], expected_status: int
) -> float:
    """Send requests by one client and return the CPU milliseconds of this web server and of Postgres."""
    pids = (web.process.pid, testbed.server.process.pid)
    seconds_before = cpu_seconds(pids)
    testbed.load(web.port, [requests], expected_status=expected_status)
    return 1000 * (cpu_seconds(pids) - seconds_before)


if __name__ == "__main__":
    main()
