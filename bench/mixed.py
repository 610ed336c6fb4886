"""Measure pages and turns as many players send them: an open loop of five pages to one turn, at random times, two web processes.

Requests come at their times whether or not the server has answered the ones before, and their seconds count from those times.
The first rows compare the slowest requests of a usual load with the median of a light one. The last searches for the highest rate
at which the slowest requests stay below a multiple of the median of a light load; the anchor is the same search with a bare Flask
application, whose pages read one row and whose turns write one. The clients run on the same cores and take more of the anchor's
time than of the subject's.
"""

import logging
import random
import statistics
from collections.abc import Callable, Sequence
from typing import NamedTuple

from bench.peers.bare_flask import row_path
from bench.shared.clients import TimedRequest, send_on_time
from bench.shared.games import SIGNED_OUT_BROWSER, get_request, post_request
from bench.shared.interleaving import figure_and_anchor_pairs, interleaved_rounds, quantile
from bench.shared.played_turns import PAGE_COUNT, PlayedTurn, first_played_turns
from bench.shared.result_rows import RowWriter, log_progress, run_reports
from bench.shared.testbed import PROCESS_COUNT, Testbed, running_testbed
from bench.shared.web import bare_web

REPETITION_COUNT = 3
LIGHT_RATE, USUAL_RATE = 20.0, 80.0
"""Requests per second."""
LIGHT_SECONDS, USUAL_SECONDS, SEARCH_SECONDS = 15.0, 20.0, 4.0
HIGHEST_MULTIPLE = 25
RATE_STEP, SEARCH_PRECISION = 1.6, 1.1
TURNS_PER_GAME = 4
"""Turns of each game in a run, far apart: a game is new in each run."""
SEED = 15
USUAL_LOAD_TARGETS = {
    "5. page p99, open loop of 80/s, ms": "<= 5",
    "5. turn p99, open loop of 80/s, ms": "<= 5",
}
HIGHEST_RATE_TARGETS = {"6. highest rate of requests/s of that mix": ">= 0.25"}
StartTurns = Callable[[int], Sequence[PlayedTurn]]


class MixedLoad(NamedTuple):
    """The seconds of pages and of turns, and whether all were answered as they should be."""

    pages: Sequence[float]
    turns: Sequence[float]
    is_answered: bool

    @property
    def all(self) -> Sequence[float]:
        return [*self.pages, *self.turns]


class MixedServer(NamedTuple):
    """A server, and what makes a number of new turns for it."""

    testbed: Testbed
    port: int
    new_turns: StartTurns

    def load(self, rate: float, seconds: float) -> MixedLoad:
        """Send the mix at this mean rate."""
        turns = self.new_turns(max(1, round(rate * seconds / (PAGE_COUNT + 1))))
        requests = [
            request
            for turn in turns
            for request in (turn.page_before, *turn.choices, turn.post, turn.page_after)
        ]
        chance, at, timed_requests = random.Random(SEED), 0.0, []
        for request in requests:
            at += chance.expovariate(rate)
            timed_requests.append(TimedRequest(at, request))
        outcomes = send_on_time(self.testbed.clients, self.port, timed_requests)
        pages, posts = [], []
        for index, outcome in enumerate(outcomes):
            is_post = index % (PAGE_COUNT + 1) == PAGE_COUNT - 1
            (posts if is_post else pages).append(outcome)
        is_answered = {status for _, status in pages} == {200} and {
            status for _, status in posts
        } == {303}
        return MixedLoad(
            [page_seconds for page_seconds, _ in pages],
            [post_seconds for post_seconds, _ in posts],
            is_answered,
        )


def main() -> None:
    """Measure and print all rows."""
    logging.disable(logging.WARNING)
    targets_and_reporters = (
        (USUAL_LOAD_TARGETS, report_usual_load),
        (HIGHEST_RATE_TARGETS, report_highest_rate),
    )
    run_reports(running_testbed(PROCESS_COUNT), targets_and_reporters)


def lodepost_server(testbed: Testbed) -> MixedServer:
    """Return the server to measure; its turns are the first of new games, in rotation."""
    chance = random.Random(SEED)

    def new_turns(count: int) -> Sequence[PlayedTurn]:
        games = first_played_turns(
            testbed.players, -(-count // TURNS_PER_GAME), length=TURNS_PER_GAME, chance=chance
        )
        return [turn for turns in zip(*games, strict=True) for turn in turns][:count]

    return MixedServer(testbed, testbed.web.port, new_turns)


def bare_turns(count: int) -> Sequence[PlayedTurn]:
    """Return as many requests of each kind for the bare application, about one row after another."""
    return [
        PlayedTurn(
            page_before=page,
            choices=[page] * (PAGE_COUNT - 2),
            choice_pages=[],
            post=post_request(row_path(number), SIGNED_OUT_BROWSER, {}),
            page_after=page,
        )
        for number in range(count)
        for page in [get_request(row_path(number), SIGNED_OUT_BROWSER)]
    ]


def report_usual_load(testbed: Testbed, rows: RowWriter) -> None:
    """Measure the slowest pages and turns of a usual load beside the median ones of a light load."""
    server = lodepost_server(testbed)

    def answered_load(rate: float, seconds: float) -> MixedLoad:
        load = server.load(rate, seconds)
        assert load.is_answered
        return load

    answered_load(LIGHT_RATE, LIGHT_SECONDS)
    rounds = interleaved_rounds(
        lambda: answered_load(USUAL_RATE, USUAL_SECONDS),
        lambda: answered_load(LIGHT_RATE, LIGHT_SECONDS),
        REPETITION_COUNT,
    )
    kinds: Sequence[Callable[[MixedLoad], Sequence[float]]] = (
        lambda load: load.pages,
        lambda load: load.turns,
    )
    for metric, seconds_of in zip(USUAL_LOAD_TARGETS, kinds, strict=True):
        pairs = figure_and_anchor_pairs(
            rounds,
            lambda load, seconds_of=seconds_of: 1000 * quantile(seconds_of(load), 0.99),
            lambda load, seconds_of=seconds_of: 1000 * quantile(seconds_of(load), 0.5),
        )
        rows.write_ratio(metric, pairs, "its own p50 at 20/s")


def report_highest_rate(testbed: Testbed, rows: RowWriter) -> None:
    """Measure the highest rates of both servers."""
    server = lodepost_server(testbed)
    with bare_web(testbed.url, PROCESS_COUNT) as bare:
        bare_server = MixedServer(testbed, bare.port, bare_turns)
        for each in (server, bare_server):
            each.load(USUAL_RATE, SEARCH_SECONDS)
        limits = [highest_seconds(each) for each in (server, bare_server)]
        rounds = interleaved_rounds(
            lambda: highest_rate(server, limits[0]),
            lambda: highest_rate(bare_server, limits[1]),
            REPETITION_COUNT,
        )
    [metric] = HIGHEST_RATE_TARGETS
    note = "bare Flask; p99 below " + " and ".join(f"{1000 * limit:.0f} ms" for limit in limits)
    rows.write_ratio(metric, figure_and_anchor_pairs(rounds, float, float), note)


def highest_seconds(server: MixedServer) -> float:
    """Return the seconds below which the slowest requests must stay: a multiple of the median under a light load."""
    medians = [
        quantile(server.load(LIGHT_RATE, SEARCH_SECONDS).all, 0.5) for _ in range(REPETITION_COUNT)
    ]
    return HIGHEST_MULTIPLE * statistics.median(medians)


def highest_rate(server: MixedServer, limit: float) -> float:
    """Return the highest rate at which p99 stays below a limit in seconds, to a tenth; 0 if there is none."""
    good_rate, bad_rate = 0.0, LIGHT_RATE
    while is_good(server, bad_rate, limit):
        good_rate, bad_rate = bad_rate, bad_rate * RATE_STEP
    while good_rate and bad_rate / good_rate > SEARCH_PRECISION:
        middle_rate = (good_rate * bad_rate) ** 0.5
        if is_good(server, middle_rate, limit):
            good_rate = middle_rate
        else:
            bad_rate = middle_rate
    log_progress(f"{good_rate:.0f}/s with p99 below {1000 * limit:.0f} ms")
    return good_rate


def is_good(server: MixedServer, rate: float, limit: float) -> bool:
    """Return whether p99 stays below the limit in one of two attempts: a neighbour may disturb one."""
    for _ in range(2):
        load = server.load(rate, SEARCH_SECONDS)
        if load.is_answered and quantile(load.all, 0.99) < limit:
            return True
    return False


if __name__ == "__main__":
    main()
