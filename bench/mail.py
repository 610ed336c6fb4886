"""Measure email delivery beside the least it can cost: smtplib with ready bytes over a kept connection, to the same sink.

Emails per second: two sender processes claim notifications of running games, check that they still apply, compose them,
store the bytes, send and settle them; the anchor's two processes only send the same messages. Every round runs the anchor,
the subject and the anchor again; its ratio is the subject over the mean of its two anchors.

Commit to email: from the end of a turn's transaction to the next player's email in the sink, through the nudge and a
worker as in `lodepost serve`; the anchor is one empty Celery task plus one message over a kept connection.
POST to email: the same, from the beginning of the turn.
"""

import logging
import smtplib
import statistics
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import NamedTuple

from celery import Celery
from sqlalchemy import text

from bench.shared.email_senders import relaying, sender_processes, sink_process, timed
from bench.shared.games import unsynced_database
from bench.shared.interleaving import quantile
from bench.shared.local_services import running_database
from bench.shared.rows import RowWriter, log_progress, row_writer
from engine.actions import Action
from engine.view import View, legal_actions
from tasks import delivery
from tasks.celery import celery_for
from tasks.context import worker_context_for
from tasks.nudging import nudge_sender
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import Guest, deal_game, play_turn, sign_in_guest
from tests.support.fakes import RecordingTransport
from tests.support.smtp_sink import Sink, running_sink
from webapp.clock import utc_now
from webapp.mail.transport import RenderedEmail, always
from webapp.services.tx import Database
from webapp.serving.work import WorkerThread
from webapp.web.nudges import Nudger

REPETITIONS = 5
GAMES = 400
TURNS_BEFORE = 12
TURNS_MEASURED = 60
WARM_UP = 5
DELIVERY_TIMEOUT = 30.0
EMAIL_TARGETS = {"emails/s, two senders": ">= 0.6"}
LATENCY_TARGETS = {
    "commit to email, p50, ms": "<= 2",
    "commit to email, p99, ms": "<= 5",
    "POST to email, p50, ms": "<= 2",
    "POST to email, p99, ms": "<= 5",
}


class RunningGame(NamedTuple):
    """A running game and its players in the order of their seats."""

    slug: str
    guests: Sequence[Guest]


def main() -> None:
    """Measure and print all rows."""
    logging.disable(logging.WARNING)
    with running_database() as url, ExitStack() as stack:
        log_progress("preparing running games")
        setup_database = unsynced_database(url)
        tables = running_tables(setup_database)
        setup_database.dispose()
        database = Database(url)
        stack.callback(database.dispose)
        with row_writer(EMAIL_TARGETS) as rows:
            report_emails(url, database, rows)
        with row_writer(LATENCY_TARGETS) as rows:
            report_latency(url, database, tables, rows)


def running_tables(database: Database) -> list[RunningGame]:
    """Create games of three, some turns old; each has one pending email, to the player on turn."""
    guests = [sign_in_guest(database, each, now=utc_now()) for each in (ALICE, BOB, CAROL)]
    tables = [RunningGame(deal_game(database, guests, now=utc_now()), guests) for _ in range(GAMES)]
    for table in tables:
        for turn in range(TURNS_BEFORE):
            play_turn(database, table.slug, guests[turn % 3], now=utc_now(), choose=first_of_menu)
    execute(
        database,
        "DELETE FROM notification WHERE NOT EXISTS (SELECT FROM game WHERE game.id = notification.game_id"
        " AND notification.kind = 'your-turn' AND notification.seq = game.turn_seq)",
    )
    return tables


def first_of_menu(view: View) -> Action:
    """Return the first legal action: a path card while one can be laid, so the mine grows."""
    return legal_actions(view)[0]


def execute(database: Database, statement: str) -> None:
    with database.engine.begin() as connection:
        connection.execute(text(statement))


def make_pending_again(database: Database) -> None:
    execute(
        database,
        "UPDATE notification SET status = 'pending', message = NULL, message_id = NULL,"
        " lease_until = NULL, attempts = 0, settled_at = NULL",
    )


def report_emails(url: str, database: Database, rows: RowWriter) -> None:
    """Measure emails per second with two senders."""
    emails = composed_emails(url, database)
    with sink_process() as port, sender_processes(url, port, emails) as senders:
        for each in ("bare", "deliver"):
            timed(senders, each)
        rounds = [measured_round(senders, database) for _ in range(REPETITIONS)]
    speeds = [(GAMES / subject, GAMES / anchor) for subject, anchor in rounds]
    size = statistics.mean(len(email.message) for email in emails)
    [metric] = EMAIL_TARGETS
    rows.ratio(metric, speeds, f"smtplib, ready bytes ({size:,.0f} an email), kept connection")


def composed_emails(url: str, database: Database) -> list[RenderedEmail]:
    """Return what the anchor sends: the same messages as the subject."""
    recording = RecordingTransport()
    context = worker_context_for(relaying(url, 9), is_stopping=lambda: False, nudge=lambda _: None)
    delivery.deliver(replace(context, transport=recording))
    context.close()
    make_pending_again(database)
    assert len(recording.emails) == GAMES
    # Without the lease, which belongs to this process: the emails go to another one.
    return [email._replace(is_in_time=always) for email in recording.emails]


def measured_round(senders: Sequence[Connection], database: Database) -> tuple[float, float]:
    """Return the seconds the subject took and the mean of the anchors just before and just after."""
    before = timed(senders, "bare")
    make_pending_again(database)
    subject = timed(senders, "deliver")
    return subject, (before + timed(senders, "bare")) / 2


def report_latency(
    url: str, database: Database, tables: Sequence[RunningGame], rows: RowWriter
) -> None:
    """Measure from the beginning of a turn to the next player's email in the sink, one turn at a time."""
    with running_sink() as sink:
        celery = celery_for(relaying(url, sink.port))
        done = threading.Event()
        celery.task(name="bench.empty", shared=False)(done.set)
        worker = WorkerThread(celery)
        worker.start()
        try:
            execute(database, "DELETE FROM notification")
            measured = measured_latencies(database, celery, tables, sink, done)
        finally:
            worker.stop()
    write_latency_rows(measured, rows)


def write_latency_rows(measured: Sequence[tuple[float, float, float]], rows: RowWriter) -> None:
    note = "one empty Celery task and one send over a kept connection"
    commits, turns, anchors = (
        [each * 1000 for each in column] for column in zip(*measured, strict=True)
    )
    for name, subjects in (("commit to email", commits), ("POST to email", turns)):
        for place, label in ((0.5, "p50"), (0.99, "p99")):
            pair = (quantile(subjects, place), quantile(anchors, place))
            rows.ratio(f"{name}, {label}, ms", [pair], note)


def measured_latencies(
    database: Database,
    celery: Celery,
    tables: Sequence[RunningGame],
    sink: Sink,
    done: threading.Event,
) -> list[tuple[float, float, float]]:
    """Return for each turn the seconds from its commit, from its beginning, and of the anchor just after."""
    rows = []
    nudge = Nudger(nudge_sender(celery))
    with smtplib.SMTP("127.0.0.1", sink.port) as bare:
        for table in tables[: TURNS_MEASURED + WARM_UP]:
            latencies = play_and_wait(database, nudge, table, sink)
            rows.append((*latencies, anchor_seconds(celery, done, bare, sink.taken[-1].message)))
    return rows[WARM_UP:]


def play_and_wait(
    database: Database, nudge: Nudger, table: RunningGame, sink: Sink
) -> tuple[float, float]:
    before, pressed = len(sink.taken), time.perf_counter()
    guest = table.guests[TURNS_BEFORE % len(table.guests)]
    play_turn(database, table.slug, guest, now=utc_now(), choose=first_of_menu)
    committed = time.perf_counter()
    nudge({"emails"})
    while len(sink.taken) == before:
        time.sleep(0.0002)
        if time.perf_counter() - committed > DELIVERY_TIMEOUT:
            raise TimeoutError(f"no email arrived for {table.slug}")
    arrived = time.perf_counter()
    return arrived - committed, arrived - pressed


def anchor_seconds(
    celery: Celery, done: threading.Event, bare: smtplib.SMTP, message: bytes
) -> float:
    done.clear()
    begun = time.perf_counter()
    celery.send_task("bench.empty", ignore_result=True)
    done.wait()
    bare.sendmail("lodepost@lodepost.example.org", "anna@example.org", message)
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
