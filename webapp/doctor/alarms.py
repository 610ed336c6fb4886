"""Check why emails are delayed, and which alarms the server has raised within the last hour."""

from datetime import datetime
from typing import Final

from webapp.doctor.result import CheckResult, CheckResults, Status, ok
from webapp.services.operations.alarms import delayed_emails, recent_alarms
from webapp.services.tx import Tx

_LIST_ADVICE: Final = "`lodepost emails list` shows them."
_STATUS_AND_ADVICE_BY_CAUSE: Final[dict[str, tuple[Status, str]]] = {
    "recipient": ("warning", f"Their mailboxes refuse them for now. {_LIST_ADVICE}"),
    "refused": (
        "error",
        "Correct what its answer names, often SMTP_URL, MAIL_FROM or a quota; then run `lodepost emails resend --since 7d`.",
    ),
    "unreachable": ("error", "Check that SMTP_URL is right and the mail server is running."),
    "composing": ("error", "An email can't be written: read the worker's log."),
}
_ADVICE_BY_ALARM: Final = {
    "site-limit": (
        "All visitors together have requested too many emails.",
        "Someone may be flooding the site: read the log of the proxy, and block the source there.",
    ),
    "wrong-codes": (
        "Many wrong sign-in codes were typed.",
        "Someone may be guessing codes: read the log of the proxy, and block the source there.",
    ),
    "dead-email": ("Emails were given up.", "`lodepost emails list --dead` shows why."),
}


def check_alarms(tx: Tx) -> CheckResults:
    """Yield a result for each cause of delays and each alarm."""
    results = [_check_delay(*delayed) for delayed in delayed_emails(tx)]
    for raised in recent_alarms(tx):
        if raised.name in _ADVICE_BY_ALARM:
            message, advice = _ADVICE_BY_ALARM[raised.name]
            text = f"{message} Last at {raised.raised_at:%H:%M} UTC."
            results.append(CheckResult("warning", text, advice))
    yield from results or [ok("No email is delayed, and no alarm was raised within the last hour.")]


def _check_delay(
    cause: str, count: int, oldest_due_at: datetime, reason: str | None
) -> CheckResult:
    status, advice = _STATUS_AND_ADVICE_BY_CAUSE[cause]
    message = (
        f"Emails that wait after a failure ({cause}): {count}, the oldest since "
        f"{oldest_due_at:%Y-%m-%d %H:%M} UTC. The last answer: {reason}"
    )
    return CheckResult(status, message, advice)
