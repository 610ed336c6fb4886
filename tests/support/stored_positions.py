"""Changes to the stored position of a game, for situations that random deals rarely produce."""

from typing import Any

import msgspec
from sqlalchemy import update

from engine.cells import START_CELL
from engine.mine import Mine
from engine.wire import encode_state
from tests.support.factories import stored_game
from tests.support.transactions import transaction
from tests.support.visitors import DealtGame, Site
from webapp.play.schema import Game

TUNNEL = {"B5": "path-rl", "C5": "path-rl", "D5": "path-rl", "E5": "path-rl", "F5": "path-rl"}
"""A tunnel that ends two cards before the middle goal."""


def change_position(
    site: Site, game: DealtGame, *, laid: dict[str, str] | None = None, **changed_fields: Any
) -> None:
    """Change the stored position: the laid cards (given by cell, beside the start), hands, goals, roles ..."""
    stored_position = stored_game(site.database, game.slug, game.guests[0])
    mine = stored_position.state.mine
    if laid is not None:
        mine = Mine(
            continue_path=mine.continue_path,
            build_from_goal_alone=mine.build_from_goal_alone,
            laid={START_CELL: "start"} | laid,
        )
    state = msgspec.structs.replace(stored_position.state, mine=mine, **changed_fields)
    with transaction(site.database) as tx:
        statement = update(Game).where(Game.id == stored_position.row.id)
        tx.execute(statement.values(state=encode_state(state)))


def set_hand(site: Site, game: DealtGame, seat: int, *cards: str) -> None:
    """Replace the hand of a seat."""
    hands = list(stored_game(site.database, game.slug, game.guests[0]).state.hands)
    hands[seat] = cards
    change_position(site, game, hands=tuple(hands))
