"""A process beside each server process that makes log lines of text: what C libraries print, and Python when it crashes.

Another process, because one that crashes can no longer write a line about it. Log lines themselves do not pass through it.
"""

import os
import select
import signal
import time
from typing import Final, NoReturn

from webapp.logs.lines import json_line, utc_text
from webapp.logs.masks import LogMask

_PAUSE_SECONDS: Final = 0.2
"""Text that is followed by such a pause is complete."""
_MAX_TEXT_BYTES: Final = 64 * 1024
_READ_BYTES: Final = 8 * 1024
_STANDARD_DESCRIPTORS: Final = 3
_IGNORED_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Sent to all processes of a service or terminal; this one ends when the process ends that it writes for."""


def start_line_writer(target: int) -> int:
    """Start the process; return a descriptor from which it reads text until every copy is closed. Raises OSError.

    It writes lines to the descriptor ``target``. Call it while the process has one thread, because it forks.
    """
    read_end, write_end = os.pipe()
    if not os.fork():
        _run_line_writer(read_end, target)
    os.close(read_end)
    return write_end


def _run_line_writer(source: int, target: int) -> NoReturn:
    try:
        for number in _IGNORED_SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        _keep_only(source, target)
        while text := _next_text(source):
            if message := LogMask()(text.decode("utf-8", "replace").strip()):
                os.write(target, _line_with(message))
    finally:
        # Nothing that the forked process has registered may run here.
        os._exit(0)


def _keep_only(source: int, target: int) -> None:
    """Close every other descriptor: pipes and sockets that the forked process had open."""
    for descriptor in range(_STANDARD_DESCRIPTORS):
        if descriptor not in {source, target}:
            os.close(descriptor)
    low, high = sorted((source, target))
    os.closerange(_STANDARD_DESCRIPTORS, low)
    os.closerange(low + 1, high)
    os.closerange(high + 1, os.sysconf("SC_OPEN_MAX"))


def _next_text(source: int) -> bytes:
    """Return the text that is written until there is a pause; empty at the end."""
    text = os.read(source, _READ_BYTES)
    while text and len(text) < _MAX_TEXT_BYTES:
        is_readable, _, _ = select.select([source], [], [], _PAUSE_SECONDS)
        more_text = os.read(source, _READ_BYTES) if is_readable else b""
        if not more_text:
            break
        text += more_text
    return text


def _line_with(message: str) -> bytes:
    fields = {
        "at": utc_text(time.time()),
        "level": "warning",
        "logger": "stderr",
        "message": message,
        "event": "other-output",
    }
    return f"{json_line(fields)}\n".encode()
