"""Build the context of the email to someone who has taken over a seat: what the seat has seen, and nothing else."""

from webapp.services.notifications.email_context import BriefingContext
from webapp.services.notifications.email_sources import EmailSource, Superseded, envelope_for
from webapp.services.play.briefing import discards_of_round
from webapp.services.play.history import history_for
from webapp.services.play.summaries import seat_summaries, table_summary


def briefing(source: EmailSource) -> BriefingContext:
    """Return what a substitute needs to know. Raises Superseded if they have lost the seat, and once the game is over."""
    notification, game = source.notification, source.game
    if game is None or not game.status.is_under_way:
        raise Superseded("moved-on")
    row, seat = game.row, game.row.seat_of(notification.account_id)
    if seat is None or seat.number != notification.dedup_key:
        raise Superseded("not-seated")
    view = game.view(seat.number)
    entries = history_for(source.new_turns, seat.number, reveal_all=False)
    return BriefingContext(
        envelope=envelope_for(source),
        table=table_summary(row),
        seats=seat_summaries(row, me=seat.number, gone=view.gone, now=source.now),
        view=view,
        discards=discards_of_round(entries),
        deadline_at=None if row.paused_at else row.deadline_at,
    )
