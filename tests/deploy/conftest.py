"""Two web processes behind both proxies at the same time."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.deploy.proxies import PROXY_NAMES, RunningProxy, running_proxy
from tests.deploy.web_processes import WebProcesses, running_web_processes
from tests.support.redis import running_redis


@pytest.fixture
def web_processes(tmp_path: Path, database_url: str) -> Iterator[WebProcesses]:
    with (
        running_redis(tmp_path) as redis_url,
        running_web_processes(
            tmp_path, database_url=database_url, redis_url=redis_url
        ) as web_processes,
    ):
        yield web_processes


@pytest.fixture
def proxies(tmp_path: Path, web_processes: WebProcesses) -> Iterator[list[RunningProxy]]:
    ports = list(web_processes.ports.values())
    with ExitStack() as stack:
        yield [
            stack.enter_context(running_proxy(name, tmp_path / name, ports)) for name in PROXY_NAMES
        ]
