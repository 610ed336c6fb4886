"""Make log lines of everything that a process prints on standard error: also warnings, uncaught errors and what libraries print.

What C libraries print, and Python when it crashes, becomes lines in a process beside it, because one that crashes can no longer write any.
"""

import faulthandler
import logging
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from types import TracebackType
from typing import Final, NoReturn, TextIO

from webapp.logs.fields import event_fields
from webapp.logs.lines import OWN_LOGGERS, RepeatFilter, json_line, masking_handler, utc_text
from webapp.logs.masks import LogMask

_PAUSE_SECONDS: Final = 0.2
"""Text that is followed by such a pause is complete."""
_MAX_TEXT_BYTES: Final = 64 * 1024
_READ_BYTES: Final = 8 * 1024
_STANDARD_DESCRIPTORS: Final = 3
_IGNORED_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Sent to all processes of a service or terminal; this one ends when the process ends that it writes for."""
_STDERR: Final = 2
_log = logging.getLogger(__name__)
_own_stream: TextIO | None = None
"""The stream for log lines in a process whose standard error was taken over."""
_own_handler: logging.Handler | None = None


def take_over_output() -> None:
    """Make log lines of everything that this process will print on standard error. Call it once, before any thread starts.

    On a terminal other text stays as it is.
    """
    global _own_stream  # noqa: PLW0603 - a process has one standard error
    if not sys.stderr.isatty():
        # Without another process or file, plain text among the lines is better than no process.
        with suppress(OSError):
            _own_stream = _redirect_other_output()
    configure_logging()
    logging.captureWarnings(capture=True)
    sys.excepthook = _log_uncaught
    threading.excepthook = _log_uncaught_in_thread
    sys.unraisablehook = _log_unraisable
    # If Python itself fails, its report is other output too.
    faulthandler.enable(_STDERR)


def is_output_taken_over() -> bool:
    """Return whether everything that this process prints on standard error becomes log lines."""
    return _own_stream is not None


def configure_logging(*, secrets: Iterable[str] = (), own_level: int = logging.INFO) -> None:
    """Log to standard error, with these secrets masked from now on; lines of libraries from WARNING on."""
    global _own_handler  # noqa: PLW0603 - as above
    root = logging.getLogger()
    if _own_handler is not None:
        root.removeHandler(_own_handler)
        _own_handler = None
    if not root.handlers:
        _own_handler = masking_handler(_own_stream or sys.stderr, secrets=secrets)
        _own_handler.addFilter(RepeatFilter())
        root.addHandler(_own_handler)
        root.setLevel(logging.WARNING)
    for name in OWN_LOGGERS:
        logging.getLogger(name).setLevel(own_level)


def _redirect_other_output() -> TextIO:
    """Send what is written to the descriptor of standard error to a process that makes lines of it; return the real one."""
    stream = os.fdopen(os.dup(_STDERR), "w", encoding="ascii", errors="backslashreplace")
    pipe = _start_line_writer(stream.fileno())
    os.dup2(pipe, _STDERR)
    os.close(pipe)
    return stream


def _start_line_writer(target: int) -> int:
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


def _log_uncaught(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    _log.critical(
        "The process ends because of an unexpected error.",
        exc_info=(kind, error, trace),
        extra=event_fields("uncaught-error"),
    )


def _log_uncaught_in_thread(arguments: threading.ExceptHookArgs) -> None:
    if arguments.exc_value is None:
        return
    name = "none" if arguments.thread is None else arguments.thread.name
    _log.critical(
        "A thread ends because of an unexpected error.",
        exc_info=(arguments.exc_type, arguments.exc_value, arguments.exc_traceback),
        extra=event_fields("uncaught-error", thread=name),
    )


def _log_unraisable(arguments: "sys.UnraisableHookArgs") -> None:
    if arguments.exc_value is None:
        return
    _log.error(
        "%s",
        arguments.err_msg or "An error could not be raised.",
        exc_info=(arguments.exc_type, arguments.exc_value, arguments.exc_traceback),
        extra=event_fields("uncaught-error"),
    )
