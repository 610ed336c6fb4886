from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import insert, select, update

from engine.actions import Action, TakeGold
from engine.bots.policy import choose_action
from engine.state import GoldChoice
from engine.view import View
from engine.wire import decode_action
from tests.support.bots import play_next_bot
from tests.support.cast import ALICE, BOB
from tests.support.factories import (
    Guest,
    deal_game,
    fill_with_bots,
    open_table,
    play_bots,
    play_to_end,
    play_turn,
    sign_in_guest,
    sign_in_guests,
    stored_game,
    table_settings,
)
from tests.support.transactions import NOON, pick_first, seeded_tokens, transaction
from webapp.accounts.profile import change_profile
from webapp.kernel.refusals import Unavailable
from webapp.kernel.tx import Database
from webapp.mail.schema import Notification
from webapp.play.queries.clocks import RETRY_AFTER
from webapp.play.schema import Game, Turn


def _logged_turns(database: Database) -> list[tuple[int | None, str]]:
    with transaction(database) as tx:
        rows = tx.execute(select(Turn.seat, Turn.by).order_by(Turn.seq))
        return [(row[0], row[1]) for row in rows]


def _gold_taken_by(database: Database) -> set[str]:
    with transaction(database) as tx:
        rows = tx.execute(select(Turn.by, Turn.action).where(Turn.action.is_not(None)))
        return {by for by, action in rows if isinstance(decode_action(action or b""), TakeGold)}


def _bot_policy_action(view: View) -> Action:
    return choose_action(view, (), pick_first, "steady")


@pytest.fixture
def table(database: Database) -> tuple[str, Guest]:
    """Alice and two bots; the bots begin."""
    alice = sign_in_guest(database, ALICE)
    slug = open_table(database, alice, table_settings(starter=1))
    fill_with_bots(database, slug, alice)
    return slug, alice


def test_bots_play_until_a_person_is_on_turn(database: Database, table: tuple[str, Guest]) -> None:
    slug, alice = table
    assert play_bots(database) == 2
    assert _logged_turns(database)[1:] == [(1, "bot"), (2, "bot")]
    assert stored_game(database, slug, alice).row.awaiting == 0


def test_bots_get_no_emails(database: Database, table: tuple[str, Guest]) -> None:
    play_bots(database)
    with transaction(database) as tx:
        notified_ids = set(tx.execute(select(Notification.account_id)).scalars())
    assert notified_ids == {table[1].person.id}


def test_concurrent_workers_play_each_bot_turn_once(
    database: Database, table: tuple[str, Guest]
) -> None:
    def play_until_no_bot_is_due(_: int) -> int:
        return play_bots(database)

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(play_until_no_bot_is_due, range(4))) >= 2
    play_bots(database)
    assert [seat for seat, _ in _logged_turns(database)] == [None, 1, 2]


def test_failing_bot_is_postponed_and_other_bots_play(
    database: Database, table: tuple[str, Guest]
) -> None:
    slug, alice = table
    with transaction(database) as tx:
        tx.execute(update(Game).values(state=b"{broken"))
    other = open_table(database, alice, table_settings(starter=1))
    fill_with_bots(database, other, alice)
    # The turns of the two bots at the other table.
    assert play_bots(database) == 2
    assert stored_game(database, other, alice).row.awaiting == 0
    with transaction(database) as tx:
        wake_at_query = select(Game.wake_at).where(Game.slug == slug)
        assert tx.execute(wake_at_query).scalar_one() == NOON + RETRY_AFTER


def test_busy_database_does_not_postpone_the_game(
    database: Database, table: tuple[str, Guest]
) -> None:
    earlier_row = stored_game(database, *table).row
    with database.engine.begin() as other:
        # This insert makes any other writer of the same turn wait.
        columns = {"by": "bot", "events": b"", "head": b"", "at": NOON}
        row = {"game_id": earlier_row.id, "seq": 1, **columns}
        other.execute(insert(Turn).values(row))
        with pytest.raises(Unavailable):
            _play_with_short_lock_timeout(database)
        other.rollback()
    assert stored_game(database, *table).row == earlier_row


def _play_with_short_lock_timeout(database: Database) -> None:
    with transaction(database) as tx:
        tx.connection.exec_driver_sql("SET LOCAL lock_timeout = 20")
        play_next_bot(tx, now=NOON, random_below=pick_first)


def test_game_of_bots_and_one_person_finishes(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    slug = deal_game(
        database, [alice], table_settings(seats=4), tokens=seeded_tokens("a whole game")
    )
    play_to_end(database, slug, [alice])
    assert stored_game(database, slug, alice).status == "finished"


def test_best_gold_is_picked_for_players_who_let_the_server_pick(database: Database) -> None:
    alice, bob = sign_in_guests(database, ALICE, BOB)
    slug = deal_game(database, [alice, bob], table_settings(seats=4), tokens=seeded_tokens("gold"))
    play_to_end(database, slug, [alice, bob], choose=_bot_policy_action)
    assert _gold_taken_by(database) == {"server", "bot"}


def test_player_who_picks_gold_gets_the_choice(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    with transaction(database) as tx:
        change_profile(tx, alice.person, name="Alice", language="en", zone="UTC", picks_gold=False)
    slug = deal_game(database, [alice], table_settings(seats=4), tokens=seeded_tokens("gold-5"))
    reached_choice = _play_until_gold_choice(database, slug, alice)
    choice = stored_game(database, slug, alice).state.choice
    assert reached_choice
    assert isinstance(choice, GoldChoice)
    play_turn(database, slug, alice, TakeGold(min(choice.cards)))
    assert "player" in _gold_taken_by(database)


def _play_until_gold_choice(database: Database, slug: str, guest: Guest) -> bool:
    while True:
        play_bots(database)
        game = stored_game(database, slug, guest)
        if game.status == "finished" or isinstance(game.state.choice, GoldChoice):
            return game.status != "finished"
        play_turn(database, slug, guest, choose=_bot_policy_action)
