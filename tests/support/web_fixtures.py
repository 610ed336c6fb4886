"""Pytest fixtures: a clock, the application on the test's database, and its site with visitors."""

import pytest
from flask import Flask

from tests.support.compiled_templates import create_app
from tests.support.factories import random_bytes_source_for
from tests.support.fakes import FakeClock
from tests.support.visitors import Site, settings_for
from webapp.services.tx import Database


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def app(database: Database, database_url: str, clock: FakeClock) -> Flask:
    settings, tokens = settings_for(database_url), random_bytes_source_for(database)
    application = create_app(settings, database=database, now=clock, tokens=tokens)
    # So that no test counts the statement with which an application begins to know them.
    application.extensions["lodepost"].site_settings.current()
    return application


@pytest.fixture
def site(app: Flask, database: Database, clock: FakeClock) -> Site:
    return Site(app, database, clock)
