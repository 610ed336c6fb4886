"""The host names to which the server answers."""

import http.client
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from werkzeug.test import TestResponse

from tests.support.compiled_templates import create_app
from tests.support.fakes import FakeClock
from tests.support.required_programs import ipv6_loopback
from tests.support.visitors import settings_for
from webapp.kernel import urls
from webapp.kernel.config import settings_from
from webapp.kernel.tx import Database
from webapp.serving.listener import listener_at
from webapp.serving.web import WebThread


def get_from_host(
    database: Database, base_url: str, host: str, path: str = urls.about()
) -> TestResponse:
    app = create_app(settings_for("postgresql://unused", base_url=base_url), database=database)
    return app.test_client().get(path, headers={"Host": host})


@pytest.mark.parametrize(
    "base_url, host",
    [
        ("https://play.example", "play.example"),
        ("https://play.example", "PLAY.example:443"),
        ("https://sp\u0113le.example", "xn--sple-cva.example"),
        ("http://192.0.2.7:8000", "192.0.2.7:8000"),
        ("http://[::1]:8000", "[::1]:8000"),
        ("http://[::1]", "[::1]"),
        ("http://[0:0:0:0:0:0:0:1]:8000", "[::1]:8000"),
        ("http://[2001:DB8::1]:8000", "[2001:db8::1]:8000"),
        ("https://play.example", "[::1]:9000"),
        ("https://play.example", "localhost:9000"),
        ("https://play.example", "127.0.0.1"),
    ],
)
def test_server_answers_to_its_own_names(database: Database, base_url: str, host: str) -> None:
    assert get_from_host(database, base_url, host).status_code == 200


@pytest.mark.parametrize(
    "base_url, host",
    [
        ("https://play.example", "evil.example"),
        ("https://play.example", "play.example.evil.example"),
        ("https://play.example", "evil.play.example"),
        ("https://play.example", "[2001:db8::1]"),
        ("https://play.example", "[::1"),
        ("https://play.example", "::1"),
        ("https://play.example", "play.example/evil"),
        ("https://play.example", "evil@play.example"),
        ("https://play.example", "play.example:port"),
        ("http://[2001:db8::1]:8000", "[2001:db8::2]:8000"),
        ("http://[2001:db8::1]:8000", "["),
    ],
)
def test_other_host_is_refused_with_the_right_address(
    database: Database, base_url: str, host: str
) -> None:
    for path in (urls.about(), "/nowhere", "/static/icon.svg"):
        answer = get_from_host(database, base_url, host, path)
        assert answer.status_code == 400, path
        assert base_url in answer.text
        assert "evil" not in answer.text


def test_health_check_works_on_a_server_with_an_ipv6_address(database: Database) -> None:
    assert (
        get_from_host(database, "http://[2001:db8::1]", "10.0.0.7:8000", urls.health()).status_code
        == 200
    )


@contextmanager
def server_port(host: str, database: Database) -> Iterator[int]:
    """Serve the pages on a real socket of this host, which BASE_URL names too; yield the port."""
    with listener_at(host, 0) as listener:
        port = int(listener.getsockname()[1])
        settings = settings_from({"LISTEN": f"[{host}]:{port}", "SECRET_KEY": "k" * 32})
        web = WebThread(create_app(settings, database=database, now=FakeClock()), listener)
        web.start()
        try:
            yield port
        finally:
            web.stop()


def test_server_bound_to_ipv6_answers_on_a_real_socket(database: Database) -> None:
    host = ipv6_loopback()
    with server_port(host, database) as port:
        connection = http.client.HTTPConnection(host, port, timeout=60)
        connection.request("GET", urls.home())
        answer = connection.getresponse()
        assert (answer.status, b"Lodepost" in answer.read()) == (200, True)
        connection.request("GET", urls.mailbox())
        answer = connection.getresponse()
        assert (answer.status, b"full link" in answer.read()) == (403, True), "the request is local"
        connection.close()
