"""Offer a seat in which no person sits to someone, who takes it over only by accepting."""

import argparse
from collections.abc import Callable
from datetime import timedelta
from typing import Final

import msgspec

from webapp.accounts.addresses import parse_address
from webapp.accounts.names import MAX_NAME_LENGTH
from webapp.kernel.i18n import N_
from webapp.kernel.keyring import NewLink
from webapp.kernel.public_acts import PublicFacts
from webapp.kernel.refusals import DenialReason, FieldError, FieldErrors, NotAllowed
from webapp.kernel.rights import GameRight
from webapp.play.changes.acts import Act, ActCommand, ActLimit, LineField, SeatField, SeatInput
from webapp.play.changes.public_change import (
    ChangeSource,
    EndedOffer,
    NewOffer,
    PlannedChange,
    PublicChange,
)
from webapp.play.seats.seat_changes import seat_in_play

OFFER_LIFETIME: Final = timedelta(days=7)


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
        """Offer a seat without a person to someone, by address, by name, or as a link; an older offer of it ends."""
        seat = seat_in_play(source, given.seat)
        if seat.account_id is not None:
            raise NotAllowed(DenialReason.PERSON_HOLDS_SEAT)
        if given.name and given.address:
            raise FieldErrors(FieldError("name", "not-both"))
        if given.address:
            parse_address(given.address)
        expires_at = source.tx.now + OFFER_LIFETIME
        return PlannedChange(
            change=PublicChange(seat=given.seat, after=PublicFacts(until=expires_at)),
            values=(
                EndedOffer(given.seat, "replaced"),
                NewOffer(given.seat, given.name, given.address, given.link, expires_at),
            ),
        )

    def with_link(self, given: OfferSeatInput, new_link: Callable[[], NewLink]) -> OfferSeatInput:
        return msgspec.structs.replace(given, link=new_link())

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--name", metavar="NAME", default="")
        parser.add_argument("--address", metavar="ADDRESS", default="")


ACT = OfferSeatAct()
