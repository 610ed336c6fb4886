from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.support.machine_parts import chromium
from tests.support.postgres import quick_folder
from tests.support.served import Served, serving


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with (
        quick_folder(tmp_path_factory.mktemp("served")) as folder,
        serving(folder) as running,
    ):
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        yield launched
        launched.close()
