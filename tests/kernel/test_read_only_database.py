"""A database that takes no changes: a standby, or one that its operator has made read-only."""

from collections.abc import Callable

import pytest
from sqlalchemy import select

from engine.view import neutral_action, view_for
from tests.support.bots import play_next_bot
from tests.support.factories import (
    DAY,
    Guest,
    fill_with_bots,
    open_table,
    play_turn,
    stored_game,
    table_settings,
)
from tests.support.postgres import make_read_only
from tests.support.transactions import NOON, pick_first, transaction
from webapp.clock.sweep import sweep
from webapp.kernel.refusals import Unavailable
from webapp.kernel.tx import Database
from webapp.play.queries.turns import GameUpdate, append_many
from webapp.play.schema import Game, Turn
from webapp.play.turns.turns import update_for

pytestmark = pytest.mark.own_database


def _log_and_wake_times(database: Database) -> object:
    """Return the log, and when each game is due next."""
    with transaction(database) as tx:
        turns = tx.execute(select(Turn.game_id, Turn.seq, Turn.by))
        wake_times = tx.execute(select(Game.id, Game.seq, Game.wake_at))
        return turns.all(), wake_times.all()


def _assert_unavailable_and_unchanged(database: Database, attempt: Callable[[], object]) -> None:
    earlier_times = _log_and_wake_times(database)
    make_read_only(database)
    with pytest.raises(Unavailable):
        attempt()
    assert _log_and_wake_times(database) == earlier_times


def test_turn_is_unavailable_and_changes_nothing(
    database: Database, slug: str, guests: list[Guest]
) -> None:
    _assert_unavailable_and_unchanged(database, lambda: play_turn(database, slug, guests[0]))


def test_bot_turn_is_unavailable_and_not_postponed(database: Database, guests: list[Guest]) -> None:
    slug = open_table(database, guests[0], table_settings(starter=1))
    fill_with_bots(database, slug, guests[0])

    def play_bot() -> None:
        with transaction(database) as tx:
            play_next_bot(tx, now=NOON, random_below=pick_first)

    _assert_unavailable_and_unchanged(database, play_bot)


def test_sweep_is_unavailable_and_postpones_no_game(database: Database, slug: str) -> None:
    def run_sweep() -> None:
        with transaction(database, NOON + 2 * DAY) as tx:
            sweep(tx)

    _assert_unavailable_and_unchanged(database, run_sweep)


def test_database_that_closes_during_a_sweep_is_unavailable(
    database: Database, slug: str, guests: list[Guest]
) -> None:
    game = stored_game(database, slug, guests[0])
    action = neutral_action(view_for(game.state, 0), pick_first)
    game_update = update_for(game, 0, action=action, by="clock", now=NOON)
    earlier_times = _log_and_wake_times(database)
    with pytest.raises(Unavailable):
        _append_read_only(database, game_update)
    assert _log_and_wake_times(database) == earlier_times


def _append_read_only(database: Database, game_update: GameUpdate) -> None:
    with transaction(database) as tx:
        tx.connection.exec_driver_sql("SET TRANSACTION READ ONLY")
        append_many(tx, [game_update])
