"""Rounds that take a third of their usual turns, because the deck of a served game is empty."""

from pathlib import Path

import msgspec
from sqlalchemy import select, update

from engine.wire import decode_state, encode_state
from tests.support.transactions import transaction
from webapp.embedded.server import attach
from webapp.kernel.tx import Database
from webapp.play.schema import Game


def empty_deck(data: Path, slug: str) -> None:
    """Empty the deck of a game of the server that runs in this data folder."""
    with attach(data) as url:
        database = Database(url, pool_size=1)
        with transaction(database) as tx:
            query = select(Game.state).where(Game.slug == slug).with_for_update()
            state = decode_state(tx.execute(query).scalar_one())
            short_state = encode_state(msgspec.structs.replace(state, deck=()))
            tx.execute(update(Game).where(Game.slug == slug).values(state=short_state))
        database.dispose()
