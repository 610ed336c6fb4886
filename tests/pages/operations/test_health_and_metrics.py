"""What those who watch the server are told, and that others are told nothing."""

from datetime import timedelta
from typing import Any

import psycopg
import pytest
from flask import Flask
from flask.testing import FlaskClient
from prometheus_client.parser import text_string_to_metric_families

from tests.support.cast import ALICE, BOB, CAROL
from tests.support.compiled_templates import create_app
from tests.support.factories import play, play_to_the_end
from tests.support.visitors import FakeClock, Site, settings_for
from webapp import urls
from webapp.services.notifications import delivery
from webapp.services.operations.audit import walk
from webapp.services.tx import Database, database_for, transaction

TOKEN = "t" * 32
BEARER = {"Authorization": f"Bearer {TOKEN}"}
NEARBY = {"Host": "127.0.0.1:8000"}


def figures(client: FlaskClient, **wishes: Any) -> dict[str, float]:
    """Every sample by its name and labels."""
    answer = client.get(urls.metrics(), **({"headers": NEARBY} | wishes))
    assert answer.status_code == 200
    assert answer.content_type.startswith("text/plain; version=0.0.4")
    return {
        sample.name
        + "".join(f" {value}" for _, value in sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


@pytest.fixture
def guarded(database: Database, database_url: str, clock: FakeClock) -> FlaskClient:
    settings = settings_for(database_url, metrics_token=TOKEN)
    return create_app(settings, database=database, now=clock).test_client()


def test_figures_tell_how_the_server_does(site: Site, clock: FakeClock) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL)
    play(site.database, game.slug, game.guests[0])
    clock.move(timedelta(minutes=7))
    told = figures(site.app.test_client())
    assert told["lodepost_database_up"] == 1
    assert told["lodepost_turns_total"] == 2
    assert told["lodepost_oldest_owed_letter_seconds"] == 420
    assert told["lodepost_most_overdue_deadline_seconds"] == 0
    assert told["lodepost_games running"] == 1
    assert told["lodepost_games finished"] == 0
    assert told["lodepost_letters owed"] > 3
    assert told["lodepost_letters dead"] == 0


def test_an_overdue_deadline_and_what_became_of_letters_are_told(
    site: Site, clock: FakeClock
) -> None:
    site.dealt_game(ALICE, BOB, CAROL)
    clock.move(timedelta(days=1, hours=1))
    with transaction(site.database) as tx:
        claims = delivery.claim(tx, now=clock())
        delivery.give_up(tx, claims[0], code="550 no", now=clock())
        delivery.accepted(tx, claims[1:], now=clock())
    told = figures(site.app.test_client())
    assert told["lodepost_most_overdue_deadline_seconds"] == 3600
    assert told["lodepost_letters dead"] == 1
    assert told["lodepost_letters sent"] == len(claims) - 1
    assert told["lodepost_oldest_owed_letter_seconds"] == 0


def test_letters_are_not_counted_anew_for_every_question(site: Site, clock: FakeClock) -> None:
    client = site.app.test_client()
    assert figures(client)["lodepost_games running"] == 0
    site.dealt_game(ALICE, BOB, CAROL)
    assert figures(client)["lodepost_games running"] == 0
    clock.move(timedelta(seconds=30))
    assert figures(client)["lodepost_games running"] == 1


def test_the_time_of_every_request_is_taken(site: Site) -> None:
    client = site.app.test_client()
    client.get(urls.home())
    client.get("/nowhere/at/all")
    client.get("/also/nowhere")
    client.open(urls.home(), method="BREW")
    told = figures(client)
    assert told["lodepost_request_seconds_count home.show_home GET 200"] == 1
    assert told["lodepost_request_seconds_count none GET 404"] == 2
    assert told["lodepost_request_seconds_count none other 405"] == 1
    assert 0 < told["lodepost_request_seconds_sum home.show_home GET 200"] < 60


def test_figures_tell_nothing_of_anybody(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL)
    for visitor in game.visitors:
        visitor.get(urls.game(game.slug))
        visitor.get(urls.invitation("tok-secret"))
    play_to_the_end(site.database, game.slug, game.guests)
    text = site.app.test_client().get(urls.metrics(), headers=NEARBY).text
    for word in (game.slug, "tok-secret", ALICE.name, ALICE.address, "digger", "saboteur"):
        assert word not in text


@pytest.mark.parametrize(
    "wishes",
    [
        {"headers": {"Host": "lodepost.test"}},
        {"headers": NEARBY, "environ_overrides": {"REMOTE_ADDR": "203.0.113.9"}},
        {"headers": {**NEARBY, "X-Forwarded-For": "127.0.0.1"}},
        {"headers": {**NEARBY, **BEARER}},
        {"headers": {**NEARBY, "Authorization": "Bearer "}},
    ],
)
def test_without_a_token_only_this_machine_is_told(site: Site, wishes: dict[str, Any]) -> None:
    assert site.app.test_client().get(urls.metrics(), **wishes).status_code == 404


def test_with_the_token_anybody_is_told_by_any_name(guarded: FlaskClient) -> None:
    afar = {"REMOTE_ADDR": "203.0.113.9"}
    wishes = {"headers": {"Host": "web-2:8000", **BEARER}, "environ_overrides": afar}
    assert figures(guarded, **wishes)["lodepost_database_up"] == 1
    assert figures(guarded)["lodepost_database_up"] == 1


@pytest.mark.parametrize("given", ["Bearer", "Bearer x", f"Basic {TOKEN}", TOKEN, "Bearer \xff"])
def test_a_wrong_token_opens_nothing_even_nearby(given: str, guarded: FlaskClient) -> None:
    answer = guarded.get(urls.metrics(), headers={**NEARBY, "Authorization": given})
    assert answer.status_code == 404


@pytest.mark.parametrize("host", ["lodepost.test", "web-1:8000", "10.0.0.7"])
def test_a_server_with_its_database_is_ready_by_any_name(site: Site, host: str) -> None:
    answer = site.app.test_client().get(urls.readiness(), headers={"Host": host})
    assert answer.status_code == 200
    assert answer.json == {"ready": True, "database": "here"}


def test_a_server_before_its_schema_is_not_ready(empty_database_url: str) -> None:
    empty = database_for(empty_database_url, pool_size=1)
    app = create_app(settings_for(empty_database_url), database=empty)
    answer = app.test_client().get(urls.readiness())
    empty.dispose()
    assert answer.status_code == 503
    assert answer.json == {"ready": False, "database": "older than this release"}


def test_the_schema_of_the_next_release_does_not_send_readers_away(
    database_url: str, site: Site
) -> None:
    with psycopg.connect(database_url.replace("+psycopg", "")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    assert site.app.test_client().get(urls.readiness()).status_code == 200


@pytest.fixture
def lost() -> Flask:
    return create_app(settings_for("postgresql+psycopg://nobody@127.0.0.1:9/none"))


def test_without_a_database_it_is_not_ready_and_says_so(lost: Flask) -> None:
    answer = lost.test_client().get(urls.readiness())
    assert answer.status_code == 503
    assert answer.json == {"ready": False, "database": "away"}


def test_without_a_database_the_requests_are_told_all_the_same(lost: Flask) -> None:
    client = lost.test_client()
    client.get(urls.home())
    told = figures(client)
    assert told["lodepost_database_up"] == 0
    assert told["lodepost_request_seconds_count home.show_home GET 503"] == 1
    assert "lodepost_turns_total" not in told


def test_what_the_audit_found_is_told(site: Site, clock: FakeClock) -> None:
    site.dealt_game(ALICE, BOB, CAROL)
    told = figures(site.app.test_client())
    assert (told["lodepost_disagreeing_games"], told["lodepost_mended_snapshots_total"]) == (0, 0)
    assert "lodepost_audit_age_seconds" not in told
    with transaction(site.database) as tx:
        tx.connection.exec_driver_sql("UPDATE game SET state = 'x', round = 3")
        walk(tx, now=clock(), limit=5)
    clock.move(timedelta(seconds=60))
    told = figures(site.app.test_client())
    assert (told["lodepost_disagreeing_games"], told["lodepost_mended_snapshots_total"]) == (1, 1)
    assert told["lodepost_audit_age_seconds"] == 60
