"""Reports of a mail provider about emails from here: a signed POST instead of an email (Standard Webhooks).

They are recorded as reports by email are. There is no such page without EMAIL_WEBHOOK_SECRET.
"""

import base64
import binascii
import hashlib
import hmac
from datetime import timedelta
from typing import Final, Literal

import msgspec
from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from webapp.kernel import urls
from webapp.kernel.config import Settings
from webapp.mail.outbox import bounces
from webapp.mail.outbox.bounces import DeliveryReport, ReportKind
from webapp.web.context import current_context

_MAX_AGE: Final = timedelta(minutes=5)
_BASE64_PREFIX: Final = "whsec_"
_SIGNATURE_VERSION: Final = "v1,"


class _Report(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bounce of one email or a complaint about it; only a bounce has a ``status`` (enhanced, RFC 3463)."""

    message_id: str
    event: Literal["bounce", "complaint"]
    status: str = ""


def email_reports_blueprint(settings: Settings) -> Blueprint | None:
    """Return the page to which a provider reports; None without a secret."""
    if not settings.email_webhook_secret:
        return None
    pages = Blueprint("email_reports", __name__)
    pages.post(urls.email_reports())(receive_report)
    return pages


def receive_report() -> ResponseReturnValue:
    """Record one report. A report about an unknown email is accepted too: another attempt would change nothing."""
    body = request.get_data(cache=False)
    if not _is_signed(body):
        return "The signature is missing, wrong or older than five minutes.\n", 401
    try:
        report = msgspec.json.decode(body, type=_Report)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        return f"Not a report: {error}\n", 422
    kind = ReportKind.BOUNCE if report.event == "bounce" else ReportKind.COMPLAINT
    status = bounces.known_status(report.status) if kind == ReportKind.BOUNCE else ""
    with current_context().transaction() as tx:
        email_id = bounces.find_email(tx, report.message_id)
        if email_id is not None:
            bounces.record_report(tx, email_id, DeliveryReport(kind, status))
    return "", 204


def _is_signed(body: bytes) -> bool:
    """Return whether the body was signed with the secret, a short time ago."""
    message_id = request.headers.get("webhook-id", "")
    timestamp = request.headers.get("webhook-timestamp", "")
    if not timestamp.isascii() or not timestamp.isdecimal() or len(timestamp) > len("9999999999"):
        return False
    age = abs(current_context().now().timestamp() - int(timestamp))
    content = b".".join((message_id.encode(), timestamp.encode(), body))
    expected = base64.b64encode(hmac.digest(_key(), content, hashlib.sha256))
    signatures = request.headers.get("webhook-signature", "").split()
    is_right = any(
        hmac.compare_digest(signature.removeprefix(_SIGNATURE_VERSION).encode(), expected)
        for signature in signatures
        if signature.startswith(_SIGNATURE_VERSION)
    )
    return is_right and age <= _MAX_AGE.total_seconds()


def _key() -> bytes:
    """Return the key in the secret, which providers write as `whsec_` and base64."""
    secret = current_context().settings.email_webhook_secret
    if secret.startswith(_BASE64_PREFIX):
        try:
            return base64.b64decode(secret.removeprefix(_BASE64_PREFIX), validate=True)
        except binascii.Error:
            pass
    return secret.encode()
