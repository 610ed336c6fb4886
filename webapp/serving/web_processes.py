"""Several processes that answer at one address: forked after loading, replaced when they die, and stopped together.

Forked processes share the memory of all code that was loaded before.
"""

import logging
import os
import select
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final, NoReturn

from webapp.logs.fields import event_fields
from webapp.serving.web import WebThread

_CHECK_SECONDS: Final = 0.5
_DRAIN: Final = b"d"
_log = logging.getLogger(__name__)


class WebProcesses:
    """Forked copies of this process, which must have one thread. Each runs a thread that ``create_web`` returns.

    Each reads from a pipe of its own: a byte means that it should drain, the end that it should stop. So all stop at once if
    this process dies, and another can listen at the address. They ignore signals: SIGINT comes to all processes of a
    terminal, and SIGTERM to all of a service.
    """

    def __init__(self, create_web: Callable[[], WebThread], count: int) -> None:
        self._create_web = create_web
        self._pipes: dict[int, int] = {}
        """The descriptor to which this process writes, for each process identifier."""
        for _ in range(count):
            self._start()

    def watch(self, stop_event: threading.Event) -> None:
        """Replace each process that ends, until the event is set."""
        while not stop_event.wait(_CHECK_SECONDS):
            self._replace_ended()

    def drain(self) -> None:
        """Let all answer every request, but say at /readyz that other processes should get the next ones."""
        for pipe in self._pipes.values():
            with suppress(BrokenPipeError):
                os.write(pipe, _DRAIN)

    def stop(self) -> int:
        """Let all stop at the same time, and wait for them; return 0 if all have stopped as they should."""
        for pipe in self._pipes.values():
            os.close(pipe)
        statuses = [os.waitpid(pid, 0)[1] for pid in self._pipes]
        return 1 if any(statuses) else 0

    def _start(self) -> None:
        read_end, write_end = os.pipe()
        pid = os.fork()
        if not pid:
            # A pipe ends when no process can write to it any more.
            for pipe in (write_end, *self._pipes.values()):
                os.close(pipe)
            _run_child(self._create_web, read_end)
        os.close(read_end)
        self._pipes[pid] = write_end

    def _replace_ended(self) -> None:
        for pid in list(self._pipes):
            ended_pid, status = os.waitpid(pid, os.WNOHANG)
            if ended_pid:
                os.close(self._pipes.pop(pid))
                _log.error(
                    "A web process has ended with status %d; another takes its place.",
                    os.waitstatus_to_exitcode(status),
                    extra=event_fields("part-died", part="web process"),
                )
                self._start()


def _run_child(create_web: Callable[[], WebThread], pipe: int) -> NoReturn:
    status = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        status = _answer_requests(create_web(), pipe)
    except Exception:  # noqa: BLE001 - an end of the process, whose cause is logged
        _log.exception("A web process has failed.")
    finally:
        # Nothing that the parent has registered to be done at its end may run here.
        os._exit(status)


def _answer_requests(web: WebThread, pipe: int) -> int:
    """Do what the pipe says. Return 0 once the thread was stopped, 1 if it has died."""
    web.start()
    while web.is_alive():
        is_readable, _, _ = select.select([pipe], [], [], _CHECK_SECONDS)
        if is_readable and os.read(pipe, len(_DRAIN)):
            web.drain()
        elif is_readable:
            web.stop()
            return 0
    return 1
