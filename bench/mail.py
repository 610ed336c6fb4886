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

from bench.shared.email_senders import (
    seconds_to_send,
    sender_processes,
    settings_with_relay,
    sink_process,
)
from bench.shared.games import unsynced_database
from bench.shared.interleaving import quantile
from bench.shared.local_services import running_database
from bench.shared.result_rows import RowWriter, log_progress, row_writer
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
from webapp.mail.transport import RenderedEmail, is_always_within_lease
from webapp.services.tx import Database
from webapp.serving.worker import WorkerThread
from webapp.web.nudges import Nudger

REPETITION_COUNT = 5
GAME_COUNT = 400
TURNS_PLAYED_BEFOREHAND = 12
MEASURED_TURN_COUNT = 60
WARM_UP_TURN_COUNT = 5
DELIVERY_TIMEOUT_SECONDS = 30.0
RATE_TARGETS = {"emails/s, two senders": ">= 0.6"}
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
        tables = create_running_games(setup_database)
        setup_database.dispose()
        database = Database(url)
        stack.callback(database.dispose)
        with row_writer(RATE_TARGETS) as rows:
            report_emails(url, database, rows)
        with row_writer(LATENCY_TARGETS) as rows:
            report_latency(url, database, tables, rows)


def create_running_games(database: Database) -> list[RunningGame]:
    """Create games of three, some turns old; each has one pending email, to the player on turn."""
    guests = [sign_in_guest(database, address, now=utc_now()) for address in (ALICE, BOB, CAROL)]
    tables = [
        RunningGame(deal_game(database, guests, now=utc_now()), guests) for _ in range(GAME_COUNT)
    ]
    for table in tables:
        for turn in range(TURNS_PLAYED_BEFOREHAND):
            play_turn(
                database, table.slug, guests[turn % 3], now=utc_now(), choose=first_legal_action
            )
    execute(
        database,
        "DELETE FROM notification WHERE NOT EXISTS (SELECT FROM game WHERE game.id = notification.game_id"
        " AND notification.kind = 'your-turn' AND notification.seq = game.turn_seq)",
    )
    return tables


def first_legal_action(view: View) -> Action:
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
        for sender_command in ("bare", "deliver"):
            seconds_to_send(senders, sender_command)
        rounds = [measure_round(senders, database) for _ in range(REPETITION_COUNT)]
    speeds = [
        (GAME_COUNT / subject_seconds, GAME_COUNT / anchor) for subject_seconds, anchor in rounds
    ]
    size = statistics.mean(len(email.message) for email in emails)
    [metric] = RATE_TARGETS
    rows.write_ratio(
        metric, speeds, f"smtplib, ready bytes ({size:,.0f} an email), kept connection"
    )


def composed_emails(url: str, database: Database) -> list[RenderedEmail]:
    """Return what the anchor sends: the same messages as the subject."""
    recording_transport = RecordingTransport()
    context = worker_context_for(
        settings_with_relay(url, 9), is_stopping=lambda: False, nudge=lambda _: None
    )
    delivery.deliver(replace(context, transport=recording_transport))
    context.close()
    make_pending_again(database)
    assert len(recording_transport.emails) == GAME_COUNT
    # Without the lease, which belongs to this process: the emails go to another one.
    return [
        email._replace(is_within_lease=is_always_within_lease)
        for email in recording_transport.emails
    ]


def measure_round(senders: Sequence[Connection], database: Database) -> tuple[float, float]:
    """Return the seconds the subject took and the mean of the anchors just before and just after."""
    anchor_seconds_before = seconds_to_send(senders, "bare")
    make_pending_again(database)
    subject_seconds = seconds_to_send(senders, "deliver")
    return subject_seconds, (anchor_seconds_before + seconds_to_send(senders, "bare")) / 2


def report_latency(
    url: str, database: Database, tables: Sequence[RunningGame], rows: RowWriter
) -> None:
    """Measure from the beginning of a turn to the next player's email in the sink, one turn at a time."""
    with running_sink() as sink:
        celery = celery_for(settings_with_relay(url, sink.port))
        task_done = threading.Event()
        celery.task(name="bench.empty", shared=False)(task_done.set)
        worker = WorkerThread(celery)
        worker.start()
        try:
            execute(database, "DELETE FROM notification")
            latencies = measured_latencies(database, celery, tables, sink, task_done)
        finally:
            worker.stop()
    write_latency_rows(latencies, rows)


def write_latency_rows(latencies: Sequence[tuple[float, float, float]], rows: RowWriter) -> None:
    note = "one empty Celery task and one send over a kept connection"
    commit_latencies, post_latencies, anchor_latencies = (
        [seconds * 1000 for seconds in column] for column in zip(*latencies, strict=True)
    )
    for name, subject_latencies in (
        ("commit to email", commit_latencies),
        ("POST to email", post_latencies),
    ):
        for fraction, label in ((0.5, "p50"), (0.99, "p99")):
            latency_pair = (
                quantile(subject_latencies, fraction),
                quantile(anchor_latencies, fraction),
            )
            rows.write_ratio(f"{name}, {label}, ms", [latency_pair], note)


def measured_latencies(
    database: Database,
    celery: Celery,
    tables: Sequence[RunningGame],
    sink: Sink,
    task_done: threading.Event,
) -> list[tuple[float, float, float]]:
    """Return for each turn the seconds from its commit, from its beginning, and of the anchor just after."""
    rows = []
    nudge = Nudger(nudge_sender(celery))
    with smtplib.SMTP("127.0.0.1", sink.port) as smtp_connection:
        for table in tables[: MEASURED_TURN_COUNT + WARM_UP_TURN_COUNT]:
            latencies = play_turn_and_wait_for_email(database, nudge, table, sink)
            rows.append(
                (
                    *latencies,
                    anchor_seconds(
                        celery, task_done, smtp_connection, sink.accepted_messages[-1].message
                    ),
                )
            )
    return rows[WARM_UP_TURN_COUNT:]


def play_turn_and_wait_for_email(
    database: Database, nudge: Nudger, table: RunningGame, sink: Sink
) -> tuple[float, float]:
    emails_before, turn_began_at = len(sink.accepted_messages), time.perf_counter()
    guest = table.guests[TURNS_PLAYED_BEFOREHAND % len(table.guests)]
    play_turn(database, table.slug, guest, now=utc_now(), choose=first_legal_action)
    committed_at = time.perf_counter()
    nudge({"emails"})
    while len(sink.accepted_messages) == emails_before:
        time.sleep(0.0002)
        if time.perf_counter() - committed_at > DELIVERY_TIMEOUT_SECONDS:
            raise TimeoutError(f"no email arrived for {table.slug}")
    arrived_at = time.perf_counter()
    return arrived_at - committed_at, arrived_at - turn_began_at


def anchor_seconds(
    celery: Celery, task_done: threading.Event, smtp_connection: smtplib.SMTP, message: bytes
) -> float:
    task_done.clear()
    started_at = time.perf_counter()
    celery.send_task("bench.empty", ignore_result=True)
    task_done.wait()
    smtp_connection.sendmail("lodepost@lodepost.example.org", "anna@example.org", message)
    return time.perf_counter() - started_at


if __name__ == "__main__":
    main()
