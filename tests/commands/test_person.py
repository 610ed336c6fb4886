"""`lodepost person` as an operator runs it."""

import pytest
from sqlalchemy import text

from tests.support.cast import ALICE, BOB
from tests.support.factories import sign_in_guest
from tests.support.transactions import transaction
from webapp.accounts.sessions import person_for
from webapp.cli import main
from webapp.kernel.tx import Database


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
        row = tx.execute(text("SELECT acted_as, reason FROM ledger")).one()
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


@pytest.mark.parametrize("person", [ALICE.address.upper(), "--everyone"])
def test_operator_signs_people_out_everywhere(
    database: Database, capsys: pytest.CaptureFixture[str], person: str
) -> None:
    bob = sign_in_guest(database, BOB)
    assert main(["person", "sign-out", person]) == 0
    is_everyone = person == "--everyone"
    assert f"{2 if is_everyone else 1} sessions ended" in capsys.readouterr().out
    with transaction(database) as tx:
        assert (person_for(tx, bob.cookie) is None) is is_everyone
        kinds = tx.execute(text("SELECT kind FROM security_event ORDER BY id")).scalars()
        assert list(kinds)[-1] == "signed-out-by-operator"


def test_signing_out_a_missing_person_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["person", "sign-out", "missing@example.test"]) == 2
    assert "no account" in capsys.readouterr().err
