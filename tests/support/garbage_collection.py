"""Let the garbage collector ignore what pytest has collected: tests and modules that stay until the end of the run.

Otherwise it visits a few million such objects again and again, which takes a third of the collection and a fifth of the
tests' time.
"""

import gc
from collections.abc import Generator

import pytest


class FrozenTests:
    """Pytest plugin: no garbage collection while tests are collected, and none of the collected tests afterwards."""

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Generator[None, object, object]:
        gc.disable()
        try:
            return (yield)
        finally:
            gc.freeze()
            gc.enable()
