"""Measure what turns write and leave in the database, and the statements and bytes of their requests.

Write-ahead log: turns by HTTP, each with the email about it delivered to a transport that accepts everything, after a warm-up and
with no checkpoint between. Finished games: random games of three played to their end, beside a database without them; each is
measured in rewritten tables once everything has been deleted that a retention period covers.
Statements and Redis calls are exact; tests hold them on any machine.
"""

import logging
import random
import statistics
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import NamedTuple

import redis
from sqlalchemy import text
from werkzeug.test import TestResponse

from bench.shared.aged_games import play_up_to
from bench.shared.bytes_used import database_size, size_per_row, wal_bytes_of
from bench.shared.email_senders import AcceptingTransport, settings_with_relay
from bench.shared.games import (
    Players,
    PreparedGame,
    deal_games,
    first_turns_of_new_games,
    load_game,
    sign_in_players,
)
from bench.shared.local_services import settings_for
from bench.shared.result_rows import RowWriter, run_reports
from bench.shared.testbed import Testbed, running_testbed
from engine.actions import Action
from engine.view import View, legal_actions
from tasks import delivery
from tasks.context import worker_context_for
from tests.support.factories import play_turn
from tests.support.statements import recorded_statements, without_begin_and_commit
from tests.support.transactions import transaction
from tests.support.visitors import Visitor
from webapp.app import create_app
from webapp.kernel import urls
from webapp.kernel.system_time import utc_now
from webapp.kernel.tx import Database
from webapp.operations import statistics as site_statistics
from webapp.operations.queries.migrate import upgrade_schema
from webapp.privacy.retention import apply_retention
from webapp.web.compression import compress_responses

REPETITION_COUNT = 3
GAME_COUNT = 20
TURNS_PER_GAME = 3
"""Turns that are played in each game in a round."""
TURNS_PLAYED_BEFOREHAND = 20
"""Turns of the game whose requests are counted."""
FINISHED_GAME_COUNT = 20
AFTER_RETENTION = timedelta(days=200)
"""A time longer than all retention periods of data about games or emails."""
SEED = 13
SETTLE_ALL = """
UPDATE notification SET status = CASE WHEN status = 'pending' THEN 'sent' ELSE status END,
    settled_at = :now + id * interval '1 ms', lease_until = NULL
"""
REQUEST_TARGETS = {
    "14. SQL statements in a game page": "<= 2",
    "14. SQL statements in a turn": "<= 2",
    "14. Redis calls inside a game page": "<= 0",
    "14. Redis calls inside a turn": "<= 0",
    "14. bytes of the table page, compressed": "<= 8000",
}
WAL_TARGETS = {"3. WAL of a turn with its email delivered, bytes": "<= 5000"}
STORAGE_TARGETS = {
    "4. bytes kept per stored turn": "<= 200",
    "4. bytes kept per finished game of three after retention": "<= 60000",
}


class KeptSite(NamedTuple):
    """What a database keeps: the bytes of all its tables rewritten, its turns, and the bytes of each before that."""

    size: int
    turn_count: int
    bytes_per_turn: float


def main() -> None:
    """Measure and print all rows."""
    logging.disable(logging.WARNING)
    targets_and_reporters = (
        (REQUEST_TARGETS, report_requests),
        (WAL_TARGETS, report_wal),
        (STORAGE_TARGETS, report_storage),
    )
    run_reports(running_testbed(), targets_and_reporters)


def report_wal(testbed: Testbed, rows: RowWriter) -> None:
    """Measure bytes of write-ahead log of turns, and of the emails about them."""
    games = first_turns_of_new_games(
        testbed.players,
        GAME_COUNT,
        length=TURNS_PER_GAME * (REPETITION_COUNT + 1),
        chance=random.Random(SEED),
    )
    turns = (turn.request for turns in zip(*games, strict=True) for turn in turns)
    with email_sender(testbed.url) as (deliver, transport):
        deliver()

        def play_and_deliver() -> tuple[int, int]:
            turn_bytes = email_bytes = 0
            for _ in range(GAME_COUNT * TURNS_PER_GAME):
                request = next(turns)
                turn_bytes += wal_bytes_of(
                    testbed.url,
                    lambda request=request: testbed.load(
                        testbed.web.port, [[request]], expected_status=303
                    ),
                )[1]
                email_bytes += wal_bytes_of(testbed.url, deliver)[1]
            return turn_bytes, email_bytes

        play_and_deliver()
        email_count_before = transport.accepted_count
        rounds = [play_and_deliver() for _ in range(REPETITION_COUNT)]
        email_count = transport.accepted_count - email_count_before
    turn_count = REPETITION_COUNT * GAME_COUNT * TURNS_PER_GAME
    # Another email may become due meanwhile: the median leaves out its round.
    assert turn_count <= email_count < turn_count + REPETITION_COUNT, (email_count, turn_count)
    turn_bytes, email_bytes = (
        statistics.median(column) / (GAME_COUNT * TURNS_PER_GAME)
        for column in zip(*rounds, strict=True)
    )
    [metric] = WAL_TARGETS
    rows.write_figure(
        metric,
        turn_bytes + email_bytes,
        f"{turn_bytes:,.0f} for the turn, {email_bytes:,.0f} for the email; then <= 3000",
    )


@contextmanager
def email_sender(url: str) -> Iterator[tuple[Callable[[], None], AcceptingTransport]]:
    """Yield what delivers all emails that are due, and the transport that accepts them."""
    # Otherwise an email waits while its reader is on the site, as all three players are.
    settings = settings_with_relay(url, 9, EMAIL_WAIT_MINUTES="0")
    context = worker_context_for(settings, is_stopping=lambda: False, nudge=lambda _: None)
    transport = AcceptingTransport()
    later = replace(context, transport=transport)
    yield lambda: delivery.deliver(later), transport
    context.close()


def report_storage(testbed: Testbed, rows: RowWriter) -> None:
    """Measure bytes that stored turns and finished games keep, beside the same database without games."""
    turn_metric, game_metric = STORAGE_TARGETS
    empty_site = site_after_retention(testbed, "empty", game_count=0)
    site = site_after_retention(testbed, "finished", game_count=FINISHED_GAME_COUNT)
    note = f"{site.turn_count / FINISHED_GAME_COUNT:.0f} turns a game, played in rotation"
    rows.write_figure(turn_metric, site.bytes_per_turn, f"heap and index; {note}")
    rows.write_figure(
        game_metric, (site.size - empty_site.size) / FINISHED_GAME_COUNT, f"all tables; {note}"
    )


def site_after_retention(testbed: Testbed, name: str, *, game_count: int) -> KeptSite:
    """Play games to their end in a new database, delete what is kept only for a time, and measure the rest."""
    testbed.server.ensure_database(name)
    url = testbed.server.url_of(name)
    upgrade_schema(url)
    players = sign_in_players(url, settings_for(url))
    play_in_rotation(players, deal_games(players, game_count))
    bytes_per_turn = size_per_row(url, "turn") if game_count else 0.0
    delete_what_is_old(players.database)
    with players.database.engine.connect() as connection:
        turn_count = connection.execute(text("SELECT count(*) FROM turn")).scalar_one()
    players.database.dispose()
    return KeptSite(database_size(url), turn_count, bytes_per_turn)


def play_in_rotation(players: Players, tables: Sequence[PreparedGame]) -> None:
    """Play a random turn of each game in turn until all are over."""
    chance, running_tables = random.Random(SEED), list(tables)

    def random_action(view: View) -> Action:
        actions = legal_actions(view)
        return actions[int(chance.random() * len(actions))]

    while running_tables:
        for table in list(running_tables):
            seat = load_game(players.database, table).row.awaiting
            if seat is None:
                running_tables.remove(table)
                continue
            guest = table.guests[seat]
            play_turn(players.database, table.slug, guest, now=utc_now(), choose=random_action)


def delete_what_is_old(database: Database) -> None:
    """Settle all emails as sent, and delete what is kept only for a time as it will be when all of these times are over."""
    with transaction(database) as tx:
        tx.execute(text(SETTLE_ALL), {"now": utc_now()})
    later = utc_now() + AFTER_RETENTION
    has_more = True
    while has_more:
        with transaction(database, later) as tx:
            has_more = site_statistics.count_oldest_missing_day(tx)
    deleted_count = 1
    while deleted_count:
        with transaction(database, later) as tx:
            deleted_count = apply_retention(tx)


def report_requests(testbed: Testbed, rows: RowWriter) -> None:
    """Count the statements, Redis commands and bytes of a page and of a turn inside the process that responds."""
    [table] = deal_games(testbed.players, 1)
    [turn] = play_up_to(
        testbed.players.database,
        table,
        random.Random(SEED),
        last_turn=TURNS_PLAYED_BEFOREHAND,
        extra_turns=1,
    )
    nudging_threads: list[int] = []
    settings = settings_for(testbed.url, REDIS_URL=testbed.redis_url, BASE_URL="http://localhost")
    app = create_app(
        settings,
        database=testbed.players.database,
        send_task=lambda _: nudging_threads.append(threading.get_ident()),
    )
    compress_responses(app)
    [seat] = [turn.game_update.turns[0].seat or 0]
    visitor = Visitor(app, app.test_client()).with_session(table.guests[seat].cookie)
    visitor.token()
    page_bytes: list[int] = []

    def get_page() -> TestResponse:
        response = visitor.get(urls.game(table.slug), headers={"Accept-Encoding": "gzip"})
        assert response.headers["Content-Encoding"] == "gzip"
        page_bytes.append(len(response.data))
        return response

    requests = {
        "a game page": get_page,
        "a turn": lambda: visitor.post(urls.turns(table.slug), **turn.form),
    }
    for name, send in requests.items():
        statements, redis_calls = statement_and_redis_call_counts(testbed, send)
        rows.write_figure(
            f"14. SQL statements in {name}", statements, "between BEGIN and COMMIT, if any"
        )
        rows.write_figure(
            f"14. Redis calls inside {name}",
            redis_calls + nudging_threads.count(threading.get_ident()),
            "",
        )
    rows.write_figure(
        "14. bytes of the table page, compressed",
        page_bytes[-1],
        f"gzip, three players, after {TURNS_PLAYED_BEFOREHAND} turns",
    )


def statement_and_redis_call_counts(
    testbed: Testbed, send: Callable[[], TestResponse]
) -> tuple[int, int]:
    """Return how many SQL statements and Redis commands a request took."""
    with redis.Redis.from_url(testbed.redis_url) as redis_client:
        commands_before = commands_processed(redis_client)
        with recorded_statements(testbed.players.database) as statements_sent:
            assert send().status_code in {200, 303}
        # Reading the counter is one command itself.
        return len(without_begin_and_commit(statements_sent)), commands_processed(
            redis_client
        ) - commands_before - 1


def commands_processed(redis_client: redis.Redis) -> int:
    return int(redis_client.info("stats")["total_commands_processed"])  # type: ignore[index]


if __name__ == "__main__":
    main()
