"""The list of games uses indexes, however many games there are."""

import pytest

from tests.support.transactions import NOON, transaction
from webapp.kernel.tx import Database
from webapp.moderation.queries.game_filter import GameFilter, ListPosition, parameters
from webapp.moderation.queries.game_list import page_statement

pytestmark = pytest.mark.own_database

VIEWER_ID = 1
STUCK_STATES = frozenset({"server", "email", "seat", "paused"})
AFTER_POSITION = ListPosition(3, NOON, "a")


@pytest.mark.parametrize(
    "game_filter, after, indexes",
    [
        (GameFilter(VIEWER_ID), None, {"game_waiting", "game_bot_turn"}),
        (GameFilter(VIEWER_ID), AFTER_POSITION, {"game_waiting"}),
        (GameFilter(VIEWER_ID, STUCK_STATES), None, {"game_paused"}),
    ],
    ids=["first-page", "later-page", "stuck"],
)
def test_page_of_games_uses_its_indexes(
    database: Database, game_filter: GameFilter, after: ListPosition | None, indexes: set[str]
) -> None:
    after_rank = None if after is None else after.rank
    statement = page_statement(game_filter.shape(), after_rank=after_rank, limit=51)
    with transaction(database) as tx:
        # On an empty table a sequential scan would be cheaper.
        tx.connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
        rows = tx.connection.exec_driver_sql(
            "EXPLAIN " + statement.text, parameters(game_filter, after, now=NOON)
        ).all()
    plan = "\n".join(row[0] for row in rows)
    assert {index for index in indexes if index not in plan} == set()
