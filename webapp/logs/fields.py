"""What callers put into log lines besides the message: an event with its fields, and the id of the request.

Alarms and searches of operators depend on the names of events; `docs/operating.md` explains each of them. The id of a request is
random. It is kept with the emails that the request causes, so that the lines about sending them have it too.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
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
_REQUEST_ID: Final[ContextVar[str | None]] = ContextVar("lodepost_request_id", default=None)


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


def current_request_id() -> str | None:
    """Return the id of the request that this thread handles, or that caused what it does; None if there is none."""
    return _REQUEST_ID.get()


@contextmanager
def request_id_in_logs(request_id: str | None) -> Iterator[None]:
    """Give the lines that are logged in this block this id."""
    previous_id = _REQUEST_ID.get()
    _REQUEST_ID.set(request_id)
    try:
        yield
    finally:
        # Not with a token: a response may be closed in another context than it was begun in.
        _REQUEST_ID.set(previous_id)
