"""Fail a test run that leaves processes running: they inherit an environment variable with the id of the run.

The embedded Postgres is not found this way, because it gets no environment; its driver stops it.
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

_VARIABLE: Final = "LODEPOST_TEST_RUN"
_TIMEOUT: Final = 5.0
"""Seconds that a process may take to end."""


class SurvivingProcessCheck:
    """Pytest plugin: sets the id of the run, and fails the run if processes with that id survive it."""

    def __init__(self, *, timeout: float = _TIMEOUT) -> None:
        self._timeout = timeout
        self._is_first = _VARIABLE not in os.environ
        self._run = os.environ.setdefault(_VARIABLE, secrets.token_hex(8))

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None]:
        # Fixtures and workers end here.
        yield
        if self._is_first and (survivors := surviving_processes(self._run, timeout=self._timeout)):
            del os.environ[_VARIABLE]
            _print(survivors)
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def surviving_processes(run: str, *, timeout: float = _TIMEOUT) -> list[str]:
    """Return pid and command of every process of this run that is still running after the timeout."""
    until = time.monotonic() + timeout
    while (alive := _alive(run, other_than={os.getpid()})) and time.monotonic() < until:
        time.sleep(0.1)
    return alive


def _alive(run: str, other_than: Collection[int]) -> list[str]:
    found = []
    for process in psutil.process_iter():
        # Processes that end meanwhile, or that belong to other users, are ignored.
        with suppress(psutil.Error, OSError):
            if process.pid not in other_than and process.environ().get(_VARIABLE) == run:
                found.append(f"{process.pid}: {' '.join(process.cmdline())}")
    return found


def _print(survivors: Collection[str]) -> None:
    lines = "".join(f"  {each}\n" for each in survivors)
    sys.stderr.write(f"\nTests left these processes running, which fails the run:\n{lines}")
