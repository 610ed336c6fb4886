"""A process that starts says whether its secret key belongs to the database."""

import logging

import pytest

from tests.support.visitors import settings_for
from webapp.serving.process import report_key

pytestmark = pytest.mark.own_database
FIRST, SECOND = ("f" * 32, "s" * 32)


def logged_by(
    caplog: pytest.LogCaptureFixture, url: str, key: str, *old_keys: str
) -> list[tuple[str, str]]:
    caplog.clear()
    with caplog.at_level(logging.INFO, logger="webapp.serving.process"):
        report_key(settings_for(url, secret_key=key, old_secret_keys=old_keys))
    return [(record.levelname, record.getMessage()) for record in caplog.records]


def test_wrong_key_is_logged_as_an_error_and_a_new_one_as_a_warning(
    database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert logged_by(caplog, database_url, FIRST) == []
    [(level, message)] = logged_by(caplog, database_url, SECOND)
    assert level == "ERROR"
    assert "isn't the one that this database expects" in message
    assert "OLD_SECRET_KEYS" in message
    assert SECOND not in message
    [(level, message)] = logged_by(caplog, database_url, SECOND, FIRST)
    assert (level, "expects the new SECRET_KEY" in message) == ("WARNING", True)
    assert logged_by(caplog, database_url, SECOND) == []


def test_process_starts_without_a_database_or_its_tables(
    empty_database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert logged_by(caplog, empty_database_url, FIRST) == []
    unreachable = "postgresql+psycopg://lodepost@127.0.0.1:1/lodepost"
    [(level, message)] = logged_by(caplog, unreachable, FIRST)
    assert (level, "was not checked" in message) == ("WARNING", True)
