"""A database that takes no changes: a standby, or one that its operator has closed for a while."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import select

from engine.view import neutral_action, view_for
from tests.support.factories import (
    DAY,
    NOON,
    Guest,
    fill_with_bots,
    open_table,
    pick_first,
    play_turn,
    stored_game,
    table_settings,
)
from webapp.services.errors import Unavailable
from webapp.services.play.bots import play_next_bot
from webapp.services.play.deadlines import sweep
from webapp.services.play.turns import update_for
from webapp.services.tx import Database, transaction
from webapp.store.play.turns import GameUpdate, append_many
from webapp.store.schema.play import Game, Turn


def close_for_changes(database: Database) -> None:
    with transaction(database) as tx:
        name = tx.connection.exec_driver_sql("SELECT current_database()").scalar_one()
        tx.connection.exec_driver_sql(
            f'ALTER DATABASE "{name}" SET default_transaction_read_only = on'
        )
    # Who is connected already does not hear of it.
    database.dispose()


def stored(database: Database) -> object:
    """The log, and when each game is looked at next."""
    with transaction(database) as tx:
        turns = tx.connection.execute(select(Turn.game_id, Turn.seq, Turn.by))
        wakes = tx.connection.execute(select(Game.id, Game.seq, Game.wake_at))
        return turns.all(), wakes.all()


def unchanged_by(database: Database, attempt: Callable[[], object]) -> None:
    before = stored(database)
    close_for_changes(database)
    with pytest.raises(Unavailable):
        attempt()
    assert stored(database) == before


def test_a_turn_is_refused_and_nothing_is_half_done(
    database: Database, slug: str, guests: list[Guest]
) -> None:
    unchanged_by(database, lambda: play_turn(database, slug, guests[0]))


def test_a_bot_waits_and_is_not_taken_for_broken(database: Database, guests: list[Guest]) -> None:
    slug = open_table(database, guests[0], table_settings(starter=1))
    fill_with_bots(database, slug, guests[0])

    def let_a_bot_play() -> None:
        with transaction(database) as tx:
            play_next_bot(tx, now=NOON, pause=timedelta(), pick=pick_first)

    unchanged_by(database, let_a_bot_play)


def test_the_clock_waits_and_takes_no_game_for_broken(database: Database, slug: str) -> None:
    def run_the_clock() -> None:
        with transaction(database) as tx:
            sweep(tx, now=NOON + 2 * DAY, pick=pick_first)

    unchanged_by(database, run_the_clock)


def test_it_may_be_closed_in_the_middle_of_the_clocks_work(
    database: Database, slug: str, guests: list[Guest]
) -> None:
    game = stored_game(database, slug, guests[0])
    action = neutral_action(view_for(game.state, 0), pick_first)
    write = update_for(game, 0, action=action, by="clock", now=NOON)
    before = stored(database)
    with pytest.raises(Unavailable):
        append_when_closed(database, write)
    assert stored(database) == before


def append_when_closed(database: Database, write: GameUpdate) -> None:
    with transaction(database) as tx:
        tx.connection.exec_driver_sql("SET TRANSACTION READ ONLY")
        append_many(tx.connection, [write])
