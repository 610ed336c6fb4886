from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.support.postgres import memory_folder
from tests.support.required_programs import chromium
from tests.support.serve_process import RunningServer, serving


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with (
        memory_folder(tmp_path_factory.mktemp("served")) as folder,
        serving(folder) as running,
    ):
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        yield launched
        launched.close()
