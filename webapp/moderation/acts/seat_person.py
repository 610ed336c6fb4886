"""Seat a person: one who accepts an offer, or one whom the operator names without asking them."""

import argparse

from webapp.kernel.i18n import N_
from webapp.kernel.public_acts import PublicFacts
from webapp.kernel.rights import GameRight
from webapp.play.changes.acts import Act, ActCommand, ActInput, SeatInput
from webapp.play.changes.public_change import ChangeSource, PlannedChange
from webapp.play.seats.seat_changes import AcceptedOffer, seat_accepting_person, seat_substitute


class SubstituteInput(SeatInput, frozen=True, kw_only=True):
    """The person whom the operator names: the name and the address must be of the same account."""

    name: str = ""
    address: str = ""

    @property
    def new_name(self) -> str:
        return self.name


class SeatPersonAct(Act[ActInput]):
    right = GameRight.SEAT_PERSON
    label = N_("Take over the seat")
    summary = N_("Seat a person without asking them: only the operator can, on the command line")
    announcement = N_("%(name)s takes over seat %(seat)s.")
    acceptance = N_("%(name)s takes over seat %(seat)s. It was offered by %(offerer)s.")
    """Of a person who has accepted an offer, if it is known whose it was."""
    input_type = SubstituteInput
    has_page = False
    command = ActCommand(
        "seat",
        "person",
        "seat someone at once, WITHOUT asking them: first make sure that they agree",
        order=4,
    )

    def plan(self, source: ChangeSource, given: ActInput) -> PlannedChange:
        if isinstance(given, AcceptedOffer):
            return seat_accepting_person(source, given)
        assert isinstance(given, SubstituteInput)
        return seat_substitute(source, given.seat, name=given.name, address=given.address)

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--name", metavar="NAME", required=True)
        parser.add_argument("--address", metavar="ADDRESS", required=True)

    def announcement_of(
        self, before: PublicFacts, after: PublicFacts, *, offerer: str | None
    ) -> str:
        del after
        is_offerer_known = offerer is not None or before.offered_by is None
        if before.offer is not None and is_offerer_known:
            return self.acceptance
        return self.announcement


ACT = SeatPersonAct()
