"""The page of one message of table talk: where its author changes it, and others mute its author or report it."""

from webapp.services.play.access import GameAccess
from webapp.services.play.shown_messages import ShownMessage, find_message
from webapp.services.play.summaries import (
    SeatSummary,
    TableSummary,
    seat_summaries,
    table_summary,
)
from webapp.services.tx import Tx
from webapp.store.redacted import Redacted


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
