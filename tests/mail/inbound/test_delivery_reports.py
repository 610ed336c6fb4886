"""Reports of mail servers are read: what counts, what does not, and nothing fails."""

from typing import Final

import pytest

from tests.support.delivery_reports import bounce, complaint
from webapp.mail.inbound.delivery_reports import read_delivery_report
from webapp.mail.outbox.bounces import ReportKind, is_hard

OUT_OF_OFFICE: Final = (
    b"From: alice@example.test\r\nTo: bounce+x@lodepost.test\r\nAuto-Submitted: auto-replied\r\n"
    b"Subject: Out of office\r\n\r\nI am away.\r\n"
)


@pytest.mark.parametrize(
    "status, read_status, hard",
    [
        ("5.1.1", "5.1.1", True),
        ("5.1.10 (null MX)", "5.1.10", True),
        ("5.2.1", "5.2.1", True),
        ("5.0.0", "5.0.0", True),
        ("5.2.2", "5.2.2", False),
        ("5.7.1", "5.7.1", False),
        ("4.4.7", "4.4.7", False),
        ("nonsense", "5.0.0", True),
        ("", "5.0.0", True),
    ],
)
def test_failed_delivery_is_read(status: str, read_status: str, *, hard: bool) -> None:
    report = read_delivery_report(bounce(status))
    assert report is not None
    assert (report.kind, report.status) == (ReportKind.BOUNCE, read_status)
    assert is_hard(report.status) is hard


@pytest.mark.parametrize("action", ["delayed", "delivered", "relayed", "expanded", ""])
def test_report_about_anything_else_counts_for_nothing(action: str) -> None:
    assert read_delivery_report(bounce("4.4.1", action=action)) is None


def test_complaint_is_read() -> None:
    report = read_delivery_report(complaint("abuse"))
    assert report is not None
    assert report.kind == ReportKind.COMPLAINT
    assert read_delivery_report(complaint("not-spam")) is None


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\xff\xfe\x00",
        OUT_OF_OFFICE,
        b'Content-Type: multipart/report; boundary="x"\r\n\r\n--x\r\n',
        b"Content-Type: multipart/report\r\n\r\nAction: failed\r\nStatus: 5.1.1\r\n",
        bounce("5.1.1").replace(b"message/delivery-status", b"text/plain"),
        b'Content-Type: multipart/mixed; boundary="x"\r\n\r\n' * 3000,
    ],
)
def test_anything_else_is_no_report(raw: bytes) -> None:
    assert read_delivery_report(raw) is None


def test_report_is_read_however_it_is_cut_off() -> None:
    raw = bounce("5.1.1")
    for length in range(0, len(raw), 7):
        read_delivery_report(raw[:length])
