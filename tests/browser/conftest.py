from collections.abc import Iterator

import pytest

from tests.support.postgres import memory_folder
from tests.support.serve_process import RunningServer, running_serve_process
from tests.support.served_sites import server_address
from tests.support.visitors import Site


@pytest.fixture(scope="session")
def running_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with (
        memory_folder(tmp_path_factory.mktemp("served")) as folder,
        running_serve_process(folder) as started_server,
    ):
        yield started_server


@pytest.fixture
def address(site: Site) -> Iterator[str]:
    """Serve the site of the test; yield where."""
    with server_address(site) as server:
        yield server
