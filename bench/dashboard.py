"""Measure the pages of moderators on a site with 10,000 games and 100,000 accounts.

The anchor is a bare Flask page for each of them: one hand-written query over psycopg, and its rows as a plain HTML table,
without rights, causes, forms or health.
"""

import logging
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import psycopg
from flask import Flask, render_template_string
from flask.testing import FlaskClient

from bench.shared.interleaving import figure_and_anchor_pairs, interleaved_rounds
from bench.shared.local_services import autocommit_connection, running_database, settings_for
from bench.shared.result_rows import RowWriter, run_reports
from tests.support import large_site
from tests.support.cast import MO
from tests.support.factories import sign_in_guest
from tests.support.moderation import make_moderator
from tests.support.visitors import Visitor
from webapp.app import create_app
from webapp.kernel import urls
from webapp.kernel.system_time import utc_now
from webapp.kernel.tx import Database

GAME_COUNT = 10_000
ACCOUNT_COUNT = 100_000
PAGE_COUNT = 40
REPETITION_COUNT = 5
DASHBOARD_TARGETS = {
    "dashboard: list of games, ms": "<= 12",
    "dashboard: only stuck games, ms": "<= 16",
    "dashboard: search by name, ms": "<= 10",
    "dashboard: search by address, ms": "<= 10",
    "dashboard: search by game, ms": "<= 10",
    "dashboard: page of a person, ms": "<= 8",
    "dashboard: page of a game, ms": "<= 10",
}
_GAMES_BY_SEAT = """
SELECT game.*, seat.*, account.name FROM account JOIN seat ON seat.account_id = account.id
JOIN game ON game.id = seat.game_id WHERE {} ORDER BY coalesce(game.deadline_at, game.wake_at) LIMIT 51
"""
BARE_QUERIES = {
    "list": """
    SELECT game.*, seat.*, account.name, notification.status FROM
        (SELECT * FROM game WHERE status = 'running' AND NOT awaiting_bot ORDER BY coalesce(deadline_at, wake_at) LIMIT 51) AS game
    JOIN seat ON seat.game_id = game.id AND seat.number = game.awaiting
    JOIN account ON account.id = seat.account_id
    LEFT JOIN notification ON notification.game_id = game.id AND notification.seq = game.turn_seq
        AND notification.kind = 'your-turn' AND notification.account_id = account.id
    ORDER BY coalesce(game.deadline_at, game.wake_at)
    """,
    "stuck": """
    SELECT game.* FROM game WHERE status = 'paused' ORDER BY paused_at LIMIT 51
    """,
    "name": _GAMES_BY_SEAT.format(
        "lower(account.name) ~>=~ 'person 777' AND lower(account.name) ~<~ 'person 778'"
    ),
    "address": _GAMES_BY_SEAT.format("lower(account.address) = 'person-777@example.test'"),
    "game": "SELECT * FROM game WHERE slug = 'seeded000100'",
    "person": _GAMES_BY_SEAT.format("lower(account.address) = 'person-777@example.test'"),
    "moves": """
    SELECT turn.*, notification.status FROM game JOIN turn ON turn.game_id = game.id
    LEFT JOIN notification ON notification.game_id = game.id AND notification.seq = turn.seq
    WHERE game.slug = 'seeded000100'
    """,
}
ANCHOR_NOTE = "bare Flask page: one query, its rows as a table"
_BARE_TEMPLATE = """<table>{% for row in rows %}<tr>{% for value in row %}<td>{{ value }}</td>{% endfor %}</tr>
{% endfor %}</table>"""


class LargeSite(NamedTuple):
    """The browser of a moderator, the paths of the pages by their names, and a browser of the bare pages."""

    client: FlaskClient
    paths: dict[str, str]
    bare_client: FlaskClient


def main() -> None:
    """Measure and print all rows."""
    logging.disable(logging.WARNING)
    run_reports(large_running_site(), ((DASHBOARD_TARGETS, report_pages),))


@contextmanager
def large_running_site() -> Iterator[LargeSite]:
    """Yield a site full of games, and a moderator who is signed in."""
    with running_database() as url, autocommit_connection(url) as bare_connection:
        large_site.fill_large_site(
            bare_connection, games=GAME_COUNT, accounts=ACCOUNT_COUNT, now=utc_now()
        )
        database = Database(url)
        guest = sign_in_guest(database, MO, now=utc_now())
        make_moderator(database, MO)
        app = create_app(settings_for(url), database=database)
        moderator = Visitor(app, app.test_client()).with_session(guest.cookie)
        bare_client = bare_application(bare_connection).test_client()
        yield LargeSite(moderator.client, paths_of_pages(bare_connection), bare_client)
        database.dispose()


def bare_application(bare_connection: psycopg.Connection) -> Flask:
    """Return an application whose pages are the rows of the bare queries."""
    app = Flask("bare")

    def show_rows(name: str) -> str:
        rows = bare_connection.execute(BARE_QUERIES[name].encode()).fetchall()
        return render_template_string(_BARE_TEMPLATE, rows=rows)

    app.add_url_rule("/<name>", view_func=show_rows)
    return app


def paths_of_pages(bare_connection: psycopg.Connection) -> dict[str, str]:
    """Return the path of each page by the name of its bare query, in the order of the rows."""
    [ref] = bare_connection.execute(
        "SELECT ref FROM account WHERE address = 'person-777@example.test'"
    ).fetchone() or ("",)
    return {
        "list": urls.moderation(),
        "stuck": urls.moderation(state="stuck"),
        "name": urls.moderation(search="person 777"),
        "address": urls.moderation(search="person-777@example.test"),
        "game": urls.moderation(search="seeded000100"),
        "person": urls.moderated_person(ref),
        "moves": urls.moderated_game("seeded000100"),
    }


def report_pages(site: LargeSite, rows: RowWriter) -> None:
    """Measure every page beside its bare query."""
    for metric, (name, path) in zip(DASHBOARD_TARGETS, site.paths.items(), strict=True):
        rounds = interleaved_rounds(
            lambda path=path: page_milliseconds(site.client, path),  # type: ignore[misc]
            lambda name=name: page_milliseconds(site.bare_client, f"/{name}"),  # type: ignore[misc]
            REPETITION_COUNT,
        )
        rows.write_ratio(metric, figure_and_anchor_pairs(rounds, float, float), ANCHOR_NOTE)


def page_milliseconds(client: FlaskClient, path: str) -> float:
    """Return the median time of a page, from the request to the last byte, without a network."""

    def open_page() -> None:
        response = client.get(path)
        assert response.status_code == 200, (path, response.status_code)

    return median_milliseconds(open_page)


def median_milliseconds(run_work: Callable[[], object]) -> float:
    run_work()
    return statistics.median(1000 * seconds_of(run_work) for _ in range(PAGE_COUNT))


def seconds_of(run_work: Callable[[], object]) -> float:
    started_at = time.perf_counter()
    run_work()
    return time.perf_counter() - started_at


if __name__ == "__main__":
    main()
