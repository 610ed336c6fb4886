"""Build the context of the email that offers a seat in a running game; or find that it is superseded."""

from webapp.clock import has_passed
from webapp.services.lobby.seat_offer_links import seat_offer_token
from webapp.services.notifications.email_context import SeatOfferContext
from webapp.services.notifications.email_sources import EmailSource, Superseded, envelope_for
from webapp.services.play.summaries import seat_summaries, table_summary


def seat_offer(source: EmailSource) -> SeatOfferContext:
    """Return what a person is sent who is asked to take over a seat. Raises Superseded once they can't."""
    notification, game = source.notification, source.game
    seat, expires_at = notification.offered_seat, notification.expires_at
    if game is None or seat is None or expires_at is None or notification.nonce is None:
        raise Superseded("no-game")
    if notification.is_used or has_passed(expires_at, now=source.now):
        raise Superseded("moved-on")
    row = game.row
    if not row.status.is_under_way or row.seats[seat].account_id is not None:
        raise Superseded("moved-on")
    if row.seat_of(notification.recipient_id) is not None:
        raise Superseded("seated")
    return SeatOfferContext(
        envelope=envelope_for(source),
        table=table_summary(row),
        seats=seat_summaries(row, me=None),
        seat=seat,
        offerer=notification.inviter or "",
        token=seat_offer_token(notification.nonce, source.keys),
        expires_at=expires_at,
    )
