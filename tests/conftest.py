"""Fixtures of all tests: each test can have its own database on a real Postgres server."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import hypothesis
import pytest

from tests.support.collection_lock import CollectionLock
from tests.support.garbage_collection import FrozenTests
from tests.support.postgres import Postgres, memory_folder, running_postgres
from tests.support.sizes import case_count, is_full_run
from tests.support.surviving_processes import SurvivingProcessCheck

if TYPE_CHECKING:
    from flask import Flask
    from playwright.sync_api import Browser

    from tests.support.factories import Guest
    from tests.support.fakes import FakeClock
    from tests.support.shared_database import SharedDatabase
    from tests.support.visitors import Site
    from webapp.kernel.tx import Database

_SUBJECTS: Final = frozenset(
    [
        "accounts",
        "clock",
        "clubs",
        "kernel",
        "lobby",
        "mail",
        "moderation",
        "operations",
        "play",
        "privacy",
        "site",
    ]
)
_SHARING_FOLDERS: Final = _SUBJECTS | {"leaks", "tasks", "web"}
"""Folders whose tests use one database one after another, unless they are marked ``own_database``."""
_WITHOUT_COVERAGE: Final = (_SUBJECTS - {"clock", "mail"}) | {"browser", "chaos", "deploy", "leaks"}
"""Folders whose tests, those of pages apart, run without coverage, which doubles their time; other tests cover the same lines."""

hypothesis.settings.register_profile(
    "lodepost",
    max_examples=case_count("hypothesis_examples"),
    # The usual run must be reproducible; the full run looks for new examples.
    derandomize=not is_full_run(),
    # No example fails because the machine is slow.
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
    print_blob=True,
)
hypothesis.settings.load_profile("lodepost")


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    """One Chromium for all tests of a process: Playwright cannot be started twice in a thread."""
    from playwright.sync_api import sync_playwright

    from tests.support.browser_contexts import WAIT_MILLISECONDS
    from tests.support.required_programs import chromium

    with sync_playwright() as playwright_driver:
        launched_browser = playwright_driver.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox"], timeout=WAIT_MILLISECONDS
        )
        yield launched_browser
        launched_browser.close()


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgres]:
    with (
        memory_folder(tmp_path_factory.mktemp("postgres")) as folder,
        running_postgres(folder) as started_postgres,
    ):
        yield started_postgres


@pytest.fixture
def empty_database_url(postgres: Postgres) -> Iterator[str]:
    """A new database without a single table."""
    with postgres.empty_database() as url:
        yield url


@pytest.fixture(scope="session")
def shared_database(postgres: Postgres) -> Iterator["SharedDatabase"]:
    from tests.support.shared_database import SharedDatabase

    database_to_lend = SharedDatabase(postgres)
    yield database_to_lend
    database_to_lend.close()


@pytest.fixture
def database(
    request: pytest.FixtureRequest, postgres: Postgres, shared_database: "SharedDatabase"
) -> Iterator["Database"]:
    """An empty database at the newest schema, with its connection pools."""
    from webapp.kernel.tx import Database

    if _shares_database(request.node):
        with shared_database.lend() as lent_database:
            yield lent_database
        return
    with postgres.migrated_database() as url:
        new_database = Database(url, pool_size=8)
        yield new_database
        new_database.dispose()


@pytest.fixture
def database_url(database: "Database") -> str:
    """The address of that database."""
    return database.engine.url.render_as_string(hide_password=False)


@pytest.fixture
def guests(database: "Database") -> list["Guest"]:
    """Alice, Bob and Carol, signed in."""
    from tests.support.cast import ALICE, BOB, CAROL
    from tests.support.factories import in_scene, sign_in_guests

    return [
        *in_scene(database, "three guests", lambda: sign_in_guests(database, ALICE, BOB, CAROL))
    ]


@pytest.fixture
def five_guests(database: "Database") -> list["Guest"]:
    """Alice, Bob, Carol, Dave and Erin, signed in."""
    from tests.support.cast import ALICE, BOB, CAROL, DAVE, ERIN
    from tests.support.factories import in_scene, sign_in_guests

    characters = (ALICE, BOB, CAROL, DAVE, ERIN)
    return [*in_scene(database, "five guests", lambda: sign_in_guests(database, *characters))]


@pytest.fixture
def slug(database: "Database", guests: list["Guest"]) -> str:
    """A game of Alice, Bob and Carol by invitation, just dealt; Alice starts."""
    from tests.support.factories import deal_game, in_scene

    return in_scene(database, "a dealt game", lambda: deal_game(database, guests))


@pytest.fixture
def clock() -> "FakeClock":
    from tests.support.fakes import FakeClock

    return FakeClock()


@pytest.fixture
def app(database: "Database", database_url: str, clock: "FakeClock") -> "Flask":
    """The application on that database, at the time of that clock."""
    from tests.support.compiled_templates import create_app
    from tests.support.transactions import random_bytes_source_for
    from tests.support.visitors import settings_for

    settings, tokens = settings_for(database_url), random_bytes_source_for(database)
    application = create_app(settings, database=database, now=clock, tokens=tokens)
    # So that no test counts the statement with which an application begins to know them.
    application.extensions["lodepost"].site_settings.current()
    return application


@pytest.fixture
def site(app: "Flask", database: "Database", clock: "FakeClock") -> "Site":
    """The site of that application, with its visitors."""
    from tests.support.visitors import Site

    return Site(app, database, clock)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not is_full_run():
        _deselect_tests_of_full_run(config, items)
    for item in items:
        if _folder_of(item) in _WITHOUT_COVERAGE and item.path.parent.name != "pages":
            item.add_marker("no_cover")


def _deselect_tests_of_full_run(config: pytest.Config, items: list[pytest.Item]) -> None:
    deselected = [item for item in items if item.get_closest_marker("full_run")]
    config.hook.pytest_deselected(items=deselected)
    items[:] = [item for item in items if item not in deselected]


def _shares_database(test: pytest.Item) -> bool:
    return _folder_of(test) in _SHARING_FOLDERS and not test.get_closest_marker("own_database")


def _folder_of(test: pytest.Item) -> str:
    return test.path.relative_to(Path(__file__).parent).parts[0]


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(SurvivingProcessCheck(), "surviving-processes")
    config.pluginmanager.register(FrozenTests(), "frozen-tests")
    config.pluginmanager.register(CollectionLock(), "collection-lock")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """If CI is set, fail the run if a test was skipped."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") and reporter is not None and reporter.stats.get("skipped"):
        reporter.write_line("CI is set: a skipped test counts as a failure.", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
