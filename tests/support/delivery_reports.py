"""Reports as mail servers write them about emails from here: undelivered (RFC 3464), or called spam (RFC 5965)."""

_BOUNCE = """Return-Path: <>
From: MAILER-DAEMON@mx.example.test (Mail Delivery System)
To: bounce+token@lodepost.test
Subject: Undelivered Mail Returned to Sender
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="b1"

--b1
Content-Description: Notification
Content-Type: text/plain; charset=us-ascii

I'm sorry to have to inform you that your message could not be delivered.

--b1
Content-Description: Delivery report
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.test
Arrival-Date: Mon, 2 Mar 2026 12:00:00 +0000

Final-Recipient: rfc822; alice@example.test
Original-Recipient: rfc822;alice@example.test
Action: {action}
Status: {status}
Diagnostic-Code: smtp; 550 {status} the mailbox does not exist

--b1
Content-Description: Undelivered Message Headers
Content-Type: text/rfc822-headers

Subject: Your turn

--b1--
"""
_COMPLAINT = """Return-Path: <feedback@mail.example.test>
From: feedback@mail.example.test
To: bounce+token@lodepost.test
Subject: FW: Your turn
MIME-Version: 1.0
Content-Type: multipart/report; report-type=feedback-report; boundary="b1"

--b1
Content-Type: text/plain; charset=us-ascii

This is an email abuse report.

--b1
Content-Type: message/feedback-report

Feedback-Type: {kind}
User-Agent: Example/1.0
Version: 1

--b1
Content-Type: message/rfc822

Subject: Your turn

--b1--
"""


def bounce(status: str, *, action: str = "failed") -> bytes:
    """Return the report that an email could not be delivered, with its enhanced status (RFC 3463)."""
    return _with_line_ends(_BOUNCE.format(status=status, action=action))


def complaint(kind: str = "abuse") -> bytes:
    """Return the report that someone has called an email spam."""
    return _with_line_ends(_COMPLAINT.format(kind=kind))


def _with_line_ends(text: str) -> bytes:
    return text.replace("\n", "\r\n").encode("ascii")
