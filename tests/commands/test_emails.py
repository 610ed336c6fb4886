"""`lodepost emails` as an operator runs it."""

import pytest
from sqlalchemy import text

from tests.support.cast import ALICE, BOB, DAVE
from tests.support.factories import deal_game, request_sign_in_email, sign_in_guests
from tests.support.fakes import Outbox, OutboxRow
from tests.support.transactions import transaction
from webapp.cli import main
from webapp.kernel.system_time import utc_now
from webapp.kernel.tx import Database

SECRET_MESSAGE = b"https://lodepost.test/sign-in/link/secret-token and a hand"


@pytest.fixture(autouse=True)
def _environment(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("REDIS_URL", "SMTP_URL", "BASE_URL", "LISTEN", "DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("SECRET_KEY", "k" * 32)


@pytest.fixture
def outbox(database: Database) -> Outbox:
    return Outbox(database)


@pytest.fixture
def slug(database: Database, outbox: Outbox) -> str:
    """A game whose turn email was given up, and other emails that wait."""
    guests = sign_in_guests(database, ALICE, BOB)
    dealt = deal_game(database, guests)
    outbox.execute("DELETE FROM notification WHERE kind NOT IN ('dealt', 'your-turn')")
    outbox.execute("UPDATE notification SET first_due_at = now() - interval '2 hours'")
    outbox.execute(
        "UPDATE notification SET status = 'failed', attempts = 3, settled_at = now(), "
        "reason = '550 5.1.1 no such user' WHERE kind = 'your-turn'"
    )
    outbox.execute(
        "UPDATE notification SET attempts = 5, delay_cause = 'refused', "
        "due_at = now() + interval '1 hour', reason = '554 5.7.1 denied' WHERE kind = 'dealt'"
    )
    outbox.execute(
        "INSERT INTO stored_message SELECT id, :message FROM notification WHERE kind = 'dealt'",
        message=SECRET_MESSAGE,
    )
    return dealt


def dead_email(outbox: Outbox) -> OutboxRow:
    return outbox.only_row("your-turn")


def test_list_shows_emails_by_game_age_and_fate(
    slug: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["emails", "list", "--game", slug]) == 0
    printed = capsys.readouterr().out
    assert "Emails: 3" in printed
    assert printed.count("waiting") == 2
    assert "554 5.7.1 denied" in printed
    assert main(["emails", "list", "--dead", "--since", "1d"]) == 0
    printed = capsys.readouterr().out
    assert "Emails: 1" in printed
    assert f"dead      your-turn game {slug}: 550 5.1.1 no such user" in printed
    assert main(["emails", "list", "--since", "30m"]) == 0
    assert "Emails: 0" in capsys.readouterr().out


def test_show_prints_what_became_of_an_email_and_no_secret(
    database: Database, slug: str, outbox: Outbox, capsys: pytest.CaptureFixture[str]
) -> None:
    waiting = outbox.rows("dealt")[0]
    assert main(["emails", "show", str(waiting.id)]) == 0
    printed = capsys.readouterr().out
    assert f"Alice <{ALICE.address}>" in printed
    assert "refused" in printed
    assert "554 5.7.1 denied" in printed
    assert "secret-token" not in printed
    assert "hand" not in printed


def test_show_of_a_sign_in_email_prints_neither_code_nor_link(
    database: Database, outbox: Outbox, capsys: pytest.CaptureFixture[str]
) -> None:
    with transaction(database) as tx:
        request_sign_in_email(tx, DAVE)
        nonce = tx.execute(text("SELECT nonce FROM sign_in")).scalar_one()
    assert main(["emails", "show", str(outbox.only_row("sign-in").id)]) == 0
    printed = capsys.readouterr().out
    assert DAVE.address in printed
    assert nonce.hex() not in printed
    assert "/sign-in" not in printed


def test_resend_of_dead_emails_leaves_waiting_ones_alone(
    slug: str, outbox: Outbox, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["emails", "resend", "--dead"]) == 0
    assert "sent again by the next worker: 1." in capsys.readouterr().out
    row = dead_email(outbox)
    assert (row.status, row.attempts) == ("pending", 0)
    assert row.due_at <= utc_now()
    assert all(row.due_at > utc_now() for row in outbox.rows("dealt"))


def test_resend_of_a_game_tries_waiting_emails_now(slug: str, outbox: Outbox) -> None:
    assert main(["emails", "resend", "--game", slug]) == 0
    assert outbox.statuses() == {"pending"}
    assert all(row.due_at <= utc_now() for row in outbox.rows())
    assert {row.attempts for row in outbox.rows("dealt")} == {5}


@pytest.mark.parametrize(
    "arguments, error",
    [
        (["show", "999999"], "There is no such email or game."),
        (["resend"], "Name emails by their ids"),
        (["resend", "999999"], "None of these emails was given up"),
        (["list", "--game", "\x00"], "There is no such email or game."),
    ],
)
def test_command_that_does_nothing_says_why(
    database: Database, capsys: pytest.CaptureFixture[str], arguments: list[str], error: str
) -> None:
    assert main(["emails", *arguments]) == 2
    assert error in capsys.readouterr().err


@pytest.mark.parametrize("age", ["", "x", "5", "5y", "-1d"])
def test_unreadable_age_is_refused(age: str) -> None:
    with pytest.raises(SystemExit):
        main(["emails", "list", f"--since={age}"])


def test_show_names_the_request_that_caused_an_email(
    slug: str, outbox: Outbox, capsys: pytest.CaptureFixture[str]
) -> None:
    assert slug
    outbox.execute("UPDATE notification SET request_id = '0123456789abcdef'")
    assert main(["emails", "show", str(dead_email(outbox).id)]) == 0
    assert "request       0123456789abcdef" in capsys.readouterr().out


def test_reading_and_resending_emails_is_recorded(
    slug: str, outbox: Outbox, database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    email_id = dead_email(outbox).id
    assert main(["emails", "list"]) == 0
    assert main(["emails", "show", str(email_id)]) == 0
    assert main(["emails", "resend", "--dead"]) == 0
    assert main(["moderator", "list"]) == 0
    query = text("SELECT detail FROM security_event WHERE kind = 'operator-command' ORDER BY id")
    with database.engine.begin() as connection:
        details = list(connection.execute(query).scalars())
    assert details == [
        {"command": "emails show", "email": email_id},
        {"command": "emails resend", "emails": [email_id], "count": 1},
        {"command": "moderator list"},
    ]
    assert caplog.text.count("kind=operator-command") == 3
    assert "@" not in caplog.text
