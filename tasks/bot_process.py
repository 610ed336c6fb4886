"""Decides for bots, in a process of its own: ``python -m tasks.bot_process DESCRIPTOR``.

It imports nothing but the engine: it is small, gets no setting and no secret but the views that it is sent, and may be
killed at any moment. It answers each request on the socket it inherits, and ends when the other side closes.
"""

import os
import pickle
import secrets
import sys
import traceback
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

from engine.bots.belief import require_supported_view
from engine.bots.policy import choose_action, require_level
from engine.view import View
from engine.wire import STATE_FORMAT, encode_action

ACTION_PREFIX, FAULT_PREFIX = b"a", b"f"
"""The first byte of an answer: an action as the engine writes it, or where the decision failed."""
_NICENESS = 10
"""Emails and pages come first when the processors are busy."""


def main(socket_descriptor: int) -> None:
    """Answer requests until the other side closes the socket."""
    os.nice(_NICENESS)
    with Connection(socket_descriptor) as connection, suppress(EOFError, OSError):
        while True:
            connection.send_bytes(answer_to(connection.recv_bytes()))


def answer_to(request: bytes) -> bytes:
    """Return the action for a request, or what went wrong, without anything that the bot knows."""
    try:
        state_format, turn = pickle.loads(request)  # noqa: S301 - from the process that started this one
        if state_format != STATE_FORMAT:
            return FAULT_PREFIX + b"its process is of another release; restart the worker"
        view, lines, level = pickle.loads(turn)  # noqa: S301
        if refusal := _refusal(view, level):
            return FAULT_PREFIX + refusal.encode()
        action = choose_action(view, lines, secrets.randbelow, require_level(level))
        return ACTION_PREFIX + encode_action(action)
    except Exception as error:  # noqa: BLE001 - whatever a bot does wrong
        return FAULT_PREFIX + _error_location(error).encode()


def _refusal(view: View, level: str) -> str:
    """Return why no bot can decide this turn, in a sentence that contains no card; empty if one can."""
    try:
        require_level(level)
        require_supported_view(view)
    except ValueError as error:
        return str(error)
    is_on_turn = view.awaiting is not None and view.awaiting.seat == view.seat
    return "" if is_on_turn else "the game does not wait for its seat"


def _error_location(error: Exception) -> str:
    """Return class and place of an error; its message may contain cards."""
    last_frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {Path(last_frame.filename).name}, line {last_frame.lineno}"


if __name__ == "__main__":
    main(int(sys.argv[1]))
