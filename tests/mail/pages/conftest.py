"""A server that keeps its emails on this machine, and browsers on it."""

from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.support.compiled_templates import create_app
from tests.support.email_contexts import email_context
from tests.support.fakes import FakeClock
from tests.support.mailbox import LOCAL_BASE_URL_SETTING, unlock_mailbox
from tests.support.visitors import settings_for
from webapp.kernel.config import Settings
from webapp.kernel.keys import mailbox_key_for
from webapp.kernel.tx import Database

__all__ = ["email_context"]


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    return settings_for(database_url, data_dir=tmp_path, **LOCAL_BASE_URL_SETTING)


@pytest.fixture
def app(settings: Settings, database: Database, clock: FakeClock) -> Flask:
    return create_app(settings, database=database, now=clock)


@pytest.fixture
def mailbox_key(settings: Settings) -> str:
    return str(mailbox_key_for(settings))


@pytest.fixture
def browser(app: Flask) -> FlaskClient:
    client = app.test_client()
    client.environ_base["HTTP_HOST"] = "127.0.0.1:8000"
    return client


@pytest.fixture
def unlocked_browser(browser: FlaskClient, mailbox_key: str) -> FlaskClient:
    """A browser that has opened the mailbox."""
    assert unlock_mailbox(browser, mailbox_key).status_code == 303
    return browser
