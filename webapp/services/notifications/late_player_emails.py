"""Build the contexts of emails about missed turns, and about seats whose players have gone; or find that they are superseded.

They hold public facts only: what the clock played is as everyone at the table may read it.
"""

from webapp.services.notifications.email_context import (
    PlayerLeftContext,
    SeatOpenedContext,
    TurnMissedContext,
)
from webapp.services.notifications.email_sources import EmailSource, Superseded, envelope_for
from webapp.services.play.history import history_for
from webapp.services.play.lost_seats import was_unreachable
from webapp.services.play.shown_acts import shown_act
from webapp.services.play.summaries import seat_summaries, table_summary
from webapp.store.moderation.shown_acts import decode_act


def turn_missed(source: EmailSource) -> TurnMissedContext:
    """Return what a player is sent for whom the clock has played. Raises Superseded if they have no seat any more."""
    notification, game = source.notification, source.game
    seat = None if game is None else game.row.seat_of(notification.account_id)
    if game is None or seat is None:
        raise Superseded("not-seated")
    missed_turns = [
        turn
        for turn in source.new_turns
        if turn.by == "clock" and turn.seat == seat.number and turn.seq <= (notification.seq or 0)
    ]
    return TurnMissedContext(
        envelope=envelope_for(source),
        table=table_summary(game.row),
        seats=seat_summaries(game.row, me=seat.number),
        entries=history_for(missed_turns[-1:], None, reveal_all=False),
        strikes=notification.dedup_key,
        strikes_until_open=game.row.late_rules.strikes_until_open,
    )


def player_left(source: EmailSource) -> PlayerLeftContext:
    """Return what the others are sent when a player has deleted their account. Raises Superseded once the seat is taken."""
    game, seat = source.game, source.notification.dedup_key
    if game is None or game.row.seat_of(source.notification.account_id) is None:
        raise Superseded("not-seated")
    if not game.status.is_under_way or not game.row.seats[seat].is_free:
        raise Superseded("moved-on")
    hand_over_act = decode_act(source.notification.act)
    return PlayerLeftContext(
        envelope=envelope_for(source),
        table=table_summary(game.row),
        seat=seat,
        new_host=None if hand_over_act is None else shown_act(hand_over_act),
    )


def seat_opened(source: EmailSource) -> SeatOpenedContext:
    """Return what a player is sent whose seat is open. Raises Superseded once they can't take it back."""
    notification, game = source.notification, source.game
    if game is None or not game.status.is_under_way:
        raise Superseded("moved-on")
    seat = game.row.seats[notification.dedup_key]
    if not seat.is_free:
        raise Superseded("moved-on")
    return SeatOpenedContext(
        envelope=envelope_for(source),
        table=table_summary(game.row),
        seat=seat.number,
        strikes=seat.strikes,
        was_unreachable=was_unreachable(game.row, seat.number),
        is_for_volunteers=game.row.late_rules.replacement == "volunteers",
    )
