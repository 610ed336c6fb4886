"""End the open offer of a seat."""

from webapp.kernel.i18n import N_
from webapp.kernel.rights import GameRight
from webapp.play.changes.acts import ActCommand, ActLimit, SeatAct, SeatField
from webapp.play.seats.seat_offers import withdraw_offer


class WithdrawOfferAct(SeatAct):
    right = GameRight.WITHDRAW_OFFER
    label = N_("Withdraw the offer")
    summary = N_("Withdraw the offer of a seat")
    announcement = N_("The offer of seat %(seat)s is withdrawn.")
    fields = (SeatField(prefers=lambda seat: seat.is_offered),)
    shows_offers = True
    command = ActCommand("seat", "withdraw", "withdraw the offer of the seat", order=3)
    group = ("move-on", 5)
    needs = "an open offer"
    limit = ActLimit(10, 40)
    is_beyond_shared_limit = True
    informs = "no one"
    ends = GameRight.OFFER_SEAT
    planner = staticmethod(withdraw_offer)


ACT = WithdrawOfferAct()
