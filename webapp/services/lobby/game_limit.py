"""How many games one person may be in at a time: few at first, and one more for every game they have finished with other people.

Someone new may leave without a word; this way they keep only a few tables waiting.
"""

from typing import Final

from webapp.services.accounts.person import Person
from webapp.services.current_settings import limit_of
from webapp.services.errors import DenialReason, NotAllowed
from webapp.services.tx import Tx
from webapp.store.accounts.address_changes import lock_account
from webapp.store.lobby import game_counts

MAX_GAMES_OF_NEWCOMER: Final = 3
"""Games that someone who has finished none with other people may be in."""


def lock_game_count(tx: Tx, person: Person) -> None:
    """Make others who seat this person wait until this transaction ends, so that two games at once are counted one by one.

    To be called after the game is locked: games are locked before accounts.
    """
    lock_account(tx.connection, person.id)


def require_room_for_game(tx: Tx, person: Person) -> None:
    """Lock the person's count of games, and raise NotAllowed if they are in as many as they may be in."""
    lock_game_count(tx, person)
    if not has_room_for_game(tx, person.id):
        raise NotAllowed(DenialReason.TOO_MANY_GAMES)


def has_room_for_game(tx: Tx, account_id: int) -> bool:
    """Return whether the person may be in another game: up to the games they have finished and three, and the site's limit.

    A seat counts from the moment it is taken, because the cards are dealt without asking again.
    """
    counts = game_counts.count_games(tx.connection, account_id)
    return counts.current < min(counts.finished + MAX_GAMES_OF_NEWCOMER, limit_of(tx, "most_games"))
