"""Build the context of emails about deadlines that moved after a maintenance or an outage; or find that they are superseded."""

from webapp.services.notifications.email_context import DeadlinesMovedContext
from webapp.services.notifications.email_sources import EmailSource, Superseded, envelope_for
from webapp.store.notifications.moved_deadlines import decode_moved_deadlines


def deadlines_moved(source: EmailSource) -> DeadlinesMovedContext:
    """Return the games with new deadlines. Raises Superseded if none waits for the recipient any more."""
    moved_deadlines = decode_moved_deadlines(source.notification.moved_deadlines)
    if moved_deadlines is None or not moved_deadlines.games:
        raise Superseded("moved-on")
    return DeadlinesMovedContext(
        envelope=envelope_for(source),
        cause=moved_deadlines.cause,
        began_at=moved_deadlines.began_at,
        ended_at=moved_deadlines.ended_at,
        games=moved_deadlines.games,
    )
