"""Monitoring sees the figures of the server; other clients see nothing, and no figure identifies a player."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from flask import Flask
from flask.testing import FlaskClient
from prometheus_client.parser import text_string_to_metric_families
from werkzeug.test import TestResponse

from tests.support.cast import ALICE, BOB, CAROL
from tests.support.compiled_templates import create_app
from tests.support.factories import play_to_end, play_turn
from tests.support.fakes import FakeClock
from tests.support.outbox_steps import mark_all_sent
from tests.support.transactions import transaction
from tests.support.visitors import Site, settings_for
from webapp.kernel import urls
from webapp.kernel.tx import Database
from webapp.mail.outbox import delivery
from webapp.operations import processes, site_figures
from webapp.operations.audit import run_batch
from webapp.operations.site_figures import WorkReport
from webapp.web.context import current_context, install_context

TOKEN = "t" * 32
BEARER_HEADERS = {"Authorization": f"Bearer {TOKEN}"}
LOCAL_HOST_HEADER = {"Host": "127.0.0.1:8000"}


def metrics_of(client: FlaskClient, **options: Any) -> dict[str, float]:
    """Return the value of every sample by its name and labels."""
    answer = client.get(urls.metrics(), **({"headers": LOCAL_HOST_HEADER} | options))
    assert answer.status_code == 200
    assert answer.content_type.startswith("text/plain; version=0.0.4")
    return {
        sample.name
        + "".join(f" {value}" for _, value in sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


@pytest.fixture
def client_with_token(database: Database, database_url: str, clock: FakeClock) -> FlaskClient:
    settings = settings_for(database_url, metrics_token=TOKEN)
    return create_app(settings, database=database, now=clock).test_client()


def test_metrics_show_the_state_of_the_server(site: Site, clock: FakeClock) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL)
    play_turn(site.database, game.slug, game.guests[0])
    clock.move(timedelta(minutes=7))
    count_games(site)
    metrics = metrics_of(site.app.test_client())
    assert metrics["lodepost_database_up"] == 1
    assert metrics["lodepost_turns_total"] == 2
    assert metrics["lodepost_oldest_unsent_email_seconds"] == 420
    assert metrics["lodepost_most_overdue_deadline_seconds"] == 0
    assert metrics["lodepost_games running"] == 1
    assert metrics["lodepost_games finished"] == 0
    assert metrics["lodepost_pending_emails"] > 3
    assert metrics["lodepost_delivery_attempts_total accepted"] == 0


def test_metrics_show_overdue_deadlines_and_accepted_emails(site: Site, clock: FakeClock) -> None:
    site.dealt_game(ALICE, BOB, CAROL)
    clock.move(timedelta(days=1, hours=1))
    with transaction(site.database) as tx:
        claims = delivery.claim(tx.at(clock()))
        mark_all_sent(tx.at(clock()), claims)
    metrics = metrics_of(site.app.test_client())
    assert metrics["lodepost_most_overdue_deadline_seconds"] == 3600
    assert metrics["lodepost_delivery_attempts_total accepted"] == len(claims)
    assert metrics["lodepost_oldest_unsent_email_seconds"] == 0


def count_games(site: Site) -> None:
    with transaction(site.database) as tx:
        site_figures.count_games(tx)


def test_games_are_shown_as_a_worker_counted_them(site: Site) -> None:
    client = site.app.test_client()
    assert "lodepost_turns_total" not in metrics_of(client)
    game = site.dealt_game(ALICE, BOB, CAROL)
    count_games(site)
    play_turn(site.database, game.slug, game.guests[0])
    assert metrics_of(client)["lodepost_turns_total"] == 1
    count_games(site)
    assert metrics_of(client)["lodepost_turns_total"] == 2
    assert metrics_of(client)["lodepost_games running"] == 1


def test_every_request_is_timed(site: Site) -> None:
    client = site.app.test_client()
    client.get(urls.home())
    client.get("/nowhere/at/all")
    client.get("/also/nowhere")
    client.open(urls.home(), method="BREW")
    metrics = metrics_of(client)
    assert metrics["lodepost_request_seconds_count home.show_home GET 200"] == 1
    assert metrics["lodepost_request_seconds_count none GET 404"] == 2
    assert metrics["lodepost_request_seconds_count none other 405"] == 1
    assert 0 < metrics["lodepost_request_seconds_sum home.show_home GET 200"] < 60


def test_metrics_identify_no_game_or_player(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL)
    for visitor in game.visitors:
        visitor.get(urls.game(game.slug))
        visitor.get(urls.invitation("tok-secret"))
    play_to_end(site.database, game.slug, game.guests)
    text = site.app.test_client().get(urls.metrics(), headers=LOCAL_HOST_HEADER).text
    for word in (game.slug, "tok-secret", ALICE.name, ALICE.address, "digger", "saboteur"):
        assert word not in text


@pytest.mark.parametrize(
    "options",
    [
        {"headers": {"Host": "lodepost.test"}},
        {"headers": LOCAL_HOST_HEADER, "environ_overrides": {"REMOTE_ADDR": "203.0.113.9"}},
        {"headers": {**LOCAL_HOST_HEADER, "X-Forwarded-For": "127.0.0.1"}},
        {"headers": {**LOCAL_HOST_HEADER, **BEARER_HEADERS}},
        {"headers": {**LOCAL_HOST_HEADER, "Authorization": "Bearer "}},
    ],
)
def test_metrics_without_a_token_need_a_local_request(site: Site, options: dict[str, Any]) -> None:
    assert site.app.test_client().get(urls.metrics(), **options).status_code == 404


def test_metrics_with_the_token_need_no_local_request(client_with_token: FlaskClient) -> None:
    remote_environ = {"REMOTE_ADDR": "203.0.113.9"}
    options = {
        "headers": {"Host": "web-2:8000", **BEARER_HEADERS},
        "environ_overrides": remote_environ,
    }
    assert metrics_of(client_with_token, **options)["lodepost_database_up"] == 1
    assert metrics_of(client_with_token)["lodepost_database_up"] == 1


@pytest.mark.parametrize(
    "authorization", ["Bearer", "Bearer x", f"Basic {TOKEN}", TOKEN, "Bearer \xff"]
)
def test_wrong_token_is_rejected_even_for_a_local_request(
    authorization: str, client_with_token: FlaskClient
) -> None:
    answer = client_with_token.get(
        urls.metrics(), headers={**LOCAL_HOST_HEADER, "Authorization": authorization}
    )
    assert answer.status_code == 404


@pytest.mark.parametrize("host", ["lodepost.test", "web-1:8000", "10.0.0.7"])
def test_server_with_its_database_is_ready_under_any_host(site: Site, host: str) -> None:
    answer = site.app.test_client().get(urls.readiness_probe(), headers={"Host": host})
    assert answer.status_code == 200
    assert answer.json == {"ready": True, "database": "up"}


def test_server_without_a_schema_is_not_ready(empty_database_url: str) -> None:
    empty_database = Database(empty_database_url, pool_size=1)
    app = create_app(settings_for(empty_database_url), database=empty_database)
    answer = app.test_client().get(urls.readiness_probe())
    empty_database.dispose()
    assert answer.status_code == 503
    assert answer.json == {"ready": False, "database": "older than this release"}


@pytest.mark.own_database
def test_server_with_a_newer_schema_is_ready(database_url: str, site: Site) -> None:
    with psycopg.connect(database_url.replace("+psycopg", "")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    assert site.app.test_client().get(urls.readiness_probe()).status_code == 200


@pytest.fixture
def app_without_database() -> Flask:
    return create_app(settings_for("postgresql+psycopg://lode@127.0.0.1:9/none"))


def test_server_without_a_database_is_not_ready(app_without_database: Flask) -> None:
    answer = app_without_database.test_client().get(urls.readiness_probe())
    assert answer.status_code == 503
    assert answer.json == {"ready": False, "database": "down"}


def test_request_times_are_available_without_a_database(app_without_database: Flask) -> None:
    client = app_without_database.test_client()
    client.get(urls.home())
    metrics = metrics_of(client)
    assert metrics["lodepost_database_up"] == 0
    assert metrics["lodepost_request_seconds_count home.show_home GET 503"] == 1
    assert "lodepost_turns_total" not in metrics


def test_metrics_show_the_audit(site: Site, clock: FakeClock) -> None:
    site.dealt_game(ALICE, BOB, CAROL)
    metrics = metrics_of(site.app.test_client())
    assert (
        metrics["lodepost_inconsistent_games"],
        metrics["lodepost_repaired_snapshots_total"],
    ) == (0, 0)
    assert "lodepost_audit_age_seconds" not in metrics
    with transaction(site.database) as tx:
        tx.connection.exec_driver_sql("UPDATE game SET state = 'x', round = 3")
        run_batch(tx.at(clock()), limit=5)
    clock.move(timedelta(seconds=60))
    metrics = metrics_of(site.app.test_client())
    assert (
        metrics["lodepost_inconsistent_games"],
        metrics["lodepost_repaired_snapshots_total"],
    ) == (1, 1)
    assert metrics["lodepost_audit_age_seconds"] == 60


def test_health_shows_when_a_worker_was_last_seen(site: Site) -> None:
    visitor = site.signed_out()
    earlier_health = visitor.get(urls.health()).get_json()
    assert (earlier_health["workers_running"], earlier_health["worker_last_seen_seconds"]) == (
        0,
        None,
    )
    with transaction(site.database, site.clock.now) as tx:
        processes.record_heartbeat(tx, "host:1", work=WorkReport(has_looked_for_bots=True))
        processes.record_sweep(tx, swept_at=site.clock.now)
    site.clock.move(timedelta(seconds=40))
    later_health = visitor.get(urls.health()).get_json()
    assert (later_health["workers_running"], later_health["worker_last_seen_seconds"]) == (1, 40)
    assert (
        later_health["schedule_last_seen_seconds"] == later_health["bots_last_seen_seconds"] == 40
    )


@pytest.mark.parametrize("step", [-30, 30])
def test_server_tolerates_half_a_minute_between_its_clock_and_the_database(
    step: int, site: Site
) -> None:
    assert readiness_with_clock_ahead(site, step).status_code == 200


@pytest.mark.parametrize("step", [-31, 31])
def test_server_whose_clock_differs_from_the_database_is_not_ready(step: int, site: Site) -> None:
    answer = readiness_with_clock_ahead(site, step)
    assert answer.status_code == 503
    assert answer.json == {"ready": False, "database": "up", "clock_ahead_seconds": step}


def readiness_with_clock_ahead(site: Site, step: int) -> TestResponse:
    with site.app.app_context():
        database_time = site.clock.now - timedelta(seconds=step)
        context = replace(current_context(), database_time=lambda _: database_time)
        install_context(site.app, context)
    return site.app.test_client().get(urls.readiness_probe())


def test_health_counts_workers_with_a_wrong_clock(site: Site) -> None:
    with transaction(site.database, site.clock.now) as tx:
        for instance in ("host:1", "host:2"):
            processes.record_heartbeat(tx, instance)
        processes.record_wrong_clock(tx, "host:2", clock_ahead=timedelta(days=-3))
    visitor = site.signed_out()
    assert visitor.get(urls.health()).get_json()["workers_with_wrong_clock"] == 1
    with transaction(site.database, site.clock.now + timedelta(seconds=30)) as tx:
        processes.record_heartbeat(tx, "host:2")
    assert visitor.get(urls.health()).get_json()["workers_with_wrong_clock"] == 0
