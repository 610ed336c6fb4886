"""`lodepost moderator` as an operator runs it."""

import pytest
from sqlalchemy import text

from tests.support.cast import ALICE
from tests.support.factories import sign_in_guest
from tests.support.transactions import transaction
from webapp.cli import main
from webapp.kernel.tx import Database

NEW_ADDRESS = "operator@example.test"


@pytest.fixture(autouse=True)
def _environment(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("REDIS_URL", "SMTP_URL", "BASE_URL", "LISTEN", "DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("SECRET_KEY", "k" * 32)


def ledger_of(database: Database) -> list[tuple[str, str, str, dict[str, bool]]]:
    with transaction(database) as tx:
        rows = tx.execute(text("SELECT act, acted_as, reason, after FROM ledger ORDER BY id"))
        return [(row.act, row.acted_as, row.reason, row.after) for row in rows]


def test_operator_becomes_a_moderator_before_signing_in(
    database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["moderator", "add", NEW_ADDRESS, "--reason", "I run this"]) == 0
    assert f"{NEW_ADDRESS} is now a site moderator." in capsys.readouterr().out
    assert main(["moderator", "list"]) == 0
    assert NEW_ADDRESS in capsys.readouterr().out
    assert ledger_of(database) == [("moderator-add", "operator", "I run this", {"moderator": True})]


def test_existing_account_is_found_ignoring_case(database: Database) -> None:
    guest = sign_in_guest(database, ALICE)
    assert main(["moderator", "add", ALICE.address.upper(), "--reason", "helps"]) == 0
    with transaction(database) as tx:
        [moderator_row] = tx.execute(text("SELECT id FROM account WHERE is_moderator"))
    assert moderator_row.id == guest.person.id


def test_repeated_change_of_moderators_is_recorded_once(
    database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        assert main(["moderator", "add", NEW_ADDRESS, "--reason", "again"]) == 0
    assert "already was" in capsys.readouterr().out
    for _ in range(2):
        assert main(["moderator", "remove", NEW_ADDRESS, "--reason", "enough"]) == 0
    assert "was not" in capsys.readouterr().out
    assert [act for act, *_ in ledger_of(database)] == ["moderator-add", "moderator-remove"]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["add", "no address", "--reason", "x"], "Address: Please enter an email address"),
        (["add", NEW_ADDRESS, "--reason", "  "], "Reason: Please fill this in."),
        (["add", NEW_ADDRESS, "--reason", "x" * 501], "Reason: Please use at most 500 characters."),
        (["add", NEW_ADDRESS, "--reason", "a\x1b[31mb"], "Reason: This contains characters"),
        (
            ["remove", NEW_ADDRESS, "--reason", "x"],
            f"There is no account with the address {NEW_ADDRESS}.",
        ),
    ],
)
def test_refused_change_of_moderators_changes_nothing_and_says_why(
    database: Database, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(["moderator", *arguments]) == 2
    assert message in capsys.readouterr().err
    assert ledger_of(database) == []


def test_empty_list_of_moderators_says_how_to_add_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["moderator", "list"]) == 0
    assert "lodepost moderator add" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [[], ["add"], ["add", NEW_ADDRESS], ["promote", NEW_ADDRESS]])
def test_incomplete_arguments_print_the_usage(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["moderator", *arguments])
    assert "usage: lodepost moderator" in capsys.readouterr().err


def test_database_that_does_not_answer_is_reported_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://lode:db-hush@127.0.0.1:1/lode")
    assert main(["moderator", "list"]) == 2
    error_text = capsys.readouterr().err
    assert "The database does not answer or takes no changes" in error_text
    assert "db-hush" not in error_text
