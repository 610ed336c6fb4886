"""Build the contexts of emails about tables before the deal; or find that they are superseded."""

from webapp.game_status import GameStatus
from webapp.services.lobby.invitation_links import invitation_token
from webapp.services.lobby.waiting_times import answer_time
from webapp.services.notifications.email_context import (
    InvitationContext,
    ReadyCheckContext,
    TableCancelledContext,
)
from webapp.services.notifications.email_sources import (
    EmailSource,
    Superseded,
    envelope_for,
    require_game,
    require_seated,
)
from webapp.services.notifications.lobby_contexts import SeatFreedContext
from webapp.services.play.access import LoadedGame
from webapp.services.play.summaries import commitments_of, seat_summaries, table_summary
from webapp.store.notifications.claimed_notifications import ClaimedNotification


def invitation(source: EmailSource) -> InvitationContext:
    """Return the invitation. Raises Superseded if it was accepted, or no seat is left for its recipient."""
    notification, game = source.notification, require_game(source)
    if not game.status.is_before_deal:
        raise Superseded("moved-on")
    if notification.is_used or notification.nonce is None:
        raise Superseded("accepted")
    _require_seat_for(notification, game)
    return InvitationContext(
        envelope=envelope_for(source),
        table=table_summary(game.row),
        seats=seat_summaries(game.row, me=None),
        host=notification.inviter or game.row.host_name,
        token=invitation_token(notification.nonce, source.keys),
        commitments=commitments_of(game.row),
        is_rematch=notification.is_rematch,
    )


def _require_seat_for(notification: ClaimedNotification, game: LoadedGame) -> None:
    """Raise Superseded if the table has no free seat or the recipient already has one."""
    seated_account_ids = {seat.account_id for seat in game.row.seats} - {None}
    if notification.recipient_id in seated_account_ids:
        raise Superseded("seated")
    if not any(seat.is_free for seat in game.row.seats):
        raise Superseded("full")


def ready_check(source: EmailSource) -> ReadyCheckContext:
    """Return what the recipient is asked to confirm. Raises Superseded once they have, or it is asked again."""
    game, seat = require_seated(source)
    if game.status != GameStatus.READY_CHECK or source.notification.has_newer_ready_check:
        raise Superseded("moved-on")
    if game.row.seats[seat].is_ready:
        raise Superseded("ready")
    answer_by = answer_time(game.row)
    assert answer_by is not None
    return ReadyCheckContext(
        envelope=envelope_for(source),
        table=table_summary(game.row),
        seats=seat_summaries(game.row, me=seat, now=source.now),
        commitments=commitments_of(game.row),
        answer_by=answer_by,
    )


def seat_freed(source: EmailSource) -> SeatFreedContext:
    """Return that the recipient has lost their seat before the deal. Raises Superseded if they have one again."""
    game, notification = require_game(source), source.notification
    if game.row.seat_of(notification.account_id) is not None:
        raise Superseded("seated")
    row = game.row
    may_see_table = (
        row.public or row.is_hosted_by(notification.account_id) or notification.is_member_at_table
    )
    return SeatFreedContext(
        envelope=envelope_for(source),
        table=table_summary(row),
        may_see_table=may_see_table,
        can_return=game.status.is_before_deal,
    )


def table_cancelled(source: EmailSource) -> TableCancelledContext:
    """Return that a table is cancelled. Raises Superseded for an invitation of someone who got the email for their seat."""
    notification, game = source.notification, require_game(source)
    is_seated = notification.account_id is not None
    if not is_seated and game.row.seat_of(notification.recipient_id) is not None:
        raise Superseded("seated")
    return TableCancelledContext(
        envelope=envelope_for(source),
        table=table_summary(game.row),
        is_seated=is_seated,
        is_unfilled=notification.act is not None,
    )
