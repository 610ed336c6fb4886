"""`lodepost show` as an operator runs it."""

import pytest
from sqlalchemy import select, update

from engine.wire import stored_json
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import (
    Guest,
    deal_game,
    play_to_end,
    play_turn,
    sign_in_guests,
    stored_game,
)
from tests.support.transactions import transaction
from tests.support.visitors import Site
from webapp.cli import main
from webapp.kernel import urls
from webapp.kernel.game_status import GameStatus
from webapp.kernel.tx import Database
from webapp.moderation.schema import LedgerEntry, SecurityEvent
from webapp.play.schema import Game, Turn

REASON = "Bob says that their card vanished"


@pytest.fixture(autouse=True)
def _environment(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("REDIS_URL", "SMTP_URL", "BASE_URL", "LISTEN", "DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("SECRET_KEY", "k" * 32)


@pytest.fixture
def guests(database: Database) -> list[Guest]:
    return sign_in_guests(database, ALICE, BOB, CAROL)


@pytest.fixture
def slug(database: Database, guests: list[Guest]) -> str:
    dealt = deal_game(database, guests)
    play_turn(database, dealt, guests[0])
    return dealt


def recorded_looks(database: Database) -> list[tuple[int | None, str, int | None, str | None]]:
    columns = (LedgerEntry.actor_id, LedgerEntry.acted_as, LedgerEntry.seq, LedgerEntry.reason)
    with transaction(database) as tx:
        rows = tx.execute(select(*columns).where(LedgerEntry.act == "peek"))
        return [tuple(row) for row in rows]


def test_secrets_of_a_running_game_are_shown_only_after_a_record_with_a_reason(
    slug: str, guests: list[Guest], database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", slug]) == 2
    assert main(["show", slug, "--reason", " "]) == 2
    assert capsys.readouterr().out == ""
    assert recorded_looks(database) == []
    assert main(["show", slug, "--reason", REASON]) == 0
    printed = capsys.readouterr().out
    state = stored_game(database, slug, guests[0]).state
    assert printed.startswith(f"Turn {state.seq} of {slug}: seat 1, by player\nAction:\n  do: ")
    assert f'"{state.hands[1][0]}"' in printed.partition("Position as stored:")[2]
    assert recorded_looks(database) == [(None, "operator", state.seq, REASON)]


def test_earlier_turn_is_shown_with_the_position_that_the_log_leads_to(
    slug: str, database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", slug, "--seq", "0", "--reason", REASON]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(f"Turn 0 of {slug}: the table, by player\nEvents:\n  1: ")
    assert "\n  seq: 0\n" in printed.partition("Position from the log:")[2]
    for seq in ("2", "-1"):
        assert main(["show", slug, "--seq", seq, "--reason", REASON]) == 2
    assert main(["show", "no-such-game"]) == 2
    assert len(recorded_looks(database)) == 1


def test_finished_game_is_shown_without_a_reason_and_damaged_values_as_bytes(
    slug: str, database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    with transaction(database) as tx:
        state = tx.execute(select(Game.state).where(Game.slug == slug)).scalar_one()
        assert state is not None
        finished = update(Game).where(Game.slug == slug).values(status=GameStatus.FINISHED)
        tx.execute(finished.values(state=stored_json(state)))
        tx.execute(update(Turn).where(Turn.seq == 1).values(events=b"\x01\xff\xff"))
    assert main(["show", slug]) == 0
    printed = capsys.readouterr().out
    assert "Events:\n  3 bytes that cannot be read: 01ffff\n" in printed
    assert "\n  seq: 1\n" in printed.partition("Position as stored:")[2]
    assert recorded_looks(database) == []
    with transaction(database) as tx:
        commands = tx.execute(
            select(SecurityEvent.detail).where(SecurityEvent.kind == "operator-command")
        )
        assert [detail["command"] for (detail,) in commands] == ["show"]


def test_players_read_of_a_look_once_the_game_is_over_and_not_before(
    site: Site, slug: str, guests: list[Guest]
) -> None:
    bob = site.signed_out().with_session(guests[1].cookie)
    earlier_texts = [bob.page(path).text for path in (urls.game(slug), urls.history(slug))]
    assert main(["show", slug, "--reason", REASON]) == 0
    assert [bob.page(path).text for path in (urls.game(slug), urls.history(slug))] == earlier_texts
    play_to_end(site.database, slug, guests, now=site.clock.now)
    history = bob.page(urls.history(slug)).text
    assert "The operator of this site" in history
    assert "All roles and cards were looked at." in history
    assert REASON in history
