"""The id of a request is in the worker's lines about the emails that the request caused, and in no email."""

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import text

from tasks import delivery
from tasks.context import WorkerContext
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.fakes import FakeClock, Outbox, RecordingTransport
from tests.support.page_robot import discard_form
from tests.support.visitors import Site
from webapp.kernel import urls
from webapp.kernel.tx import Database
from webapp.logs.fields import current_request_id
from webapp.logs.lines import masking_handler
from webapp.mail.transport import PermanentFailure, RenderedEmail


@pytest.fixture
def site(app: Flask, database: Database, clock: FakeClock) -> Site:
    return Site(app, database, clock)


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """The JSON lines of all loggers."""
    stream = io.StringIO()
    handler = masking_handler(stream, secrets=())
    logging.getLogger().addHandler(handler)
    yield stream
    logging.getLogger().removeHandler(handler)


def lines_with(log: io.StringIO, event: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    return [line for line in lines if line.get("event") == event]


def request_ids_of(database: Database, kind: str) -> list[str]:
    query = text("SELECT request_id FROM notification WHERE kind = :kind ORDER BY id")
    with database.engine.begin() as connection:
        return list(connection.execute(query, {"kind": kind}).scalars())


def refuse(_: RenderedEmail) -> None:
    raise PermanentFailure("550 5.1.1 <alice@example.test> unknown user")


def test_dead_email_is_logged_with_the_id_of_its_request(
    site: Site, worker: WorkerContext, recording_transport: RecordingTransport, log: io.StringIO
) -> None:
    visitor = site.signed_out()
    answer = visitor.post(urls.sign_in(), address=ALICE.address)
    recording_transport.before_sending = refuse
    delivery.deliver(worker)
    (line,) = lines_with(log, "email-dead")
    assert line["request"] == answer.headers["X-Request-ID"]
    assert (line["kind"], line["level"], line["cause"]) == ("sign-in", "error", "recipient")
    assert "example.test" not in log.getvalue()
    assert current_request_id() is None


def test_emails_of_a_turn_keep_the_id_of_its_request_and_do_not_show_it(
    site: Site,
    worker: WorkerContext,
    database: Database,
    outbox: Outbox,
    recording_transport: RecordingTransport,
) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL)
    outbox.clear()
    alice = game.visitors[0]
    form = discard_form(alice, game.slug)
    answer = alice.send(form)
    request_id = answer.headers["X-Request-ID"]
    assert request_ids_of(database, "your-turn") == [request_id]
    delivery.deliver(worker)
    assert recording_transport.messages
    for message in recording_transport.messages:
        assert request_id not in message.as_string()
    for visitor in game.visitors[1:]:
        assert request_id not in visitor.page(urls.history(game.slug)).text
