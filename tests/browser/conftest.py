from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.serving import Served, serving
from tests.parts import chromium
from tests.postgres import quick_folder


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
