"""End the open offer of a seat."""

from webapp.kernel.i18n import N_
from webapp.kernel.refusals import DenialReason, NotAllowed
from webapp.kernel.rights import GameRight
from webapp.lobby.queries import seat_offers
from webapp.play.changes.acts import Act, ActCommand, ActLimit, SeatField, SeatInput
from webapp.play.changes.public_change import (
    ChangeSource,
    EndedOffer,
    PlannedChange,
    PublicChange,
)
from webapp.play.seats.seat_changes import seat_in_play


class WithdrawOfferAct(Act[SeatInput]):
    right = GameRight.WITHDRAW_OFFER
    label = N_("Withdraw the offer")
    summary = N_("Withdraw the offer of a seat")
    announcement = N_("The offer of seat %(seat)s is withdrawn.")
    input_type = SeatInput
    fields = (SeatField(prefers=lambda seat: seat.is_offered),)
    shows_offers = True
    command = ActCommand("seat", "withdraw", "withdraw the offer of the seat", order=3)
    group = ("move-on", 5)
    needs = "an open offer"
    limit = ActLimit(10, 40)
    is_beyond_shared_limit = True
    informs = "no one"
    ends = GameRight.OFFER_SEAT

    def plan(self, source: ChangeSource, given: SeatInput) -> PlannedChange:
        """End the open offer of a seat."""
        row, seat = source.game.row, seat_in_play(source, given.seat)
        if not seat_offers.has_open_offer(source.tx, row.id, seat.number):
            raise NotAllowed(DenialReason.NO_OPEN_OFFER)

        return PlannedChange(
            change=PublicChange(seat=given.seat), values=(EndedOffer(given.seat, "withdrawn"),)
        )


ACT = WithdrawOfferAct()
