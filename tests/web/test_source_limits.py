"""Limits by network: addresses of IPv6 count together, and emails have a limit for all sources."""

import logging

import pytest
from flask import Flask
from limits import parse

from tests.support.compiled_templates import create_app
from tests.support.fakes import FakeClock
from tests.support.request_counts import keep_request_counts
from tests.support.transactions import random_bytes_source_for, transaction
from tests.support.visitors import Visitor, settings_for
from webapp.kernel import urls
from webapp.kernel.networks import source_networks
from webapp.kernel.tx import Database
from webapp.operations.alarms import alarm_counts

PER_MINUTE = 10


@pytest.fixture
def app(database: Database, database_url: str) -> Flask:
    settings = settings_for(database_url)
    application = create_app(
        settings, database=database, now=FakeClock(), tokens=random_bytes_source_for(database)
    )
    keep_request_counts(application)
    return application


def request_emails(app: Flask, sources: list[str]) -> list[int]:
    """Request a sign-in email from each of these network addresses, each for another person; return the statuses."""
    visitor = Visitor(app, app.test_client())
    fields = {"csrf_token": visitor.token()}
    return [
        visitor.client.post(
            urls.sign_in(),
            data={**fields, "address": f"player{number}@example.test"},
            environ_base={"REMOTE_ADDR": source},
        ).status_code
        for number, source in enumerate(sources)
    ]


def use_up_limit_of_all(app: Flask, count: int) -> None:
    """Count so many requests of other sources in this hour."""
    [limiter] = app.extensions["limiter"]
    limiter.limiter.hit(parse("1000 per hour"), "all", "sign_in.request_sign_in", cost=count)


@pytest.mark.parametrize(
    "address, home, customer, site",
    [
        ("192.0.2.7", "192.0.2.7", "192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7", "192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2ff::5", "2001:db8:1:2ff::/64", "2001:db8:1:200::/56", "2001:db8:1::/48"),
        ("fe80::1%eth0", "fe80::/64", "fe80::/56", "fe80::/48"),
        (None, "unknown", "unknown", "unknown"),
    ],
)
def test_networks_of_an_address(address: str | None, home: str, customer: str, site: str) -> None:
    assert source_networks(address) == (home, customer, site)


def test_addresses_of_one_ipv6_network_count_together(app: Flask) -> None:
    answers = request_emails(app, [f"2001:db8:1:2::{number:x}" for number in range(1, 14)])
    assert answers == [303] * PER_MINUTE + [429] * 3


def test_neighbouring_ipv4_addresses_count_apart(app: Flask) -> None:
    sources = [f"192.0.2.{number}" for number in range(1, 6)] * (PER_MINUTE + 1)
    assert request_emails(app, sources) == [303] * 5 * PER_MINUTE + [429] * 5


@pytest.mark.parametrize("step, allowed", [(1, 4 * PER_MINUTE), (0x100, 16 * PER_MINUTE)])
def test_networks_of_one_customer_or_site_have_a_wider_limit(
    app: Flask, step: int, allowed: int
) -> None:
    sources = [f"2001:db8:1:{number * step % 0x10000:x}::1" for number in range(allowed + 2)]
    answers = request_emails(app, sources)
    assert answers == [303] * allowed + [429] * 2
    assert request_emails(app, ["2001:db8:2::1"]) == [303]


def test_all_sources_together_have_an_hourly_limit_with_an_alarm(
    app: Flask, database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    use_up_limit_of_all(app, 995)
    sources = [f"10.0.0.{number}" for number in range(8)]
    with caplog.at_level(logging.ERROR, logger="webapp.web.rate_limits"):
        answers = request_emails(app, sources)
    assert answers == [303] * 5 + [429] * 3
    assert caplog.messages == [
        "All sources together have reached the hourly limit of sign_in.request_sign_in."
    ]
    with transaction(database) as tx:
        assert alarm_counts(tx)["site-limit"] == 1


def test_refused_source_uses_up_nothing_of_the_limit_of_all(app: Flask) -> None:
    use_up_limit_of_all(app, 980)
    assert request_emails(app, ["192.0.2.1"] * 40).count(303) == PER_MINUTE
    assert request_emails(app, ["192.0.2.2"]) == [303]
