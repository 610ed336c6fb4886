"""No test leaves a process behind: what a run started bears the name of the run, and is looked for at its end.

A Postgres of the embedded driver is not found so, for it is given no environment; the driver stops it by itself.
"""

import os
import secrets
import sys
import time
from collections.abc import Collection, Generator
from contextlib import suppress
from typing import Final

import psutil
import pytest

_NAME: Final = "LODEPOST_TEST_RUN"
_PATIENCE: Final = 5.0
"""Seconds for a process that is ending just now."""


class Leftovers:
    """Gives the run a name, which workers and whatever they start inherit; fails it where something lives on."""

    def __init__(self, *, patience: float = _PATIENCE) -> None:
        self._patience = patience
        self._is_first = _NAME not in os.environ
        self._run = os.environ.setdefault(_NAME, secrets.token_hex(8))

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None]:
        # Fixtures and workers end in here.
        yield
        if self._is_first and (left := survivors(self._run, patience=self._patience)):
            del os.environ[_NAME]
            _tell(left)
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def survivors(run: str, *, patience: float = _PATIENCE) -> list[str]:
    """What of this run still lives when it has had time to end: pid and command of each."""
    until = time.monotonic() + patience
    while (left := _alive(run, besides={os.getpid()})) and time.monotonic() < until:
        time.sleep(0.1)
    return left


def _alive(run: str, besides: Collection[int]) -> list[str]:
    found = []
    for process in psutil.process_iter():
        # Whoever ends meanwhile, or belongs to somebody else, is none of ours.
        with suppress(psutil.Error, OSError):
            if process.pid not in besides and process.environ().get(_NAME) == run:
                found.append(f"{process.pid}: {' '.join(process.cmdline())}")
    return found


def _tell(left: Collection[str]) -> None:
    lines = "".join(f"  {each}\n" for each in left)
    sys.stderr.write(f"\nTests left these processes behind, which fails the run:\n{lines}")
