"""The mailbox and the metrics, which exist for requests from this machine only."""

from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.support.compiled_templates import create_app
from tests.support.fakes import FakeClock
from tests.support.html import Page
from tests.support.visitors import settings_for
from webapp.kernel import urls
from webapp.kernel.tx import Database

LOCAL_BASE_URL = "http://127.0.0.1:8000"
LOCAL_REQUESTS = [
    ("GET", {}),
    ("HEAD", {}),
    ("OPTIONS", {}),
    ("POST", {"data": {"key": "x"}}),
    ("POST", {"json": {"key": "x"}}),
    ("PUT", {"data": "x"}),
    ("DELETE", {}),
    ("BREW", {}),
]
LOCAL_PATHS = [
    *(urls.mailbox(), "//mailbox", "/mailbox/", "/mailbox//html", "/mailbox/x", "/mailbox/x/html"),
    *("/mailbox/x/y/z", urls.metrics(), "//metrics", "/metrics/", urls.style(), "/style/"),
]


@pytest.fixture
def app(database: Database, database_url: str, clock: FakeClock, tmp_path: Path) -> Flask:
    settings = settings_for(database_url, data_dir=tmp_path, base_url=LOCAL_BASE_URL)
    return create_app(settings, database=database, now=clock)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


def send_proxied(
    client: FlaskClient, path: str, method: str, options: dict[str, Any]
) -> TestResponse:
    proxy_headers = {"X-Forwarded-For": "192.0.2.7"}
    # The test client would take a path that begins with two slashes for a URL.
    unparsed_path = {"PATH_INFO": path}
    return client.open(
        method=method,
        base_url=LOCAL_BASE_URL,
        headers=proxy_headers,
        environ_overrides=unparsed_path,
        **options,
    )


@pytest.mark.parametrize("path", LOCAL_PATHS)
@pytest.mark.parametrize("method, options", LOCAL_REQUESTS)
def test_remote_request_by_any_method_is_not_found(
    client: FlaskClient, path: str, method: str, options: dict[str, Any]
) -> None:
    answer = send_proxied(client, path, method, options)
    assert answer.status_code == 404
    assert "Allow" not in answer.headers
    if method != "HEAD":
        missing_page = send_proxied(client, "/nowhere", "GET", {})
        assert Page(answer.text).text == Page(missing_page.text).text


def test_invalid_local_request_gets_its_specific_error(client: FlaskClient) -> None:
    for path in (urls.mailbox(), urls.metrics(), urls.style()):
        assert client.put(path, base_url=LOCAL_BASE_URL).status_code == 405
    assert client.post(urls.mailbox(), json={}, base_url=LOCAL_BASE_URL).status_code == 415


def test_components_are_shown_where_the_mailbox_is(client: FlaskClient) -> None:
    page = Page(client.get(urls.style(), base_url=LOCAL_BASE_URL).text)
    assert "Components" in page.text
    assert "Please fill this in." in page.text


def test_server_for_people_has_no_page_of_components(
    database: Database, database_url: str, clock: FakeClock
) -> None:
    public_app = create_app(settings_for(database_url), database=database, now=clock)
    assert urls.style.rule not in {rule.rule for rule in public_app.url_map.iter_rules()}
