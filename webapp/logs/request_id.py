"""The id of the request that is being handled, for every line that is logged meanwhile.

An id is random and says nothing about the request. It is kept with the emails that the request causes, so that the lines
about sending them carry it too. Players see the ids of their own requests only.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_REQUEST_ID: Final[ContextVar[str | None]] = ContextVar("lodepost_request_id", default=None)


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
