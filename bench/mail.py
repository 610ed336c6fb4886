"""Letters beside the least that sending mail can cost: smtplib with ready bytes over a kept connection, to the same sink.

Letters a second: two senders, each a process, claim letters of games under way, look at them again, compose them, store the
bytes, hand them over and settle them; the anchor's two processes only hand the same messages over. Every round runs the
anchor, the subject and the anchor again; its ratio is the subject over the mean of its two anchors.

From commit to mail: from the end of a turn's transaction to the next player's letter in the sink, through the nudge and a
worker as in `lodepost serve`; the anchor is one Celery task that does nothing plus one message over a kept connection.
From press to mail: the same, from the beginning of the turn.
"""

import logging
import multiprocessing
import smtplib
import statistics
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import NamedTuple

from celery import Celery
from sqlalchemy import text

from bench.shared.place import running_database, settings_for
from bench.shared.play import hasty_database
from bench.shared.rounds import quantile
from bench.shared.rows import Sheet, say, sheet
from engine.actions import Action
from engine.view import View, legal_actions
from tasks import delivery
from tasks.celery import celery_for, nudging_with
from tasks.context import worker_context_for
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import Guest, deal, play, sign_in_guest
from tests.support.fakes import Recording
from tests.support.smtp_sink import Sink, running_sink
from webapp.clock import utc_now
from webapp.config import Settings
from webapp.mail.parcel import RenderedEmail, at_any_time
from webapp.services.tx import Database, database_for
from webapp.serving.work import WorkerThread
from webapp.web.nudges import Nudger

ROUNDS = 5
SENDERS = 2
GAMES = 400
TURNS_BEFORE = 12
PRESSES = 60
WARM_UP = 5
TOO_LONG = 30.0
OF_LETTERS = {"letters/s, two senders": ">= 0.6"}
OF_PRESSES = {
    "commit to mail, p50, ms": "<= 2",
    "commit to mail, p99, ms": "<= 5",
    "press to mail, p50, ms": "<= 2",
    "press to mail, p99, ms": "<= 5",
}


class Table(NamedTuple):
    """A game under way and those who play it, in the order of their seats."""

    slug: str
    guests: Sequence[Guest]


def main() -> None:
    """Tell all rows."""
    logging.disable(logging.WARNING)
    with running_database() as url, ExitStack() as stack:
        say("games under way")
        preparing = hasty_database(url)
        tables = tables_under_way(preparing)
        preparing.dispose()
        database = database_for(url)
        stack.callback(database.dispose)
        with sheet(OF_LETTERS) as rows:
            report_letters(url, database, rows)
        with sheet(OF_PRESSES) as rows:
            report_presses(url, database, tables, rows)


def tables_under_way(database: Database) -> list[Table]:
    """Games of three, some turns old; each owes one letter, to whoever is on turn."""
    guests = [sign_in_guest(database, each, now=utc_now()) for each in (ALICE, BOB, CAROL)]
    tables = [Table(deal(database, guests, now=utc_now()), guests) for _ in range(GAMES)]
    for table in tables:
        for turn in range(TURNS_BEFORE):
            play(database, table.slug, guests[turn % 3], now=utc_now(), choose=first_of_menu)
    tell(
        database,
        "DELETE FROM notification WHERE NOT EXISTS (SELECT FROM game WHERE game.id = notification.game_id"
        " AND letter.kind = 'your-turn' AND letter.seq = game.turn_seq)",
    )
    return tables


def first_of_menu(view: View) -> Action:
    """Lay a path card while there is one to lay: the mine grows."""
    return legal_actions(view)[0]


def tell(database: Database, statement: str) -> None:
    with database.engine.begin() as connection:
        connection.execute(text(statement))


def owe_again(database: Database) -> None:
    tell(
        database,
        "UPDATE notification SET status = 'owed', message = NULL, message_id = NULL,"
        " lease_until = NULL, attempts = 0, settled_at = NULL",
    )


def relaying(url: str, port: int) -> Settings:
    """Settings with a relay at this port."""
    relay = f"smtp://127.0.0.1:{port}"
    return settings_for(url, SMTP_URL=relay, BASE_URL="https://lodepost.example.org")


def report_letters(url: str, database: Database, rows: Sheet) -> None:
    """Letters a second, two senders."""
    parcels = composed_parcels(url, database)
    with sink_process() as port, sender_processes(url, port, parcels) as senders:
        for each in ("bare", "deliver"):
            timed(senders, each)
        rounds = [measured_round(senders, database) for _ in range(ROUNDS)]
    speeds = [(GAMES / ours, GAMES / theirs) for ours, theirs in rounds]
    size = statistics.mean(len(parcel.message) for parcel in parcels)
    [metric] = OF_LETTERS
    rows.ratio(metric, speeds, f"smtplib, ready bytes ({size:,.0f} a letter), kept connection")


def composed_parcels(url: str, database: Database) -> list[RenderedEmail]:
    """What the anchor sends: the very messages of the subject."""
    recording = Recording()
    context = worker_context_for(relaying(url, 9), is_stopping=lambda: False, nudge=lambda _: None)
    delivery.deliver(replace(context, transport=recording))
    context.close()
    owe_again(database)
    assert len(recording.parcels) == GAMES
    # As they may go to another process: without the lease, which is this one's.
    return [parcel._replace(is_in_time=at_any_time) for parcel in recording.parcels]


def measured_round(senders: Sequence[Connection], database: Database) -> tuple[float, float]:
    """Seconds that the subject took, and the mean of the anchors just before and just after."""
    before = timed(senders, "bare")
    owe_again(database)
    ours = timed(senders, "deliver")
    return ours, (before + timed(senders, "bare")) / 2


def timed(senders: Sequence[Connection], what: str) -> float:
    begun = time.perf_counter()
    for sender in senders:
        sender.send(what)
    for sender in senders:
        sender.recv()
    return time.perf_counter() - begun


@contextmanager
def sender_processes(
    url: str, port: int, parcels: Sequence[RenderedEmail]
) -> Iterator[list[Connection]]:
    with ExitStack() as stack:
        pipes = []
        for number in range(SENDERS):
            ours, theirs = multiprocessing.Pipe()
            share = parcels[number::SENDERS]
            stack.enter_context(running(send_when_told, theirs, url, port, share))
            ours.recv()
            pipes.append(ours)
        yield pipes
        for pipe in pipes:
            pipe.send("end")


def send_when_told(pipe: Connection, url: str, port: int, parcels: Sequence[RenderedEmail]) -> None:
    """One sender: a worker's means, and a bare connection beside them."""
    context = worker_context_for(
        relaying(url, port), is_stopping=lambda: False, nudge=lambda _: None
    )
    with smtplib.SMTP("127.0.0.1", port) as bare:
        pipe.send("ready")
        while (told := pipe.recv()) != "end":
            if told == "deliver":
                delivery.deliver(context)
            else:
                send_bare(bare, parcels)
            pipe.send("done")
    context.close()


def send_bare(connection: smtplib.SMTP, parcels: Sequence[RenderedEmail]) -> None:
    for parcel in parcels:
        connection.sendmail(parcel.senders[-1], parcel.recipient, parcel.message)


@contextmanager
def sink_process() -> Iterator[int]:
    ours, theirs = multiprocessing.Pipe()
    with running(sink_until_told, theirs):
        yield ours.recv()
        ours.send("end")


def sink_until_told(pipe: Connection) -> None:
    with running_sink() as sink:
        pipe.send(sink.port)
        pipe.recv()


@contextmanager
def running(work: object, *arguments: object) -> Iterator[None]:
    process = multiprocessing.get_context("spawn").Process(target=work, args=arguments)  # type: ignore[arg-type]
    process.start()
    try:
        yield
    finally:
        process.join(30)
        process.kill()


def report_presses(url: str, database: Database, tables: Sequence[Table], rows: Sheet) -> None:
    """From the beginning of a turn to the next player's letter in the sink, one at a time."""
    with running_sink() as sink:
        celery = celery_for(relaying(url, sink.port))
        done = threading.Event()
        celery.task(name="bench.nothing", shared=False)(done.set)
        worker = WorkerThread(celery)
        worker.start()
        try:
            tell(database, "DELETE FROM notification")
            measured = presses(database, celery, tables, sink, done)
        finally:
            worker.stop()
    show_presses(measured, rows)


def show_presses(measured: Sequence[tuple[float, float, float]], rows: Sheet) -> None:
    note = "one Celery task that does nothing and one kept-open send"
    commits, turns, anchors = (
        [each * 1000 for each in column] for column in zip(*measured, strict=True)
    )
    for name, subjects in (("commit to mail", commits), ("press to mail", turns)):
        for place, label in ((0.5, "p50"), (0.99, "p99")):
            pair = (quantile(subjects, place), quantile(anchors, place))
            rows.ratio(f"{name}, {label}, ms", [pair], note)


def presses(
    database: Database,
    celery: Celery,
    tables: Sequence[Table],
    sink: Sink,
    done: threading.Event,
) -> list[tuple[float, float, float]]:
    """For each press: seconds from its commit and from its beginning, and those of the anchor just after."""
    rows = []
    nudge = Nudger(nudging_with(celery))
    with smtplib.SMTP("127.0.0.1", sink.port) as bare:
        for table in tables[: PRESSES + WARM_UP]:
            ours = press(database, nudge, table, sink)
            rows.append((*ours, send_anyhow(celery, done, bare, sink.taken[-1].message)))
    return rows[WARM_UP:]


def press(database: Database, nudge: Nudger, table: Table, sink: Sink) -> tuple[float, float]:
    before, pressed = len(sink.taken), time.perf_counter()
    guest = table.guests[TURNS_BEFORE % len(table.guests)]
    play(database, table.slug, guest, now=utc_now(), choose=first_of_menu)
    committed = time.perf_counter()
    nudge({"emails"})
    while len(sink.taken) == before:
        time.sleep(0.0002)
        if time.perf_counter() - committed > TOO_LONG:
            raise TimeoutError(f"no letter came out of {table.slug}")
    arrived = time.perf_counter()
    return arrived - committed, arrived - pressed


def send_anyhow(celery: Celery, done: threading.Event, bare: smtplib.SMTP, message: bytes) -> float:
    done.clear()
    begun = time.perf_counter()
    celery.send_task("bench.nothing", ignore_result=True)
    done.wait()
    bare.sendmail("lodepost@lodepost.example.org", "anna@example.org", message)
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
