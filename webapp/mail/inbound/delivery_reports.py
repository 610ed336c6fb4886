"""Reads what mail servers report about emails from here: that one could not be delivered (RFC 3464), or was called spam (RFC 5965).

Other emails to the address of reports are none: answers that programs send to the envelope sender, or reports about a delay.
"""

from collections.abc import Iterator
from email.message import Message
from typing import Final

from webapp.mail.inbound.reading import parsed_message
from webapp.mail.outbox.bounces import DeliveryReport, ReportKind, known_status

_MAX_PARTS: Final = 20
_COMPLAINTS: Final = frozenset({"abuse", "fraud", "virus", "other", "opt-out", "opt-out-list"})


def read_delivery_report(raw: bytes) -> DeliveryReport | None:
    """Return what an email reports; None if it reports nothing that counts. Never fails, whatever the bytes are."""
    message = parsed_message(raw)
    if message.get_content_type() != "multipart/report":
        return None
    for part in _parts(message):
        report = _report_of(part)
        if report is not None:
            return report
    return None


def reported_message_id(raw: bytes) -> str:
    """Return the Message-ID of the email that a report is about, from what it returns of it; empty if that has none."""
    for part in _parts(parsed_message(raw)):
        match part.get_content_type():
            case "message/rfc822":
                returned = next(_parts(part), part)
            case "text/rfc822-headers":
                returned = parsed_message(str(part.get_payload()).encode("ascii", "replace"))
            case _:
                continue
        return str(returned.get("Message-ID", "")).strip()
    return ""


def _parts(message: Message) -> Iterator[Message]:
    payload = message.get_payload()
    if isinstance(payload, list):
        yield from (part for part in payload[:_MAX_PARTS] if isinstance(part, Message))


def _report_of(part: Message) -> DeliveryReport | None:
    match part.get_content_type():
        case "message/delivery-status":
            return next(filter(None, map(_failure_of, _parts(part))), None)
        case "message/feedback-report":
            return _complaint_of(part)
    return None


def _failure_of(fields: Message) -> DeliveryReport | None:
    """Return the failed delivery to one recipient; there is one recipient a message."""
    if _word(fields, "Action") != "failed":
        return None
    return DeliveryReport(ReportKind.BOUNCE, known_status(_word(fields, "Status")))


def _complaint_of(part: Message) -> DeliveryReport | None:
    """Return the complaint; the standard library reads the fields of such a part as a message in it."""
    fields = next(_parts(part), part)
    kind = _word(fields, "Feedback-Type")
    return DeliveryReport(ReportKind.COMPLAINT, "") if kind in _COMPLAINTS else None


def _word(fields: Message, name: str) -> str:
    """Return the first word of a field, without comments (RFC 3464 2.3.4)."""
    words = str(fields.get(name, "")).replace("(", " ").replace(";", " ").split()
    return words[0].lower() if words else ""
