"""`lodepost game` and `lodepost seat` as an operator runs them."""

import pytest

from tests.support.acts import ledger_acts, limit_of
from tests.support.cast import ALICE, BOB, CAROL, DAVE
from tests.support.factories import Guest, deal_game, sign_in_guest, stored_game
from tests.support.moderation import set_turn_email_status
from tests.support.seat_offers import accept_offered_seat
from webapp.cli import main
from webapp.kernel.game_status import GameStatus
from webapp.kernel.rights import GameRight
from webapp.kernel.system_time import utc_now
from webapp.kernel.tx import Database

REASON_OPTION = ("--reason", "asked by phone")


@pytest.fixture(autouse=True)
def _environment(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("REDIS_URL", "SMTP_URL", "BASE_URL", "LISTEN", "DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("SECRET_KEY", "k" * 32)


@pytest.fixture
def guests(database: Database) -> list[Guest]:
    return [sign_in_guest(database, character, now=utc_now()) for character in (ALICE, BOB, CAROL)]


@pytest.fixture
def slug(database: Database, guests: list[Guest]) -> str:
    """A game that was dealt just now: commands read the real clock."""
    return deal_game(database, guests, now=utc_now())


def test_operator_extends_pauses_and_resumes(
    database: Database, slug: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["game", "extend", slug, "--days", "2", *REASON_OPTION]) == 0
    assert "Alice's deadline moves from" in capsys.readouterr().out
    assert main(["game", "pause", slug, *REASON_OPTION]) == 0
    assert main(["game", "resume", slug, *REASON_OPTION]) == 0
    assert ledger_acts(database) == ["extend", "pause", "resume"]


def test_operator_plays_rewinds_and_cancels(
    database: Database, guests: list[Guest], slug: str
) -> None:
    assert main(["game", "neutral", slug, *REASON_OPTION]) == 0
    assert main(["game", "nudge", slug, *REASON_OPTION]) == 0
    assert main(["game", "rewind", slug, "--to", "0", *REASON_OPTION]) == 0
    assert main(["game", "announce", slug, "--reason", "We move to another server."]) == 0
    assert main(["game", "cancel", slug, *REASON_OPTION]) == 0
    assert stored_game(database, slug, guests[0]).status == GameStatus.CANCELLED


def test_dry_run_changes_nothing(
    database: Database, slug: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["game", "pause", slug, "--dry-run", *REASON_OPTION]) == 0
    assert "This would happen: The game is paused." in capsys.readouterr().out
    assert ledger_acts(database) == []


def test_operator_changes_seats(database: Database, guests: list[Guest], slug: str) -> None:
    sign_in_guest(database, DAVE)
    substitute_options = ("--name", DAVE.name, "--address", DAVE.address)
    assert main(["seat", "open", slug, "2", *REASON_OPTION]) == 0
    assert main(["seat", "person", slug, "2", *substitute_options, *REASON_OPTION]) == 0
    assert main(["seat", "rename", slug, "2", "--name", "David", *REASON_OPTION]) == 0
    assert main(["seat", "host", slug, "2", *REASON_OPTION]) == 0
    assert main(["seat", "bot", slug, "3", "--level", "keen", *REASON_OPTION]) == 0
    row = stored_game(database, slug, guests[0]).row
    assert (row.seats[1].name, row.seats[2].bot_level) == ("David", "keen")
    assert row.host_id == row.seats[1].account_id


@pytest.mark.parametrize("level", ["random", "brilliant"])
def test_level_that_is_not_offered_is_refused(
    database: Database, slug: str, level: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["seat", "bot", slug, "3", "--level", level, *REASON_OPTION])
    assert "choose from 'easy', 'steady', 'keen'" in capsys.readouterr().err
    assert ledger_acts(database) == []


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (["game", "pause", "none-such", *REASON_OPTION], "There is no game none-such."),
        (
            ["game", "extend", "SLUG", "--days", "15", *REASON_OPTION],
            "Extra: Please enter a number",
        ),
        (["game", "resume", "SLUG", *REASON_OPTION], "This game isn't paused."),
        (["game", "pause", "SLUG", "--turn-is", "7", *REASON_OPTION], "The game has moved on"),
        (["game", "pause", "SLUG", "--reason", " "], "Reason: Please fill this in."),
        (["seat", "open", "SLUG", "9", *REASON_OPTION], "Seat: "),
    ],
)
def test_refused_act_is_explained(
    database: Database,
    slug: str,
    arguments: list[str],
    complaint: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([slug if word == "SLUG" else word for word in arguments]) == 2
    assert complaint in capsys.readouterr().err
    assert ledger_acts(database) == []


def test_operator_shares_the_limits_of_a_game(
    database: Database, slug: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(limit_of(GameRight.ANNOUNCE_TO_TABLE).per_game):
        assert main(["game", "announce", slug, *REASON_OPTION]) == 0
    assert main(["game", "announce", slug, *REASON_OPTION]) == 2
    assert "It's possible again from" in capsys.readouterr().err


def test_operator_offers_a_seat_and_withdraws_the_offer(
    database: Database, slug: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["seat", "open", slug, "2", *REASON_OPTION]) == 0
    assert main(["seat", "offer", slug, "2", "--address", DAVE.address, *REASON_OPTION]) == 0
    printed_output = capsys.readouterr().out
    assert "Seat 2 is offered to another person" in printed_output
    assert "/seat-offers/" not in printed_output
    assert main(["seat", "withdraw", slug, "2", *REASON_OPTION]) == 0
    assert main(["seat", "withdraw", slug, "2", *REASON_OPTION]) == 2
    assert "There is no open offer of this seat." in capsys.readouterr().err
    assert ledger_acts(database) == ["open-seat", "offer-seat", "withdraw-offer"]


def test_operator_gets_a_working_seat_offer_link(
    database: Database, slug: str, capsys: pytest.CaptureFixture[str]
) -> None:
    dave = sign_in_guest(database, DAVE, now=utc_now())
    main(["seat", "open", slug, "2", *REASON_OPTION])
    assert main(["seat", "offer", slug, "2", "--dry-run", *REASON_OPTION]) == 0
    assert "/seat-offers/" not in capsys.readouterr().out
    assert main(["seat", "offer", slug, "2", *REASON_OPTION]) == 0
    token = capsys.readouterr().out.strip().rpartition("/seat-offers/")[2]
    accept_offered_seat(database, token, dave, now=utc_now())
    assert stored_game(database, slug, dave).row.seats[1].account_id == dave.person.id


def test_help_says_that_seating_directly_asks_no_one(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["seat", "person", "--help"])
    assert "WITHOUT asking them" in " ".join(capsys.readouterr().out.split())


def test_operator_undoes_the_newest_act(
    database: Database, slug: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["game", "pause", slug, *REASON_OPTION]) == 0
    assert main(["game", "undo", slug, "--dry-run", *REASON_OPTION]) == 0
    assert main(["game", "undo", slug, *REASON_OPTION]) == 0
    assert capsys.readouterr().out.count("The game is resumed.") == 2
    assert ledger_acts(database) == ["pause", "resume"]


def test_undo_without_an_act_to_undo_is_refused(
    slug: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["game", "undo", slug, *REASON_OPTION]) == 2
    assert "can't be undone" in capsys.readouterr().err
    assert main(["game", "undo", "none-such", *REASON_OPTION]) == 2
    assert "There is no game none-such." in capsys.readouterr().err


def test_operator_resends_the_email_that_was_given_up(
    database: Database, slug: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["game", "resend", slug, *REASON_OPTION]) == 2
    assert "nothing to send again" in capsys.readouterr().err
    set_turn_email_status(database, slug, "failed", reason="550 no such user", at=utc_now())
    assert main(["game", "resend", slug, *REASON_OPTION]) == 0
    assert "An email to Alice is sent again." in capsys.readouterr().out
    assert ledger_acts(database) == ["resend-email"]
