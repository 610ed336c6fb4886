"""Fixtures of all tests: each test can have its own database on a real Postgres server."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import hypothesis
import pytest

from tests.support.postgres import Postgres, memory_folder, running_postgres
from tests.support.sizes import is_full, size_of
from tests.support.surviving_processes import SurvivingProcessCheck

if TYPE_CHECKING:
    from webapp.services.tx import Database

_WITHOUT_COVERAGE: Final = frozenset(
    {"browser", "chaos", "leaks", "reference_model", "services", "store"}
)
"""Folders whose tests run without coverage, which doubles their time; other tests cover the same lines."""

hypothesis.settings.register_profile(
    "lodepost",
    max_examples=size_of("hypothesis_examples"),
    # The usual run must be reproducible; the full run looks for new examples.
    derandomize=not is_full(),
    deadline=None,
    print_blob=True,
)
hypothesis.settings.load_profile("lodepost")


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgres]:
    with (
        memory_folder(tmp_path_factory.mktemp("postgres")) as folder,
        running_postgres(folder) as running,
    ):
        yield running


@pytest.fixture
def empty_database_url(postgres: Postgres) -> Iterator[str]:
    """A new database without a single table."""
    with postgres.empty_database() as url:
        yield url


@pytest.fixture
def database_url(postgres: Postgres) -> Iterator[str]:
    """A new database at the newest schema for one test."""
    with postgres.migrated_database() as url:
        yield url


@pytest.fixture
def database(database_url: str) -> Iterator["Database"]:
    """A new database at the newest schema, with its connection pools."""
    from webapp.services.tx import Database

    opened = Database(database_url, pool_size=8)
    yield opened
    opened.dispose()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.relative_to(Path(__file__).parent).parts[0] in _WITHOUT_COVERAGE:
            item.add_marker("no_cover")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(SurvivingProcessCheck(), "surviving-processes")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """If CI is set, fail the run if a test was skipped."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") and reporter is not None and reporter.stats.get("skipped"):
        reporter.write_line("CI is set: a skipped test counts as a failure.", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
