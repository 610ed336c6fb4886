"""Where a request comes from, as the proxy in front writes it."""

import logging

import pytest
from flask import Flask, request

from webapp.web.rate_limits import trust_proxies

PROXY = "10.0.0.2"


def addresses_seen(*forwarded: str | None) -> list[str]:
    """Return the client's address in requests with these X-Forwarded-For headers."""
    app = Flask(__name__)
    app.add_url_rule("/", "address", lambda: request.remote_addr or "none")
    app.wsgi_app = trust_proxies(app.wsgi_app, 1)  # type: ignore[method-assign]
    client = app.test_client()
    return [
        client.get(
            "/",
            headers={} if header is None else {"X-Forwarded-For": header},
            environ_base={"REMOTE_ADDR": PROXY},
        ).text
        for header in forwarded
    ]


@pytest.mark.parametrize(
    "forwarded, address",
    [
        ("203.0.113.7", "203.0.113.7"),
        ("203.0.113.7:50001", "203.0.113.7"),
        ("198.51.100.1:80, 203.0.113.7:50001", "203.0.113.7"),
        ("2001:db8::1", "2001:db8::1"),
        ("[2001:db8::1]", "2001:db8::1"),
        ("[2001:db8::1]:443", "2001:db8::1"),
        ("[2001:db8::1%eth0]:443", "2001:db8::1"),
        ('"[2001:db8::1]:443"', "2001:db8::1"),
        (None, PROXY),
        ("unknown", PROXY),
        ("_hidden:1", PROXY),
        ("203.0.113.7:50001:9", PROXY),
    ],
)
def test_address_of_a_client(forwarded: str | None, address: str) -> None:
    assert addresses_seen(forwarded) == [address]


def test_what_is_no_address_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert addresses_seen("unknown", "-", "203.0.113.7") == [PROXY, PROXY, "203.0.113.7"]
    [record] = caplog.records
    assert "'unknown'" in record.getMessage()
