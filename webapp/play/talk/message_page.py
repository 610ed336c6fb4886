"""The page of one message of table talk: where its author changes it, and others mute its author or report it."""

from webapp.accounts import mutes
from webapp.kernel.errors import NotFound
from webapp.kernel.keyring import RandomBytes
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.play.access import GameAccess
from webapp.play.queries import messages
from webapp.play.summaries import SeatSummary, TableSummary, seat_summaries, table_summary
from webapp.play.talk.shown_messages import ShownMessage, find_message, may_read_talk


class MessagePage(Redacted, frozen=True, kw_only=True):
    table: TableSummary
    seats: tuple[SeatSummary, ...]
    message: ShownMessage


def message_page(tx: Tx, access: GameAccess, number: int) -> MessagePage | None:
    """Return a message with its table; None if there is none that the viewer may read."""
    message = find_message(tx, access, number)
    if message is None:
        return None
    row = access.game.row
    return MessagePage(
        table=table_summary(row),
        seats=seat_summaries(row, me=access.seat),
        message=message,
    )


def mute_author(tx: Tx, access: GameAccess, number: int, *, tokens: RandomBytes) -> str:
    """Mute who wrote this message and return their name in it; muting them again changes nothing.

    Raises NotFound for messages that the viewer may not read, their own, and those of deleted accounts.
    """
    person = access.person
    if person is None or not may_read_talk(access):
        raise NotFound
    author = messages.find_author(tx, access.game.row.id, number)
    if author is None or author.account_id == person.id or not author.name:
        raise NotFound
    mutes.mute_account(tx, person, author.account_id, name=author.name, tokens=tokens)
    return author.name
