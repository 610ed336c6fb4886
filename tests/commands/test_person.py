"""`lodepost person` as an operator runs it."""

import pytest
from sqlalchemy import text

from tests.support.cast import ALICE
from tests.support.factories import sign_in_guest
from webapp.cli import main
from webapp.services.tx import Database, transaction


@pytest.fixture(autouse=True)
def _environment(database: Database, database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("REDIS_URL", "SMTP_URL", "BASE_URL", "LISTEN", "DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("SECRET_KEY", "k" * 32)
    sign_in_guest(database, ALICE)


@pytest.mark.parametrize(
    "arguments, expected_output",
    [
        (["warn"], "is warned"),
        (["ban", "--days", "7"], "is banned for 7 days"),
        (["rename", "--name", "Agate"], "is now called Agate"),
    ],
)
def test_operator_acts_on_a_person(
    database: Database,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    expected_output: str,
) -> None:
    verb, *options = arguments
    assert main(["person", verb, ALICE.address, *options, "--reason", "insults"]) == 0
    assert expected_output in capsys.readouterr().out
    with transaction(database) as tx:
        row = tx.connection.execute(text("SELECT acted_as, reason FROM ledger")).one()
    assert tuple(row) == ("operator", "insults")


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (["unban", ALICE.address], "isn't banned"),
        (["warn", "missing@example.test"], "no account"),
        (["ban", ALICE.address, "--days", "0"], "from 1 to 365"),
        (["rename", ALICE.address, "--name", "()"], "fill this in"),
    ],
)
def test_refused_act_says_why_and_changes_nothing(
    capsys: pytest.CaptureFixture[str], arguments: list[str], complaint: str
) -> None:
    assert main(["person", *arguments, "--reason", "insults"]) == 2
    assert complaint in capsys.readouterr().err
