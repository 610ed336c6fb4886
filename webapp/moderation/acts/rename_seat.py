"""Give the player in a seat another name in this game."""

import argparse

from webapp.accounts.names import MAX_NAME_LENGTH
from webapp.kernel.i18n import N_
from webapp.kernel.rights import GameRight
from webapp.play.changes.acts import Act, ActCommand, ActLimit, LineField, SeatField, SeatInput
from webapp.play.changes.public_change import ChangeSource, PlannedChange
from webapp.play.seats.seat_changes import rename_seat


class RenameSeatInput(SeatInput, frozen=True, kw_only=True):
    """A seat, and what its player is called from now on."""

    name: str = ""

    @property
    def new_name(self) -> str:
        return self.name


class RenameSeatAct(Act[RenameSeatInput]):
    """A new name is undone by another name."""

    right = GameRight.RENAME_SEAT
    label = N_("Rename a seat")
    summary = N_("Change an offensive name at the table")
    announcement = N_("The player in seat %(seat)s is now called %(name)s.")
    note = N_("The deal record keeps the old name: every player got it before the deal.")
    input_type = RenameSeatInput
    fields = (SeatField(), LineField("name", N_("New name"), MAX_NAME_LENGTH))
    needs_input = True
    command = ActCommand(
        "seat", "rename", "give the player in the seat another name in this game", order=6
    )
    group = ("repair", 2)
    needs = "a person"
    limit = ActLimit(6, 40)

    def plan(self, source: ChangeSource, given: RenameSeatInput) -> PlannedChange:
        return rename_seat(source, given.seat, given.name)

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--name", metavar="NAME", required=True)


ACT = RenameSeatAct()
