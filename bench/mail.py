"""Measure email delivery beside the least it can cost: smtplib with ready bytes over a kept connection, to the same sink.

Emails per second: two sender processes claim notifications of running games, check that they still apply, compose them,
store the bytes, send and settle them; the anchor's two processes only send the same messages. Every round runs the anchor,
the subject and the anchor again; its ratio is the subject over the mean of its two anchors.

Commit to email: from the end of a turn's transaction to the next player's email in the sink, through a nudge in Redis and
`lodepost worker`; the anchor is one push to Redis with its blocking pop, plus one message over a kept connection.

Commands/s: answers by email that were received are read, played and answered, one transaction each; the anchor plays as many
turns of other games without emails. Pictures: the mine of a turn email; the anchors are resvg alone, and the first drawing.
Owed emails: the greatest memory of a sender that finds many times as many emails due as in its first delivery.
"""

import logging
import smtplib
import statistics
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import NamedTuple

import resvg_py
from redis import Redis
from sqlalchemy import text

from bench.shared.answers import ANSWERING_SETTINGS, answers_to, receive_answers
from bench.shared.email_senders import (
    lodepost_process,
    owed_email_sender,
    seconds_to_send,
    sender_processes,
    settings_with_relay,
    sink_process,
)
from bench.shared.games import deal_many, unsynced_database
from bench.shared.interleaving import figure_and_anchor_pairs, interleaved_rounds, quantile
from bench.shared.local_services import SECRET_KEY, running_database, running_redis
from bench.shared.result_rows import RowWriter, log_progress, row_writer
from engine.actions import Action
from engine.view import View, legal_actions, view_for
from tasks import delivery, replies
from tasks.context import worker_context_for
from tasks.nudging import nudge_sender, sender_app
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import Guest, play_turn, sign_in_guest, stored_game
from tests.support.fakes import RecordingTransport
from tests.support.smtp_sink import Sink, running_sink
from webapp.kernel.i18n import language_for
from webapp.kernel.nudges import Nudger
from webapp.kernel.system_time import utc_now
from webapp.kernel.tx import Database
from webapp.mail.sections import mine_drawing
from webapp.mail.transport import RenderedEmail, is_always_within_lease
from webapp.picture.png import small_png_of

REPETITION_COUNT = 3
GAME_COUNT = 400
TURNS_PLAYED_BEFOREHAND = 12
MEASURED_TURN_COUNT = 60
WARM_UP_TURN_COUNT = 5
DELIVERY_TIMEOUT_SECONDS = 30.0
PICTURE_COUNT = 20
OWED_EMAIL_COUNT = 100_000
RATE_TARGETS = {"emails/s, two senders": ">= 0.6"}
COMMAND_TARGETS = {"commands in answers/s": ">= 0.25"}
PICTURE_TARGETS = {
    "picture of a mine for an email, ms": "<= 2",
    "the same picture again, ms": "<= 0.01",
}
OWED_TARGETS = {"peak memory with 100,000 owed emails, MiB": "<= 1.1"}
LATENCY_TARGETS = {
    "10. commit to email accepted, p50, ms": "<= 3",
    "10. commit to email accepted, p99, ms": "<= 8",
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
        with row_writer(COMMAND_TARGETS) as rows:
            report_commands(url, database, tables, rows)
        with row_writer(LATENCY_TARGETS) as rows:
            report_latency(url, database, tables, rows)
        with row_writer(PICTURE_TARGETS) as rows:
            report_pictures(database, tables[0], rows)
        with row_writer(OWED_TARGETS) as rows:
            report_owed_emails(url, database, rows)


def create_running_games(database: Database) -> list[RunningGame]:
    """Create games of three, some turns old; each has one pending email, to the player on turn."""
    guests = [sign_in_guest(database, address, now=utc_now()) for address in (ALICE, BOB, CAROL)]
    tables = [RunningGame(slug, guests) for slug in deal_many(database, guests, GAME_COUNT)]
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
        "UPDATE notification SET status = 'pending', message_id = NULL,"
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


def report_commands(
    url: str, database: Database, tables: Sequence[RunningGame], rows: RowWriter
) -> None:
    """Measure answers by email that play a turn, beside turns that are played in other games."""
    context = worker_context_for(
        settings_with_relay(url, 9, **ANSWERING_SETTINGS),
        is_stopping=lambda: False,
        nudge=lambda _: None,
    )
    transport = RecordingTransport()
    context = replace(context, transport=transport)
    make_pending_again(database)
    delivery.deliver(context)
    answers = answers_to(transport.emails)
    share = GAME_COUNT // (2 * REPETITION_COUNT + 1)
    shares = [tables[start : start + share] for start in range(0, GAME_COUNT - share + 1, share)]

    def play() -> float:
        started_at = time.perf_counter()
        played = shares.pop()
        for table in played:
            play_turn(
                database,
                table.slug,
                table.guests[TURNS_PLAYED_BEFOREHAND % len(table.guests)],
                now=utc_now(),
                choose=first_legal_action,
            )
        return len(played) / (time.perf_counter() - started_at)

    def answer() -> float:
        played = shares.pop()
        receive_answers(context, [answers[table.slug] for table in played])
        started_at = time.perf_counter()
        replies.read_replies(context)
        return len(played) / (time.perf_counter() - started_at)

    [metric] = COMMAND_TARGETS
    rounds = interleaved_rounds(answer, play, REPETITION_COUNT)
    context.close()
    rows.write_ratio(
        metric,
        figure_and_anchor_pairs(rounds, lambda rate: rate, lambda rate: rate),
        "turns/s played without emails",
    )


def report_latency(
    url: str, database: Database, tables: Sequence[RunningGame], rows: RowWriter
) -> None:
    """Measure from the commit of a turn to the next player's email in the sink, one turn at a time."""
    execute(database, "DELETE FROM notification")
    with running_redis() as redis_url, running_sink() as sink:
        settings = settings_with_relay(url, sink.port, REDIS_URL=redis_url)
        nudge = Nudger(nudge_sender(sender_app(settings)))
        environ = {
            "DATABASE_URL": url,
            "SECRET_KEY": SECRET_KEY,
            "REDIS_URL": redis_url,
            "SMTP_URL": f"smtp://127.0.0.1:{sink.port}",
        }
        with lodepost_process(["worker"], environ), bare_queue(redis_url) as push_and_pop:
            latencies = measured_latencies(database, nudge, push_and_pop, tables, sink)
    note = "one Redis push and blocking pop, and one send over a kept connection"
    subject, anchor = (
        [1000 * seconds for seconds in each] for each in zip(*latencies, strict=True)
    )
    for metric, fraction in zip(LATENCY_TARGETS, (0.5, 0.99), strict=True):
        rows.write_ratio(metric, [(quantile(subject, fraction), quantile(anchor, fraction))], note)


@contextmanager
def bare_queue(redis_url: str) -> Iterator[Callable[[], None]]:
    """Yield what pushes to a list in Redis, and returns once another connection has popped that."""
    popped = threading.Event()

    def pop_until_end() -> None:
        with Redis.from_url(redis_url) as connection:
            while connection.brpop(["bench"])[1] != b"end":
                popped.set()

    popping = threading.Thread(target=pop_until_end)
    popping.start()
    with Redis.from_url(redis_url) as connection:

        def push_and_pop() -> None:
            popped.clear()
            connection.lpush("bench", b"nudge")
            popped.wait()

        yield push_and_pop
        connection.lpush("bench", b"end")
    popping.join()


def measured_latencies(
    database: Database,
    nudge: Nudger,
    push_and_pop: Callable[[], None],
    tables: Sequence[RunningGame],
    sink: Sink,
) -> list[tuple[float, float]]:
    """Return for each turn the seconds from its commit, and of the anchor just after."""
    latencies = []
    with smtplib.SMTP("127.0.0.1", sink.port) as smtp_connection:
        for table in tables[: MEASURED_TURN_COUNT + WARM_UP_TURN_COUNT]:
            seconds = play_turn_and_wait_for_email(database, nudge, table, sink)
            message = sink.accepted_messages[-1].message
            started_at = time.perf_counter()
            push_and_pop()
            smtp_connection.sendmail("lodepost@lodepost.example.org", "anna@example.org", message)
            latencies.append((seconds, time.perf_counter() - started_at))
    return latencies[WARM_UP_TURN_COUNT:]


def play_turn_and_wait_for_email(
    database: Database, nudge: Nudger, table: RunningGame, sink: Sink
) -> float:
    # Some of the games have been played on, for other rows.
    seat_on_turn = stored_game(database, table.slug, table.guests[0]).row.awaiting
    assert seat_on_turn is not None
    guest = table.guests[seat_on_turn]
    count_before = len(sink.accepted_messages)
    play_turn(database, table.slug, guest, now=utc_now(), choose=first_legal_action)
    committed_at = time.perf_counter()
    nudge({"emails"})
    while len(sink.accepted_messages) == count_before:
        time.sleep(0.0002)
        if time.perf_counter() - committed_at > DELIVERY_TIMEOUT_SECONDS:
            raise TimeoutError(f"no email arrived for {table.slug}")
    return time.perf_counter() - committed_at


def report_pictures(database: Database, table: RunningGame, rows: RowWriter) -> None:
    """Measure the picture of a mine in a turn email: drawn for the first time, and again."""
    game = stored_game(database, table.slug, table.guests[0])
    [picture] = mine_drawing(view_for(game.state, 0), language_for("en")).pictures
    first, again = [], []
    for _ in range(PICTURE_COUNT):
        small_png_of.cache_clear()
        anchor = milliseconds_of(
            lambda: resvg_py.svg_to_bytes(
                svg_string=picture.svg, width=picture.width, skip_system_fonts=True
            )
        )
        drawn = milliseconds_of(lambda: small_png_of(picture.svg, picture.width))
        first.append((drawn, anchor))
        again.append((milliseconds_of(lambda: small_png_of(picture.svg, picture.width)), drawn))
    first_metric, again_metric = PICTURE_TARGETS
    size = len(small_png_of(picture.svg, picture.width))
    rows.write_ratio(first_metric, first, f"resvg alone; {size:,} bytes, {picture.width} px wide")
    rows.write_ratio(again_metric, again, "the first drawing")


def milliseconds_of(work: Callable[[], object]) -> float:
    started_at = time.perf_counter()
    work()
    return (time.perf_counter() - started_at) * 1000


def report_owed_emails(url: str, database: Database, rows: RowWriter) -> None:
    """Measure the memory of a sender while very many emails are due."""
    [metric] = OWED_TARGETS
    with owed_email_sender(url) as deliver:
        owe_emails(database, OWED_EMAIL_COUNT // 50)
        memory_before = deliver()
        owe_emails(database, OWED_EMAIL_COUNT)
        started_at = time.perf_counter()
        memory = deliver()
    seconds = time.perf_counter() - started_at
    rows.write_ratio(
        metric,
        [(memory, memory_before)],
        f"{OWED_EMAIL_COUNT // 50:,} owed emails; {OWED_EMAIL_COUNT / seconds:.0f} emails/s",
    )


def owe_emails(database: Database, count: int) -> None:
    """Make so many emails about the turns of all games due."""
    execute(database, "DELETE FROM notification")
    execute(
        database,
        "INSERT INTO notification (game_id, seq, kind, account_id, dedup_key, first_due_at, due_at)"
        " SELECT game.id, turn_seq, 'your-turn', account_id, copy, now(), now() FROM game"
        " JOIN seat ON seat.game_id = game.id AND seat.number = awaiting"
        f" CROSS JOIN generate_series(1, {count // GAME_COUNT}) AS copy"
        # One game after another, so that each picture is drawn once: this row is about memory.
        " ORDER BY game.id, copy",
    )


if __name__ == "__main__":
    main()
