"""Let one process of a run compile the tests: the others wait, and load what it has stored.

To compile them, with the details of their assertions, takes twice as long as everything else in a collection.
"""

import fcntl
from collections.abc import Generator
from pathlib import Path

import pytest


class CollectionLock:
    """Pytest plugin: the first process collects the tests alone, and all others at the same time after it."""

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Generator[None, object, object]:
        with Path(__file__).open(encoding="utf-8") as locked_file:
            try:
                fcntl.flock(locked_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                fcntl.flock(locked_file, fcntl.LOCK_SH)
            return (yield)
