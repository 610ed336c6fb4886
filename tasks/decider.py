"""Let a process of its own decide for bots, within a hard limit of time.

A process, because a decision of a keen bot keeps a processor busy: in a thread it would slow down every email and page of
this process, and nothing could end it.
"""

import os
import pickle
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final, Protocol, TypeAlias

import msgspec

import tasks
from engine.actions import Action
from engine.wire import STATE_FORMAT, decode_action
from tasks.bot_process import ACTION_PREFIX
from webapp.play.bots.bot_turns import BotTurn

_COMMAND: Final = (sys.executable, "-P", "-m", "tasks.bot_process")
_MAX_IDLE_SECONDS: Final = 60.0
"""Seconds after which a process without work ends, to free its memory."""


_ANSWER_TIMEOUT_TIMEVAL: Final = struct.pack("ll", 5, 0)
"""Seconds and microseconds for which a stopped process may block in the middle of a message."""


class Fault(msgspec.Struct, frozen=True):
    """Why there is no decision, for the log."""

    reason: str


Decision: TypeAlias = Action | Fault


class Decider(Protocol):
    """Decides one turn at a time."""

    def begin(self, turn: BotTurn) -> None:
        """Start to decide."""

    def wait(self, seconds: float) -> Decision | None:
        """Wait for the decision at most so long; return it, or None if it is not there yet."""

    def stop(self) -> None:
        """Give the decision up, if there is one in progress, and free everything."""

    def stop_if_unused(self) -> None:
        """Free everything if there has been nothing to decide for a while."""


class ProcessDecider:
    """Decides in another process, which is started when it is needed."""

    def __init__(
        self, command: Sequence[str] = _COMMAND, *, max_idle_seconds: float = _MAX_IDLE_SECONDS
    ) -> None:
        self._command = command
        self._max_idle_seconds = max_idle_seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._used_at = 0.0
        self._request = b""
        self._is_second_try = False

    def begin(self, turn: BotTurn) -> None:
        self._used_at, self._is_second_try = time.monotonic(), False
        self._request = pickle.dumps(
            (STATE_FORMAT, pickle.dumps((turn.view, turn.lines, turn.level)))
        )
        if not self._send_request():
            # The process may have ended while it had nothing to do.
            self.stop()
            self._send_request()

    def wait(self, seconds: float) -> Decision | None:
        if self._connection is None:
            return Fault("its process cannot be started")
        try:
            if not self._connection.poll(seconds):
                return None
            answer = self._connection.recv_bytes()
            return _decision_in(answer)
        except (EOFError, OSError):
            self.stop()
            return self._retry_decision()

    def stop(self) -> None:
        if self._connection is not None:
            self._connection.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._process = self._connection = None

    def stop_if_unused(self) -> None:
        if time.monotonic() - self._used_at >= self._max_idle_seconds:
            self.stop()

    def _retry_decision(self) -> Fault | None:
        """Start once more for a process that was killed; what ends two of them is the bot's own fault."""
        if self._is_second_try:
            return Fault("its process ended twice")
        self._is_second_try = True
        self._send_request()
        return None

    def _send_request(self) -> bool:
        with suppress(OSError):
            if self._connection is None:
                self._start_process()
            assert self._connection is not None
            self._connection.send_bytes(self._request)
            return True
        return False

    def _start_process(self) -> None:
        own_end, process_end = socket.socketpair()
        with own_end, process_end:
            for direction in (socket.SO_SNDTIMEO, socket.SO_RCVTIMEO):
                own_end.setsockopt(socket.SOL_SOCKET, direction, _ANSWER_TIMEOUT_TIMEVAL)
            self._process = subprocess.Popen(  # noqa: S603 - this program
                [*self._command, str(process_end.fileno())],
                pass_fds=[process_end.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                # It needs no setting, and so gets no password.
                env=_environment(),
            )
            self._connection = Connection(own_end.detach())


def _environment() -> dict[str, str]:
    import_folder = str(Path(tasks.__path__[0]).parent)
    import_paths = [import_folder, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {"PYTHONPATH": os.pathsep.join(import_paths), "PATH": os.environ.get("PATH", os.defpath)}


def _decision_in(answer: bytes) -> Decision:
    prefix, content = answer[:1], answer[1:]
    if prefix != ACTION_PREFIX:
        return Fault(content.decode("utf-8", "replace"))
    try:
        return decode_action(content)
    except msgspec.DecodeError:
        return Fault("its answer is no action")
