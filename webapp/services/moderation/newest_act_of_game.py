"""The newest act on a game and its newest email that was given up: what the operator's commands undo and send again."""

from typing import Any, NamedTuple

from webapp.services.accounts.person import is_storable
from webapp.services.errors import DenialReason, NotAllowed, NotFound
from webapp.services.play.acts import Act, acts_by_name
from webapp.services.tx import Tx
from webapp.store.moderation import games_under_moderation, ledger, public_turns


class NewestAct(NamedTuple):
    """An act as the ledger has recorded it."""

    act: Act[Any]
    id: int


def newest_act(tx: Tx, slug: str) -> NewestAct:
    """Return the newest act on a game. Raises NotFound, and NotAllowed if there is none that could be undone."""
    entries = ledger.entries_of_game(tx.connection, _game_id(tx, slug), limit=1)
    act = acts_by_name().get(entries[0].act) if entries else None
    if act is None:
        raise NotAllowed(DenialReason.CANNOT_BE_UNDONE)
    return NewestAct(act, entries[0].id)


def newest_unsent_email(tx: Tx, slug: str) -> int:
    """Return the id of the newest email about a game that was given up. Raises NotFound, and NotAllowed if there is none."""
    unsent_emails = public_turns.unsent_emails(tx.connection, _game_id(tx, slug))
    if not unsent_emails:
        raise NotAllowed(DenialReason.EMAIL_NOT_FAILED)
    return unsent_emails[0].id


def _game_id(tx: Tx, slug: str) -> int:
    game = games_under_moderation.find(tx.connection, slug) if is_storable(slug) else None
    if game is None:
        raise NotFound
    return game.id
