"""Ids of requests, and what is logged of requests that were slow or failed."""

import logging
import re
import sys

import pytest
from flask import Flask

from tests.support.compiled_templates import create_app
from tests.support.fakes import FakeClock
from tests.support.visitors import Site, settings_for
from webapp.kernel import urls
from webapp.kernel.tx import Database
from webapp.logs.fields import FIELDS_ATTRIBUTE, current_request_id
from webapp.logs.lines import masking_handler
from webapp.web.request_log import SLOW_REQUEST_SECONDS, RequestLog

ID = re.compile(r"[0-9a-f]{16}")
TOKEN = "a-token-in-a-path"


def fields_of(caplog: pytest.LogCaptureFixture, event: str) -> list[dict[str, object]]:
    all_fields = [getattr(record, FIELDS_ATTRIBUTE, {}) for record in caplog.records]
    return [fields for fields in all_fields if fields.get("event") == event]


def app_with(database: Database, url: str, request_log: RequestLog) -> Flask:
    return create_app(
        settings_for(url), database=database, now=FakeClock(), request_log=request_log
    )


def test_every_answer_has_an_id_of_its_own(site: Site) -> None:
    browser = site.app.test_client()
    ids = [
        browser.get(path, headers={"X-Request-ID": "from-outside"}).headers.getlist("X-Request-ID")
        for path in (urls.home(), urls.home(), "/no-such-page", urls.health())
    ]
    assert all(len(answer_ids) == 1 and ID.fullmatch(answer_ids[0]) for answer_ids in ids)
    assert len({answer_id for (answer_id,) in ids}) == len(ids)
    assert current_request_id() is None


def test_page_about_an_error_of_the_server_shows_the_id_that_its_log_line_has(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    site.app.testing = False

    @site.app.before_request
    def fail() -> None:
        raise ValueError

    handler = masking_handler(sys.stderr, secrets=())
    logging.getLogger("webapp").addHandler(handler)
    answer = site.app.test_client().get(urls.sign_in_link(TOKEN))
    logging.getLogger("webapp").removeHandler(handler)
    request_id = answer.headers["X-Request-ID"]
    assert answer.status_code == 500
    assert request_id in answer.text
    line = capsys.readouterr().err
    assert f'"request": "{request_id}"' in line
    assert '"event": "request-failed"' in line
    assert TOKEN not in line


def test_page_about_a_refusal_shows_no_id(site: Site) -> None:
    answer = site.app.test_client().get("/no-such-page")
    assert answer.headers["X-Request-ID"] not in answer.text


def test_only_slow_requests_are_logged_with_their_route(
    database: Database, database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    seconds = iter([0.0, SLOW_REQUEST_SECONDS, 10.0, 10.0 + SLOW_REQUEST_SECONDS + 0.5])
    app = app_with(database, database_url, RequestLog(seconds=lambda: next(seconds)))
    with caplog.at_level(logging.DEBUG):
        app.test_client().get(urls.unsubscribe(TOKEN))
        assert fields_of(caplog, "slow-request") == []
        app.test_client().get(urls.unsubscribe(TOKEN))
    (fields,) = fields_of(caplog, "slow-request")
    assert fields["route"] == "/u/<token:link>"
    assert (fields["method"], fields["status"], fields["seconds"]) == ("GET", 404, 1.5)
    assert TOKEN not in caplog.text


def test_method_that_a_client_invents_is_not_logged(
    database: Database, database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    seconds = iter([0.0, 60.0])
    app = app_with(database, database_url, RequestLog(seconds=lambda: next(seconds)))
    app.test_client().open("/no-such-page", method="INVENTED")
    (fields,) = fields_of(caplog, "slow-request")
    assert (fields["route"], fields["method"]) == ("none", "other")


def test_answer_without_the_database_is_logged(
    database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    unreachable_url = re.sub(r":\d+/", ":9/", database_url)
    app = create_app(settings_for(unreachable_url), now=FakeClock())
    answer = app.test_client().get(urls.invitation(TOKEN))
    assert answer.status_code == 503
    assert answer.headers["X-Request-ID"] in answer.text
    (fields,) = fields_of(caplog, "database-unavailable")
    assert fields["route"] == "/invitations/<token:link>"
    assert TOKEN not in caplog.text
