"""Measure how long keen bots decide, and how late emails leave meanwhile, on one core for everything.

Four games of keen bots run at once: a process plays their turns as `lodepost worker --only-bots` does, with the process that
decides for it. Next to it, `lodepost beat` and `lodepost worker --without-bots` deliver the emails of other games, in which
a person plays every few tenths of a second. The anchor of an email's delay is the same without any bot.

Every process runs on one core, Postgres, Redis and this one included.
"""

import logging
import multiprocessing
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import cycle
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from sqlalchemy import text

from bench.mail import first_legal_action
from bench.shared.email_senders import lodepost_process, running_process, sink_process
from bench.shared.games import deal_many, sign_in_players, unsynced_database
from bench.shared.interleaving import quantile
from bench.shared.local_services import (
    SECRET_KEY,
    running_database,
    running_redis,
    settings_for,
    wait_until,
)
from bench.shared.result_rows import RowWriter, log_progress, row_writer
from engine.bots.policy import Level
from tasks import bot_turns
from tasks.context import worker_context_for
from tasks.decider import Decision, Fault, ProcessDecider
from tasks.nudging import nudge_sender, sender_app
from tests.support.factories import Guest, fill_with_bots, open_table, play_turn, table_settings
from webapp.kernel.config import Settings
from webapp.kernel.nudges import Nudger
from webapp.kernel.system_time import utc_now
from webapp.kernel.tx import Database
from webapp.play.bots.bot_turns import BotTurn

LEVEL: Level = "keen"
BOT_GAME_COUNT = 4
BOT_GAME_SEATS = 10
EMAIL_GAME_COUNT = 60
LOAD_SECONDS = 60.0
"""How long each of the two loads lasts."""
SECONDS_BETWEEN_EMAILS = 0.4
DECISION_TARGETS = {
    "decision of a keen bot, p50, s": "<= 0.6",
    "decision of a keen bot, p99, s": "<= 2",
    "answers that were late, percent": "<= 2",
    "turns that no decision was made for": "<= 0",
}
EMAIL_TARGETS = {
    "turn to accepted email beside bots, p50, ms": "<= 3",
    "turn to accepted email beside bots, p99, ms": "<= 5",
}


class DecisionTiming(NamedTuple):
    """The seconds of one decision, whether it was ready when its answer was due, and whether there was one."""

    seconds: float
    is_late: bool
    is_fault: bool


class TimedDecider(ProcessDecider):
    """A decider that writes down how long each decision took."""

    def __init__(self) -> None:
        super().__init__()
        self.timings: list[DecisionTiming] = []
        self._began_at = 0.0
        self._turn: BotTurn | None = None

    def begin(self, turn: BotTurn) -> None:
        self._began_at, self._turn = time.perf_counter(), turn
        super().begin(turn)

    def wait(self, seconds: float) -> Decision | None:
        decision = super().wait(seconds)
        if decision is not None and self._turn is not None:
            self.timings.append(
                DecisionTiming(
                    time.perf_counter() - self._began_at,
                    utc_now() > self._turn.answer_at,
                    isinstance(decision, Fault),
                )
            )
        return decision


class Installation(NamedTuple):
    """What a load needs: the settings of all processes, a database, and the games whose turns cause emails."""

    settings: Settings
    database: Database
    nudge: Nudger
    guests: Sequence[Guest]
    email_games: Sequence[str]


def main() -> None:
    """Measure and print all rows."""
    logging.disable(logging.WARNING)
    stay_on_one_core()
    with row_writer({**DECISION_TARGETS, **EMAIL_TARGETS}) as rows, ExitStack() as stack:
        installation = start_installation(stack)
        delays_alone = email_delays(installation)
        log_progress(f"{BOT_GAME_COUNT} games of {LEVEL} bots")
        bot_games = deal_bot_games(installation)
        with playing_bots(installation.settings) as pipe:
            delays_beside_bots = email_delays(installation, bot_games)
            pipe.send("end")
            timings = pipe.recv()
        write_rows(rows, timings, delays_beside_bots, delays_alone)


def stay_on_one_core() -> None:
    """Let this process and all that it starts run on one core, where the system can do that."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def start_installation(stack: ExitStack) -> Installation:
    url = stack.enter_context(running_database())
    redis_url = stack.enter_context(running_redis())
    relay_port = stack.enter_context(sink_process())
    environ = {"REDIS_URL": redis_url, "SMTP_URL": f"smtp://127.0.0.1:{relay_port}"}
    settings = settings_for(url, **environ)
    log_progress("preparing games of three people")
    players = sign_in_players(url, settings)
    players.database.dispose()
    database = unsynced_database(url)
    stack.callback(database.dispose)
    games = list(deal_many(database, players.guests, EMAIL_GAME_COUNT))
    environ |= {"DATABASE_URL": url, "SECRET_KEY": SECRET_KEY}
    for arguments in (["worker", "--without-bots"], ["beat"]):
        stack.enter_context(lodepost_process(arguments, environ))
    nudge = Nudger(nudge_sender(sender_app(settings)))
    installation = Installation(settings, database, nudge, players.guests, games)
    wait_for_empty_outbox(installation)
    return installation


def deal_bot_games(installation: Installation) -> list[str]:
    """Deal games of one person, who is first on turn, with keen bots."""
    [host, *_] = installation.guests
    database, now = installation.database, utc_now()
    settings = table_settings(seats=BOT_GAME_SEATS, starter=0)
    slugs = [open_table(database, host, settings, now=now) for _ in range(BOT_GAME_COUNT)]
    for slug in slugs:
        fill_with_bots(database, slug, host, level=LEVEL, now=now)
    return slugs


@contextmanager
def playing_bots(settings: Settings) -> Iterator[Connection]:
    """Run a process that plays bots; it answers "end" with its timings."""
    parent_end, child_end = multiprocessing.Pipe()
    with running_process(serve_bots, child_end, settings):
        yield parent_end


def serve_bots(pipe: Connection, settings: Settings) -> None:
    logging.disable(logging.WARNING)
    decider = TimedDecider()
    context = worker_context_for(settings, is_stopping=pipe.poll, nudge=lambda _: None)
    context = replace(context, decider=decider)
    while not pipe.poll():
        bot_turns.play_bots(context)
        time.sleep(0.1)
    pipe.send(decider.timings)
    context.close()


def email_delays(installation: Installation, bot_games: Sequence[str] = ()) -> list[float]:
    """Let people play for a while, also in the games of bots; return for each email the seconds from its turn on."""
    database = installation.database
    execute_and_fetch(database, "DELETE FROM notification")
    host = installation.guests[0]
    end = time.perf_counter() + LOAD_SECONDS
    games = cycle(installation.email_games)
    while time.perf_counter() < end:
        begun_at = time.perf_counter()
        play_next_turn(installation, next(games))
        for slug in bot_games:
            if awaits_first_seat(database, slug):
                play_turn(database, slug, host, now=utc_now(), choose=first_legal_action)
        installation.nudge({"emails"})
        time.sleep(max(0.0, begun_at + SECONDS_BETWEEN_EMAILS - time.perf_counter()))
    wait_for_empty_outbox(installation)
    query = (
        "SELECT extract(epoch FROM settled_at - first_due_at)::float FROM notification"
        " WHERE status = 'sent' AND kind = 'your-turn'"
    )
    return [row[0] for row in execute_and_fetch(database, query)]


def play_next_turn(installation: Installation, slug: str) -> None:
    """Play for the person on turn; the transaction adds an email for the next one."""
    database = installation.database
    [(awaiting,)] = execute_and_fetch(
        database, "SELECT awaiting FROM game WHERE slug = :slug", slug=slug
    )
    if awaiting is not None:
        guest = installation.guests[awaiting]
        play_turn(database, slug, guest, now=utc_now(), choose=first_legal_action)


def awaits_first_seat(database: Database, slug: str) -> bool:
    query = "SELECT awaiting FROM game WHERE slug = :slug"
    return execute_and_fetch(database, query, slug=slug) == [(0,)]


def wait_for_empty_outbox(installation: Installation) -> None:
    """Wait until no email is pending."""
    installation.nudge({"emails"})
    query = "SELECT count(*) FROM notification WHERE status = 'pending'"
    wait_until(lambda: execute_and_fetch(installation.database, query) == [(0,)], "the mail worker")


def execute_and_fetch(
    database: Database, statement: str, **values: object
) -> list[tuple[Any, ...]]:
    with database.engine.begin() as connection:
        cursor = connection.execute(text(statement), values)
        return [tuple(row) for row in cursor] if cursor.returns_rows else []


def write_rows(
    rows: RowWriter,
    timings: Sequence[DecisionTiming],
    delays_beside_bots: Sequence[float],
    delays_alone: Sequence[float],
) -> None:
    p50_metric, p99_metric, late_metric, fault_metric = DECISION_TARGETS
    decided_timings = [timing for timing in timings if not timing.is_fault]
    seconds = [timing.seconds for timing in decided_timings]
    note = f"{len(timings)} turns in {BOT_GAME_COUNT} games of {BOT_GAME_SEATS}, everything on one core"
    rows.write_figure(p50_metric, quantile(seconds, 0.5), note)
    rows.write_figure(p99_metric, quantile(seconds, 0.99), f"{note}; the limit is 5 s")
    late_count = sum(timing.is_late for timing in decided_timings)
    rows.write_figure(late_metric, 100 * late_count / len(decided_timings), note)
    rows.write_figure(fault_metric, len(timings) - len(decided_timings), note)
    email_note = f"emails without bots; {len(delays_beside_bots)} and {len(delays_alone)} of them"
    for metric, fraction in zip(EMAIL_TARGETS, (0.5, 0.99), strict=True):
        pair = (
            1000 * quantile(delays_beside_bots, fraction),
            1000 * quantile(delays_alone, fraction),
        )
        rows.write_ratio(metric, [pair], email_note)


if __name__ == "__main__":
    main()
