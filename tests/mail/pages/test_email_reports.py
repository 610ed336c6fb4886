"""A mail provider reports what became of emails by a signed POST."""

import base64
import hashlib
import hmac
import json

import pytest
from flask import Flask
from sqlalchemy import select, text

from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import deal_game, sign_in_guests
from tests.support.transactions import NOON, transaction
from tests.support.visitors import settings_for
from webapp.app import create_app
from webapp.kernel import urls
from webapp.kernel.tx import Database
from webapp.mail.schema import Notification

SECRET = "a secret of a mail provider, long enough".replace(" ", "-")
NOW = str(int(NOON.timestamp()))
Headers = dict[str, str]


@pytest.fixture
def app(database: Database, database_url: str) -> Flask:
    settings = settings_for(database_url, email_webhook_secret=SECRET)
    return create_app(settings, database=database, now=lambda: NOON)


@pytest.fixture
def message_id(database: Database) -> str:
    """The Message-ID of an email to Alice that was sent."""
    deal_game(database, sign_in_guests(database, ALICE, BOB, CAROL))
    with transaction(database) as tx:
        tx.execute(text("UPDATE notification SET status = 'sent', message_id = 'm' || id"))
        query = select(Notification.message_id).where(Notification.kind == "your-turn")
        return f"<{tx.execute(query).scalar_one()}@lodepost.test>"


def signed(body: bytes, *, timestamp: str = NOW, key: bytes = SECRET.encode()) -> Headers:
    digest = hmac.digest(key, b"msg_1." + timestamp.encode() + b"." + body, hashlib.sha256)
    signature = f"v1,{base64.b64encode(digest).decode()}"
    return {
        "webhook-id": "msg_1",
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1a,other {signature}",
    }


def send(app: Flask, body: bytes, headers: Headers) -> tuple[int, str]:
    answer = app.test_client().post(
        urls.email_reports(), data=body, headers=headers, content_type="application/json"
    )
    return answer.status_code, answer.text


def reasons(database: Database) -> list[str | None]:
    with transaction(database) as tx:
        query = select(Notification.reason).where(Notification.status == "failed")
        return list(tx.execute(query).scalars())


@pytest.mark.parametrize(
    "fields, reason",
    [
        ({"event": "bounce", "status": "5.1.1"}, "bounced 5.1.1"),
        ({"event": "bounce"}, "bounced 5.0.0"),
        ({"event": "complaint"}, "complaint"),
    ],
)
def test_signed_report_is_recorded_once(
    app: Flask, database: Database, message_id: str, fields: dict[str, str], reason: str
) -> None:
    body = json.dumps({"message_id": message_id, **fields}).encode()
    for _ in range(2):
        assert send(app, body, signed(body)) == (204, "")
    assert reasons(database) == [reason]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        signed(b"something else"),
        signed(b'{"message_id": "<m1@lodepost.test>", "event": "bounce"}', key=b"another key"),
        signed(
            b'{"message_id": "<m1@lodepost.test>", "event": "bounce"}',
            timestamp=str(int(NOON.timestamp()) - 301),
        ),
        {"webhook-timestamp": "soon", "webhook-signature": "v1,x"},
        {"webhook-timestamp": "1" * 5000, "webhook-signature": "v1,\u00e9"},
    ],
)
def test_report_that_is_not_signed_now_is_refused(
    app: Flask, database: Database, message_id: str, headers: Headers
) -> None:
    body = b'{"message_id": "<m1@lodepost.test>", "event": "bounce"}'
    assert send(app, body, headers)[0] == 401
    assert reasons(database) == []


@pytest.mark.parametrize(
    "body", [b"", b"[]", b'{"event": "bounce"}', b'{"message_id": 1}', b"\xff"]
)
def test_body_that_is_no_report_is_explained(app: Flask, body: bytes) -> None:
    status, text_of_answer = send(app, body, signed(body))
    assert status == 422
    assert text_of_answer.startswith("Not a report: ")


@pytest.mark.parametrize("unknown_id", ["<none@x.test>", "", "%", "<\u0000@x>", "<" + "a" * 5000])
def test_report_about_an_unknown_email_changes_nothing(
    app: Flask, database: Database, message_id: str, unknown_id: str
) -> None:
    body = json.dumps({"message_id": unknown_id, "event": "bounce"}).encode()
    assert send(app, body, signed(body))[0] == 204
    assert reasons(database) == []


def test_secret_of_a_provider_may_be_in_base64(database: Database, database_url: str) -> None:
    key = b"k" * 32
    secret = "whsec_" + base64.b64encode(key).decode()
    settings = settings_for(database_url, email_webhook_secret=secret)
    app = create_app(settings, database=database, now=lambda: NOON)
    body = b'{"message_id": "<none@x.test>", "event": "complaint"}'
    assert send(app, body, signed(body, key=key))[0] == 204


def test_there_is_no_such_page_without_a_secret(database: Database, database_url: str) -> None:
    app = create_app(settings_for(database_url), database=database, now=lambda: NOON)
    assert app.test_client().get(urls.email_reports()).status_code == 404
