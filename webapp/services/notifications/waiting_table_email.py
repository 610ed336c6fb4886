"""Build the context of the email about a table that closes soon, or find that it is superseded.

Its own module because it is the only email about the time before the deal that depends on how long tables wait.
"""

from webapp.services.lobby.unfilled_times import CLOSED_AFTER, WARNED_AFTER, closing_time
from webapp.services.notifications.email_context import TableWaitingContext
from webapp.services.notifications.email_sources import EmailSource, Superseded, envelope_for
from webapp.services.play.summaries import seat_summaries, table_summary


def table_waiting(source: EmailSource) -> TableWaitingContext:
    """Return that a table closes soon. Raises Superseded if its seats have changed since."""
    game = source.game
    if game is None:
        raise Superseded("no-game")
    seat, closes_at = game.row.seat_of(source.notification.account_id), closing_time(game.row)
    if closes_at is None or closes_at > source.now + CLOSED_AFTER - WARNED_AFTER:
        raise Superseded("moved-on")
    return TableWaitingContext(
        envelope=envelope_for(source),
        table=table_summary(game.row),
        seats=seat_summaries(game.row, me=None if seat is None else seat.number),
        closes_at=closes_at,
    )
