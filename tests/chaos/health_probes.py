"""Asks `/readyz` and `/healthz` of all web servers, as a monitor does."""

import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from typing import Final
from urllib.parse import urlsplit

from webapp.kernel import urls

_PATHS: Final = (urls.readiness_probe(), urls.health())
_TIMEOUT_SECONDS: Final = 120.0
_DELAY_SECONDS: Final = 120.0
"""Until then the answers follow the database on any machine: they are kept for a second, and a write may take two."""
_NO_ANSWER: Final = 0


class HealthProbes:
    """Keeps count of the answers, and descriptions of the wrong ones."""

    def __init__(self, addresses: Sequence[str], *, delay_seconds: float = _DELAY_SECONDS) -> None:
        self._delay_seconds = delay_seconds
        self._urls = [address + path for address in addresses for path in _PATHS]
        self.unavailable_count = 0
        """How often a server said rightly that the database takes no changes."""
        self.wrong_answers: list[str] = []

    def expect_soon(self, status: int, fault_name: str) -> None:
        """Wait until all answers have this status; keep a description if they don't."""
        deadline = time.monotonic() + self._delay_seconds
        while set(self._statuses()) != {status}:
            if time.monotonic() > deadline:
                self.wrong_answers.append(
                    f"no {status} within {self._delay_seconds:.0f} s: {fault_name}"
                )
                return
            time.sleep(0.1)

    def check_unavailable(self, is_broken: Callable[[], bool], fault_name: str) -> None:
        """Expect 503 of all, unless the database could take changes again meanwhile."""
        was_broken = is_broken()
        statuses = self._statuses()
        if not (was_broken and is_broken()):
            return
        for url, status in zip(self._urls, statuses, strict=True):
            if status == 503:
                self.unavailable_count += 1
            else:
                path = urlsplit(url).path
                self.wrong_answers.append(f"{path} answered {status} during: {fault_name}")

    def _statuses(self) -> list[int]:
        return [_status_of(url) for url in self._urls]


def _status_of(url: str) -> int:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=_TIMEOUT_SECONDS) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        error.close()
        return error.code
    except OSError:
        return _NO_ANSWER
