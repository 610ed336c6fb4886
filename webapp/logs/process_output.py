"""Everything that a process prints on standard error becomes log lines: also warnings, uncaught errors and what libraries print."""

import faulthandler
import logging
import os
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress
from types import TracebackType
from typing import Final, TextIO

from webapp.logs.events import event_fields
from webapp.logs.lines import OWN_LOGGERS, masking_handler
from webapp.logs.other_output import start_line_writer
from webapp.logs.repeats import RepeatFilter

_STDERR: Final = 2
_log = logging.getLogger(__name__)
_own_stream: TextIO | None = None
"""Where log lines go in a process whose standard error was taken over."""
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
    # Where Python itself fails, its report is other output too.
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
    pipe = start_line_writer(stream.fileno())
    os.dup2(pipe, _STDERR)
    os.close(pipe)
    return stream


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
