"""Build the contexts of emails about tables that wait for players, or find that they are superseded."""

from webapp.services.lobby.waiting_times import CLOSED_AFTER, WARNED_AFTER, closing_time
from webapp.services.notifications.email_sources import EmailSource, Superseded, envelope_for
from webapp.services.notifications.lobby_contexts import TableWaitingContext
from webapp.services.play.summaries import seat_summaries, table_summary


def ready_check_over(source: EmailSource) -> TableWaitingContext:
    """Return that a table waits for players again. Raises Superseded if it does not, or the recipient has left it."""
    game, recipient_id = source.game, source.notification.account_id
    closes_at = None if game is None else closing_time(game.row)
    if game is None or closes_at is None:
        raise Superseded("moved-on")
    seat = game.row.seat_of(recipient_id)
    if seat is None and not game.row.is_hosted_by(recipient_id):
        raise Superseded("not-seated")
    return TableWaitingContext(
        envelope=envelope_for(source),
        table=table_summary(game.row),
        seats=seat_summaries(game.row, me=None if seat is None else seat.number),
        closes_at=closes_at,
    )


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
