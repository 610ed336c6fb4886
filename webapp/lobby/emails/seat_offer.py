"""Someone offers the recipient a seat in a running game.

It has public facts of the game only, because the recipient has not accepted. The only texts that others have typed are
names: a free text would let anyone send what they like to any address.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from webapp.clock.pace.calendar import has_passed
from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.i18n import N_
from webapp.kernel.tx import Tx
from webapp.lobby.offered_seats import seat_offer_token
from webapp.lobby.queries.email_facts import SeatOfferFacts, read_seat_offers
from webapp.mail.email import Email, EmailSource, Superseded
from webapp.mail.envelope import EmailContext, OptOuts
from webapp.mail.queries.email_facts import Addressee
from webapp.play.summaries import SeatSummary, TableSummary, seat_summaries, table_summary


class SeatOfferContext(EmailContext, frozen=True, kw_only=True):
    """The offer."""

    table: TableSummary
    seats: tuple[SeatSummary, ...]
    seat: int
    offerer: str
    """Who offers the seat; empty for the operator."""
    token: str
    expires_at: datetime


class SeatOffer(Email[SeatOfferFacts, SeatOfferContext]):
    kind = "seat-offer"
    label = N_("Offer of a seat")

    def read_facts(
        self, tx: Tx, sources: Sequence[EmailSource[SeatOfferFacts]]
    ) -> Mapping[int, SeatOfferFacts]:
        return read_seat_offers(tx, [source.notification.id for source in sources])

    def addressee(self, facts: SeatOfferFacts) -> Addressee:
        return facts.addressee

    def opt_outs(self, source: EmailSource[SeatOfferFacts]) -> OptOuts:
        return source.single_opt_out()

    def needed_by(self, source: EmailSource[SeatOfferFacts]) -> datetime | None:
        return None if source.facts is None else source.facts.expires_at

    def context(self, source: EmailSource[SeatOfferFacts]) -> SeatOfferContext:
        """Return the offer. Raises Superseded once the recipient can't accept it."""
        row, facts = source.require_game().row, source.require_facts(DropReason.NO_GAME)
        if facts.nonce is None:
            raise Superseded(DropReason.NO_GAME)
        if facts.has_ended or has_passed(facts.expires_at, now=source.now):
            raise Superseded(DropReason.MOVED_ON)
        if not row.status.is_under_way or row.seats[facts.seat].account_id is not None:
            raise Superseded(DropReason.MOVED_ON)
        if row.seat_of(source.notification.recipient_id) is not None:
            raise Superseded(DropReason.SEATED)
        return SeatOfferContext(
            envelope=self.envelope(source),
            table=table_summary(row),
            seats=seat_summaries(row, me=None),
            seat=facts.seat,
            offerer=facts.offerer or "",
            token=seat_offer_token(facts.nonce, source.keys),
            expires_at=facts.expires_at,
        )


EMAIL = SeatOffer()
