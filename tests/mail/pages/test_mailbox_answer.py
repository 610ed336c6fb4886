"""Emails are answered on the mailbox page, with the receiver that reads answers on every server."""

import re
from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient

from tasks import delivery, replies
from tasks.context import WorkerContext
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import deal_game, sign_in_guests, stored_game
from tests.support.mailbox import email_links, local_get
from tests.support.worker_fixtures import composer, recording_transport, worker
from webapp.kernel import urls
from webapp.kernel.config import Settings
from webapp.kernel.tx import Database
from webapp.mail.inbound.receiving import own_addresses
from webapp.mail.transport import MaildirTransport

__all__ = ["composer", "recording_transport", "worker"]


@pytest.fixture
def filing_worker(worker: WorkerContext, settings: Settings) -> WorkerContext:
    """A worker of the same server."""
    transport = MaildirTransport(settings.maildir)
    return replace(worker, transport=transport, own_addresses=own_addresses(settings))


def turn_email_of_alice(browser: FlaskClient) -> str:
    page = local_get(browser, urls.mailbox(), query_string={"to": ALICE.address}).text
    return next(
        link for link in email_links(page) if "Answer this email" in local_get(browser, link).text
    )


def post_answer(browser: FlaskClient, link: str, typed: str) -> Any:
    """Press the button below an email with this text."""
    token = re.search(r'name="csrf_token" value="([^"]+)"', local_get(browser, link).text)
    data = {"csrf_token": token[1] if token else "", "answer": typed}
    path = urls.mailbox_answer(link.rpartition("/")[2])
    return browser.post(path, data=data, base_url="http://127.0.0.1:8000")


def test_newcomer_plays_a_turn_from_the_mailbox_page(
    database: Database, unlocked_browser: FlaskClient, filing_worker: WorkerContext
) -> None:
    guests = sign_in_guests(database, ALICE, BOB, CAROL)
    slug = deal_game(database, guests)
    delivery.deliver(filing_worker)
    before = stored_game(database, slug, guests[0]).seq
    link = turn_email_of_alice(unlocked_browser)
    answer = post_answer(unlocked_browser, link, "discard 1")
    assert (answer.status_code, answer.location) == (303, urls.mailbox(to=ALICE.address))
    assert "The answer arrives here" in local_get(unlocked_browser, answer.location).text
    replies.read_replies(filing_worker)
    delivery.deliver(filing_worker)
    assert stored_game(database, slug, guests[0]).seq == before + 1
    assert "Done" in local_get(unlocked_browser, urls.mailbox(to=ALICE.address)).text


@pytest.mark.parametrize("typed", ["", "x" * 1001])
def test_answer_without_text_or_too_long_is_refused_with_the_text_intact(
    database: Database, unlocked_browser: FlaskClient, filing_worker: WorkerContext, typed: str
) -> None:
    deal_game(database, sign_in_guests(database, ALICE, BOB, CAROL))
    delivery.deliver(filing_worker)
    answer = post_answer(unlocked_browser, turn_email_of_alice(unlocked_browser), typed)
    assert answer.status_code == 422
    assert typed in answer.text
