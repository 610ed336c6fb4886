import pytest

from tests.support.factories import Guest, deal_short_game, play_to_end, play_turn
from webapp.kernel.tx import Database


@pytest.fixture
def populated_database(database: Database, slug: str, guests: list[Guest]) -> Database:
    """A running game, a finished one, sessions and emails."""
    play_turn(database, slug, guests[0])
    play_to_end(database, deal_short_game(database, guests[:1]), guests[:1])
    database.dispose()
    return database
