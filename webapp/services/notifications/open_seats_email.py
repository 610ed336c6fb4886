"""Build the context of the email about open seats to a volunteer; or find that it is superseded."""

from webapp.services.notifications.email_context import OpenSeatsContext
from webapp.services.notifications.email_sources import EmailSource, Superseded, envelope_for


def open_seats(source: EmailSource) -> OpenSeatsContext:
    """Return the seats that the recipient may take. Raises Superseded if all are taken, or they want no such emails."""
    if source.open_seats is None:
        raise Superseded("unsubscribed")
    if not source.open_seats:
        raise Superseded("moved-on")
    return OpenSeatsContext(envelope=envelope_for(source), seats=source.open_seats)
