"""Positions set up by hand in the stored game, for what chance brings too rarely."""

from typing import Any

import msgspec
from sqlalchemy import update

from engine.cells import START_CELL
from engine.mine import Mine
from engine.wire import encode_state
from tests.support.factories import stored_game
from tests.support.visitors import DealtGame, Site
from webapp.services.tx import transaction
from webapp.store.schema.play import Game

TUNNEL = {"B5": "path-rl", "C5": "path-rl", "D5": "path-rl", "E5": "path-rl", "F5": "path-rl"}
"""Two cards short of the middle goal."""


def rig(site: Site, game: DealtGame, *, laid: dict[str, str] | None = None, **changed: Any) -> None:
    """Change the position as it is stored: cards laid beside the start, hands, goals, roles ..."""
    stored = stored_game(site.database, game.slug, game.guests[0])
    mine = stored.state.mine
    if laid is not None:
        mine = Mine(
            continue_path=mine.continue_path,
            build_from_goal_alone=mine.build_from_goal_alone,
            laid={START_CELL: "start"} | laid,
        )
    state = msgspec.structs.replace(stored.state, mine=mine, **changed)
    with transaction(site.database) as tx:
        statement = update(Game).where(Game.id == stored.row.id)
        tx.connection.execute(statement.values(state=encode_state(state)))


def deal_to(site: Site, game: DealtGame, seat: int, *cards: str) -> None:
    """Give a seat this hand."""
    hands = list(stored_game(site.database, game.slug, game.guests[0]).state.hands)
    hands[seat] = cards
    rig(site, game, hands=tuple(hands))
