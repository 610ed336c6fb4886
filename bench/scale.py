"""Measure what reads whole sites beside a site with a million games and a hundred million settled emails.

The anchor is the same on a site of 2,000 games, whose pages are as full. SCALE in the environment, such as
0.01, makes the large site smaller: at 1 it takes 50 gigabytes of disk and half an hour.
"""

import logging
import os
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Final, NamedTuple

import psycopg
from flask import Flask

from bench.shared.games import deal_games, sign_in_players
from bench.shared.interleaving import figure_and_anchor_pairs, interleaved_rounds
from bench.shared.local_services import autocommit_connection, running_server, settings_for
from bench.shared.result_rows import RowWriter, log_progress, run_reports
from tasks.context import WorkerContext, worker_context_for
from tasks.deadlines import sweep_deadlines
from tests.support.cast import MO
from tests.support.factories import sign_in_guest
from tests.support.large_site import fill_large_site
from tests.support.moderation import make_moderator
from tests.support.visitors import Visitor
from webapp.app import create_app
from webapp.kernel import urls
from webapp.kernel.system_time import utc_now
from webapp.kernel.tx import Database
from webapp.operations.queries.migrate import upgrade_schema

SCALE: Final = float(os.environ.get("SCALE", "1"))
GAME_COUNT: Final = int(999_999 * SCALE)
"""Their addresses have six digits."""
EMAIL_COUNT: Final = int(100_000_000 * SCALE)
ACCOUNT_COUNT: Final = int(200_000 * SCALE)
EMAILS_PER_STATEMENT: Final = 1_000_000
SMALL_GAME_COUNT: Final = 2_000
GAMES_AT_HOME: Final = 25
CALLS_PER_ROUND: Final = 20
ROUND_COUNT: Final = 5
LONGEST_MEASUREMENT: Final = timedelta(hours=6)
SCALE_TARGETS: Final = {
    f"11. /metrics beside {GAME_COUNT:,} games and {EMAIL_COUNT:,} emails, ms": "<= 1.5",
    "11. home page of 25 games, ms": "<= 1.5",
    "11. dashboard, ms": "<= 1.5",
    "11. sweep with nothing due, ms": "<= 1.5",
}
_ANCHOR_NOTE: Final = "the same on a site of 2,000 games"
_SETTLED_EMAILS: Final = """
INSERT INTO notification (kind, game_id, seq, account_id, dedup_key, status, first_due_at, due_at, attempts, message_id, settled_at)
SELECT 'your-turn', first_game.id + n %% %(games)s, 10 + n / %(games)s, first_account.id + n %% %(accounts)s, n, 'sent', at, at, 1,
    n || '.lodepost', at
FROM generate_series(%(first)s, %(last)s) AS n,
    LATERAL (SELECT %(now)s - n * interval '1 day' / %(per_day)s AS at) AS instant,
    (SELECT min(id) AS id FROM game WHERE slug LIKE 'seeded%%') AS first_game,
    (SELECT min(id) AS id FROM account WHERE name LIKE 'Person %%') AS first_account
"""
_EMAILS_PER_DAY: Final = 300_000


class MeasuredSite(NamedTuple):
    """The calls that are measured on a site, in the order of the rows."""

    calls: list[Callable[[], object]]


def main() -> None:
    """Measure and print all rows."""
    logging.disable(logging.WARNING)
    run_reports(both_sites(), ((SCALE_TARGETS, report_scale),))


@contextmanager
def both_sites() -> Iterator[tuple[MeasuredSite, MeasuredSite]]:
    """Yield a large site and a small one on the same server."""
    with running_server() as postgres:
        urls_of_databases = []
        for name in ("large", "small"):
            postgres.ensure_database(name)
            url = postgres.url_of(name)
            upgrade_schema(url)
            urls_of_databases.append(url)
        large_url, small_url = urls_of_databases
        with autocommit_connection(large_url) as connection:
            fill_site(connection)
        with autocommit_connection(small_url) as connection:
            fill_games(connection, games=SMALL_GAME_COUNT, accounts=SMALL_GAME_COUNT)
        with measured_site(large_url) as large_site, measured_site(small_url) as small_site:
            yield large_site, small_site


def fill_site(connection: psycopg.Connection) -> None:
    """Store the games, and the emails of years without their indexes, which are built at the end."""
    log_progress(f"{GAME_COUNT:,} games")
    fill_games(connection, games=GAME_COUNT, accounts=ACCOUNT_COUNT)
    indexes = connection.execute(
        "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'notification' AND indexname NOT IN"
        " (SELECT conname FROM pg_constraint)"
    ).fetchall()
    for name, _ in indexes:
        connection.execute(f"DROP INDEX {name}".encode())
    connection.execute("SET synchronous_commit = off")
    for first in range(1, EMAIL_COUNT + 1, EMAILS_PER_STATEMENT):
        log_progress(f"{first - 1:,} of {EMAIL_COUNT:,} emails")
        parameters = {
            "games": GAME_COUNT,
            "accounts": ACCOUNT_COUNT,
            "first": first,
            "last": min(first + EMAILS_PER_STATEMENT - 1, EMAIL_COUNT),
            "now": utc_now(),
            "per_day": _EMAILS_PER_DAY,
        }
        connection.execute(_SETTLED_EMAILS.encode(), parameters)
    for _, definition in indexes:
        connection.execute(definition.encode())
    connection.execute("VACUUM ANALYZE")


def fill_games(connection: psycopg.Connection, *, games: int, accounts: int) -> None:
    """Store games of which none is due before the measurements end."""
    fill_large_site(connection, games=games, accounts=accounts, now=utc_now() + LONGEST_MEASUREMENT)


@contextmanager
def measured_site(url: str) -> Iterator[MeasuredSite]:
    """Yield a site with a moderator and a player of 25 games."""
    settings = settings_for(url)
    players = sign_in_players(url, settings)
    deal_games(players, GAMES_AT_HOME)
    moderator = sign_in_guest(players.database, MO, now=utc_now())
    make_moderator(players.database, MO)
    database = Database(url)
    app = create_app(settings, database=database)
    context = worker_context_for(settings, is_stopping=lambda: False, nudge=lambda _: None)
    yield MeasuredSite(
        [
            page_of(app, moderator.cookie, urls.metrics()),
            page_of(app, players.guests[0].cookie, urls.home()),
            page_of(app, moderator.cookie, urls.moderation()),
            lambda: sweep_nothing(context),
        ]
    )
    for opened_database in (players.database, database, context.database):
        opened_database.dispose()


def page_of(app: Flask, cookie: str, path: str) -> Callable[[], object]:
    """Return a function that requests this page and fails if it is another."""
    client = Visitor(app, app.test_client()).with_session(cookie).client

    def request_page() -> None:
        with client.get(path) as response:
            assert response.status_code == 200, (path, response.status)
            assert response.data

    return request_page


def sweep_nothing(context: WorkerContext) -> None:
    """Sweep at an instant before all deadlines."""
    now = utc_now()
    sweep_deadlines(replace(context, now=lambda: now))


def report_scale(sites: tuple[MeasuredSite, MeasuredSite], rows: RowWriter) -> None:
    """Measure every call on the large site beside the small one."""
    large_site, small_site = sites
    for metric, large_call, small_call in zip(
        SCALE_TARGETS, large_site.calls, small_site.calls, strict=True
    ):
        rounds = interleaved_rounds(
            lambda call=large_call: median_milliseconds(call),  # type: ignore[misc]
            lambda call=small_call: median_milliseconds(call),  # type: ignore[misc]
            ROUND_COUNT,
        )
        rows.write_ratio(metric, figure_and_anchor_pairs(rounds, float, float), _ANCHOR_NOTE)


def median_milliseconds(call: Callable[[], object]) -> float:
    seconds = []
    for _ in range(CALLS_PER_ROUND):
        started_at = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - started_at)
    return 1000 * statistics.median(seconds)


if __name__ == "__main__":
    main()
