"""Several processes that answer at one address: forked after loading, replaced when they die, and stopped together.

Forked processes share the memory of all code that was loaded before.
"""

import logging
import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Final, NoReturn

from webapp.logs.fields import event_fields

_CHECK_SECONDS: Final = 0.5
_STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
_log = logging.getLogger(__name__)


class WebProcesses:
    """Forked copies of this process, which must have one thread.

    Each runs ``answer``, which gets an event that is set when the process should stop, and returns its exit status.
    """

    def __init__(self, answer: Callable[[threading.Event], int], count: int) -> None:
        self._answer = answer
        self._pids: set[int] = set()
        for _ in range(count):
            self._start()

    def watch(self, stop_event: threading.Event) -> None:
        """Replace each process that ends, until the event is set."""
        while not stop_event.wait(_CHECK_SECONDS):
            self._replace_ended()

    def stop(self) -> int:
        """Let all stop at the same time, and wait for them; return 0 if all have stopped as they should."""
        for pid in self._pids:
            os.kill(pid, signal.SIGTERM)
        statuses = [os.waitpid(pid, 0)[1] for pid in self._pids]
        return 1 if any(statuses) else 0

    def _start(self) -> None:
        # A signal that comes before the new process can handle it must not be lost.
        signal.pthread_sigmask(signal.SIG_BLOCK, _STOP_SIGNALS)
        parent_pid = os.getpid()
        pid = os.fork()
        if not pid:
            _run_child(self._answer, parent_pid)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOP_SIGNALS)
        self._pids.add(pid)

    def _replace_ended(self) -> None:
        for pid in list(self._pids):
            ended_pid, status = os.waitpid(pid, os.WNOHANG)
            if ended_pid:
                self._pids.remove(pid)
                _log.error(
                    "A web process has ended with status %d; another takes its place.",
                    os.waitstatus_to_exitcode(status),
                    extra=event_fields("part-died", part="web process"),
                )
                self._start()


def _run_child(answer: Callable[[threading.Event], int], parent_pid: int) -> NoReturn:
    status = 1
    try:
        status = answer(_stop_event(parent_pid))
    except Exception:  # noqa: BLE001 - an end of the process, whose cause is logged
        _log.exception("A web process has failed.")
    finally:
        # Nothing that the parent has registered to be done at its end may run here.
        os._exit(status)


def _stop_event(parent_pid: int) -> threading.Event:
    """Return an event that SIGTERM sets, and the end of the parent.

    SIGINT comes to all processes of a terminal, and SIGTERM to all of a service: the parent tells when to stop, and a second
    signal changes nothing here.
    """
    stop_event = threading.Event()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: stop_event.set())
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOP_SIGNALS)

    def watch_parent() -> None:
        while os.getppid() == parent_pid:
            time.sleep(_CHECK_SECONDS)
        stop_event.set()

    threading.Thread(target=watch_parent, name="parent", daemon=True).start()
    return stop_event
