"""The stable names of events in the log, and their fields: alarms and searches of operators depend on them.

`docs/operating.md` explains each of them.
"""

import logging
from typing import Any, Final, Literal, TypeAlias

LogEvent: TypeAlias = Literal[
    "process-started",
    "command-failed",
    "part-died",
    "uncaught-error",
    "other-output",
    "security-event",
    "job-effect",
    "alarm",
    "email-dead",
    "email-delayed",
    "emails-delayed",
    "email-not-composed",
    "reply-ignored",
    "email-returned",
    "reply-failed",
    "slow-request",
    "request-failed",
    "database-unavailable",
]
FIELDS_ATTRIBUTE: Final = "lodepost_fields"
"""The attribute of a log record that holds the fields."""

FieldValue: TypeAlias = str | int | float | bool | None


def event_fields(event: LogEvent, **fields: FieldValue) -> dict[str, Any]:
    """Return the ``extra`` argument of a logging call: the event and its fields, which stand beside the message.

    Fields hold ids, counts and kinds; never an address, a token, a role or a card.
    """
    return {FIELDS_ATTRIBUTE: {"event": event, **fields}}


def log_effect(logger: logging.Logger, job: str, **counts: int) -> None:
    """Log how much a job has done; log nothing if it found nothing to do."""
    if any(counts.values()):
        text = ", ".join(f"{name} {count}" for name, count in counts.items())
        logger.info("Job %s: %s.", job, text, extra=event_fields("job-effect", job=job, **counts))
