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

_RUN_ID_VARIABLE: Final = "LODEPOST_TEST_RUN"
_TIMEOUT_SECONDS: Final = 120.0
"""Seconds that a process may take to end."""


class SurvivingProcessCheck:
    """Pytest plugin: sets the id of the run, and fails the run if processes with that id survive it."""

    def __init__(self, *, timeout: float = _TIMEOUT_SECONDS) -> None:
        self._timeout = timeout
        self._is_first_process = _RUN_ID_VARIABLE not in os.environ
        self._run_id = os.environ.setdefault(_RUN_ID_VARIABLE, secrets.token_hex(8))

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None]:
        # Fixtures and workers end here.
        yield
        if self._is_first_process and (
            survivors := surviving_processes(self._run_id, timeout=self._timeout)
        ):
            del os.environ[_RUN_ID_VARIABLE]
            _print_survivors(survivors)
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def surviving_processes(run_id: str, *, timeout: float = _TIMEOUT_SECONDS) -> list[str]:
    """Return pid and command of every process of this run that is still running after the timeout."""
    deadline = time.monotonic() + timeout
    while (
        alive_processes := _alive_processes_of(run_id, excluded_ids={os.getpid()})
    ) and time.monotonic() < deadline:
        time.sleep(0.1)
    return alive_processes


def _alive_processes_of(run_id: str, excluded_ids: Collection[int]) -> list[str]:
    found_processes = []
    for process in psutil.process_iter():
        # Processes that end meanwhile, or that belong to other users, are ignored.
        with suppress(psutil.Error, OSError):
            if (
                process.pid not in excluded_ids
                and process.environ().get(_RUN_ID_VARIABLE) == run_id
            ):
                found_processes.append(f"{process.pid}: {' '.join(process.cmdline())}")
    return found_processes


def _print_survivors(survivors: Collection[str]) -> None:
    lines = "".join(f"  {survivor}\n" for survivor in survivors)
    sys.stderr.write(f"\nTests left these processes running, which fails the run:\n{lines}")
