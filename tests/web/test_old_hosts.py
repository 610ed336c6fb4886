"""After BASE_URL has changed, links with the old host still work, and so does one-click unsubscribing."""

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.support.cast import ALICE
from tests.support.compiled_templates import create_app
from tests.support.fakes import FakeClock
from tests.support.visitors import Site, settings_for
from webapp.kernel import urls
from webapp.kernel.tx import Database

OLD_HOSTS = ("old.example", "2001:db8::7")


@pytest.fixture
def client(database: Database) -> FlaskClient:
    settings = settings_for(
        "postgresql://unused", base_url="https://play.example", old_hosts=OLD_HOSTS
    )
    return create_app(settings, database=database, now=FakeClock()).test_client()


def at_old_host(
    client: FlaskClient, path: str, method: str = "GET", **options: object
) -> TestResponse:
    return client.open(path, method=method, headers={"Host": "old.example"}, **options)


@pytest.mark.parametrize("host", ["old.example", "OLD.example:8443", "[2001:db8:0::7]:8000"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_links_lead_to_the_same_page_at_the_new_address(
    host: str, method: str, client: FlaskClient
) -> None:
    answer = client.open("/games/abc?seq=7&x=%26", method=method, headers={"Host": host})
    assert answer.status_code == 301
    assert answer.location == "https://play.example/games/abc?seq=7&x=%26"
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    "path, location",
    [
        ("/%0d%0aSet-Cookie:a=b", "https://play.example/%0D%0ASet-Cookie:a=b"),
        ("/?next=https://evil.example", "https://play.example/?next=https://evil.example"),
        ("/sp%C4%93le", "https://play.example/sp%C4%93le"),
        ("/@evil.example", "https://play.example/@evil.example"),
    ],
)
def test_no_path_leads_elsewhere(path: str, location: str, client: FlaskClient) -> None:
    assert at_old_host(client, path).location == location


def test_path_that_looks_like_a_host_leads_nowhere_else(client: FlaskClient) -> None:
    environ = {"PATH_INFO": "//evil.example/x", "HTTP_HOST": "old.example"}
    answer = client.get("/", environ_overrides=environ)
    assert answer.location.startswith("https://play.example/")


def test_other_forms_change_nothing_and_name_the_new_address(client: FlaskClient) -> None:
    answer = at_old_host(client, urls.sign_in(), "POST", data={"address": ALICE.address})
    assert answer.status_code == 410
    assert "https://play.example" in answer.text
    assert answer.location is None


def test_page_that_explains_has_its_style(client: FlaskClient) -> None:
    assert at_old_host(client, "/static/lodepost.css").status_code == 200


def test_unknown_host_is_still_refused(client: FlaskClient) -> None:
    for method in ("GET", "POST"):
        answer = client.open("/", method=method, headers={"Host": "evil.example"})
        assert answer.status_code == 400


def test_one_click_unsubscribing_works_at_the_old_host(site: Site) -> None:
    game = site.dealt_game(ALICE)
    contexts = site.deliver_emails()
    token = contexts[0].envelope.unsubscribe.game
    assert token is not None
    settings = settings_for(
        "postgresql://unused", base_url="https://play.example", old_hosts=OLD_HOSTS
    )
    client = create_app(settings, database=site.database, now=site.clock).test_client()
    answer = at_old_host(
        client, urls.unsubscribe(token), "POST", data={"List-Unsubscribe": "One-Click"}
    )
    assert answer.status_code == 200
    assert answer.location is None
    assert "email" in game.visitors[0].get(urls.game(game.slug)).text
    assert at_old_host(client, urls.unsubscribe(token)).status_code == 301


def test_sign_in_page_says_what_becomes_of_passkeys(client: FlaskClient, site: Site) -> None:
    sentence = "Passkeys from the old one"
    answer = client.get(urls.sign_in(), headers={"Host": "play.example"})
    assert sentence in answer.text
    assert sentence not in site.signed_out().get(urls.sign_in()).text
