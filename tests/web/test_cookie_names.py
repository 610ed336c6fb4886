"""Cookies of two servers on two ports of one host do not replace each other: browsers send them to every port (RFC 6265)."""

import pytest

from tests.support.compiled_templates import create_app
from tests.support.visitors import settings_for
from webapp.kernel.tx import Database
from webapp.web.session import cookie_name


@pytest.mark.parametrize(
    "base_url, name",
    [
        ("http://localhost:8000", "lodepost-8000"),
        ("http://localhost:8001", "lodepost-8001"),
        ("http://[::1]:8001", "lodepost-8001"),
        ("http://play.example", "lodepost"),
    ],
)
def test_name_of_a_cookie_has_the_port(base_url: str, name: str) -> None:
    assert cookie_name("lodepost", base_url) == name


@pytest.mark.parametrize(
    "base_url, prefix",
    [("http://localhost:8001", "lodepost-8001="), ("https://play.example", "__Host-lodepost=")],
)
def test_session_has_the_cookie_of_its_server(
    database: Database, database_url: str, base_url: str, prefix: str
) -> None:
    app = create_app(settings_for(database_url, base_url=base_url), database=database)
    answer = app.test_client().get("/sign-in/code", base_url=base_url)
    assert answer.headers["Set-Cookie"].startswith(prefix)
