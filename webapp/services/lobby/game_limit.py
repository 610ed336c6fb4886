"""How many games one person may be in at a time: few at first, and one more for every game they have finished.

Someone new may leave without a word; this way they keep only a few tables waiting.
"""

from typing import Final

from webapp.services.accounts.person import Person
from webapp.services.current_settings import limit_of
from webapp.services.errors import DenialReason, NotAllowed
from webapp.services.tx import Tx
from webapp.store.lobby import game_counts

FIRST_GAMES: Final = 3
"""Games that someone who has finished none may be in."""


def require_room_for_game(tx: Tx, person: Person) -> None:
    """Raise NotAllowed if the person is in as many games as they may be in."""
    if not has_room_for_game(tx, person):
        raise NotAllowed(DenialReason.TOO_MANY_GAMES)


def has_room_for_game(tx: Tx, person: Person) -> bool:
    """Return whether the person may be in another game: up to the games they have finished and three, and the site's limit.

    A seat counts from the moment it is taken, because the cards are dealt without asking again.
    """
    counts = game_counts.count_games(tx.connection, person.id)
    return counts.current < min(counts.finished + FIRST_GAMES, limit_of(tx, "most_games"))
