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
    query = page_statement(game_filter, after=after, limit=51)
    with transaction(database) as tx:
        # On an empty table a sequential scan would be cheaper.
        tx.connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
        compiled_query = query.compile(tx.connection)
        statement_parameters = compiled_query.construct_params(parameters(game_filter, now=NOON))
        rows = tx.connection.exec_driver_sql(
            "EXPLAIN " + str(compiled_query), statement_parameters
        ).all()
    plan = "\n".join(row[0] for row in rows)
    assert {index for index in indexes if index not in plan} == set()
