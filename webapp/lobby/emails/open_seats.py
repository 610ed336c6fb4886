"""Open seats that the recipient, who has asked for this email, may take: one email for all of them.

It doesn't say who left them, or why.
"""

from collections.abc import Iterator, Mapping, Sequence

from webapp.kernel import urls
from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.i18n import N_
from webapp.kernel.tx import Tx
from webapp.lobby.queries.open_seats import OpenSeatRow
from webapp.lobby.volunteers import seats_to_email
from webapp.mail.blocks import Link
from webapp.mail.email import Email, EmailLocale, EmailSource, Superseded
from webapp.mail.envelope import EmailContext, OptOuts
from webapp.mail.mime import one_line
from webapp.wording.tables import rulebook_name, table_title


class OpenSeatsContext(EmailContext, frozen=True, kw_only=True):
    """What anyone may know of the games with an open seat."""

    seats: tuple[OpenSeatRow, ...]


class OpenSeats(Email[tuple[OpenSeatRow, ...] | None, OpenSeatsContext]):
    kind = "open-seats"
    label = N_("Games that need a player")

    def read_facts(
        self, tx: Tx, sources: Sequence[EmailSource[tuple[OpenSeatRow, ...] | None]]
    ) -> Mapping[int, tuple[OpenSeatRow, ...] | None]:
        """Return the seats for each volunteer, or None for those who want no such emails any more: a statement for each, who are few."""
        return {
            notification.id: seats_to_email(tx, notification.account_id)
            for source in sources
            if (notification := source.notification).account_id is not None
        }

    def opt_outs(self, source: EmailSource[tuple[OpenSeatRow, ...] | None]) -> OptOuts:
        del source
        return {"everything": None, "seats": None}

    def context(self, source: EmailSource[tuple[OpenSeatRow, ...] | None]) -> OpenSeatsContext:
        """Return the seats that the recipient may take. Raises Superseded if all are taken, or they want no such emails."""
        if source.facts is None:
            raise Superseded(DropReason.UNSUBSCRIBED)
        if not source.facts:
            raise Superseded(DropReason.MOVED_ON)
        return OpenSeatsContext(envelope=self.envelope(source), seats=source.facts)

    def variables(self, context: OpenSeatsContext, locale: EmailLocale) -> Mapping[str, object]:
        return {"links": _links(context, locale)}


def _links(context: OpenSeatsContext, locale: EmailLocale) -> Iterator[Link]:
    """Yield a link to each game."""
    language = locale.language
    for seat in context.seats:
        yield Link(
            language.gettext(
                "%(table)s for %(seats)s, round %(round)s, %(rulebook)s",
                table=one_line(table_title(seat.host_name, seat.table_name, language)),
                seats=seat.seat_count,
                round=seat.round,
                rulebook=rulebook_name(seat.rulebook, language),
            ),
            urls.absolute_url(locale.base_url, urls.open_seat(seat.slug)),
        )


EMAIL = OpenSeats()
