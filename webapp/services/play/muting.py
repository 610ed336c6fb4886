"""Muting the author of a message, from the message."""

from webapp.services.accounts import mutes
from webapp.services.errors import NotFound
from webapp.services.keys import RandomBytes
from webapp.services.play.access import GameAccess
from webapp.services.play.shown_messages import may_read_talk
from webapp.services.tx import Tx
from webapp.store.play import messages


def mute_author(tx: Tx, access: GameAccess, number: int, *, tokens: RandomBytes) -> str:
    """Mute who wrote this message and return their name in it; muting them again changes nothing.

    Raises NotFound for messages that the viewer may not read, their own, and those of deleted accounts.
    """
    person = access.person
    if person is None or not may_read_talk(access):
        raise NotFound
    author = messages.find_author(tx.connection, access.game.row.id, number)
    if author is None or author.account_id == person.id or not author.name:
        raise NotFound
    mutes.mute_account(tx, person, author.account_id, name=author.name, tokens=tokens)
    return author.name
