"""Offer a seat in which no person sits to someone, who takes it over only by accepting."""

import argparse
from collections.abc import Callable

import msgspec

from webapp.accounts.names import MAX_NAME_LENGTH
from webapp.kernel.i18n import N_
from webapp.kernel.keyring import NewLink
from webapp.kernel.rights import GameRight
from webapp.play.changes.acts import Act, ActCommand, ActLimit, LineField, SeatField, SeatInput
from webapp.play.changes.public_change import ChangeSource, PlannedChange
from webapp.play.seats.seat_offers import offer_seat


class OfferSeatInput(SeatInput, frozen=True, kw_only=True):
    """To whom a seat is offered: to a name or an address; without both, to anyone who has the link."""

    name: str = ""
    address: str = ""
    link: NewLink | None = None


class OfferSeatAct(Act[OfferSeatInput]):
    right = GameRight.OFFER_SEAT
    label = N_("Offer the seat")
    summary = N_("Offer a seat to another person")
    announcement = N_("Seat %(seat)s is offered to another person, who can accept until %(until)s.")
    note = N_(
        "No one is seated before they accept. The person who accepts sees exactly what the player before them has seen in this seat."
    )
    input_type = OfferSeatInput
    fields = (
        SeatField(prefers=lambda seat: seat.is_open),
        LineField("name", N_("The person's name"), MAX_NAME_LENGTH),
        LineField("address", N_("The person's email address"), 254, is_private=True),
    )
    form_title = N_("Make another offer")
    form_hint = N_(
        "Enter a name or an address: the person gets an email. Leave both empty for a link that you can share. You see here if the person accepts or declines, and nothing else about them."
    )
    done_text = N_("The seat is offered. This page shows what becomes of it.")
    shows_offers = True
    stays_on_page = True
    command = ActCommand(
        "seat",
        "offer",
        "offer the seat to a person, who gets an email; without --name and --address print a link to share",
        order=2,
    )
    group = ("move-on", 4)
    needs = "a seat to offer"
    limit = ActLimit(5, 15)
    is_beyond_shared_limit = True
    # The table reads of it on its page, and gets an email once it is accepted.
    informs = "no one"
    ends = right

    def plan(self, source: ChangeSource, given: OfferSeatInput) -> PlannedChange:
        return offer_seat(
            source, given.seat, name=given.name, address=given.address, link=given.link
        )

    def with_link(self, given: OfferSeatInput, new_link: Callable[[], NewLink]) -> OfferSeatInput:
        return msgspec.structs.replace(given, link=new_link())

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--name", metavar="NAME", default="")
        parser.add_argument("--address", metavar="ADDRESS", default="")


ACT = OfferSeatAct()
