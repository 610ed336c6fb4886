"""Give the player in a seat another name in this game."""

import argparse

from webapp.accounts.names import MAX_NAME_LENGTH, checked_name
from webapp.kernel.i18n import N_
from webapp.kernel.refusals import DenialReason, NotAllowed
from webapp.kernel.rights import GameRight
from webapp.play.changes.acts import Act, ActCommand, ActLimit, LineField, SeatField, SeatInput
from webapp.play.changes.public_change import (
    ChangeSource,
    GameValues,
    PlannedChange,
    PublicChange,
    SeatValues,
)
from webapp.play.seats.seat_changes import chosen_seat, other_names


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
        """Give the person in a seat another name in this game; its host's name changes with it."""
        row, seat = source.game.row, chosen_seat(source, given.seat)
        if seat.account_id is None:
            raise NotAllowed(DenialReason.NO_PERSON_HOLDS_SEAT)
        name = checked_name(given.name, other_names(source, seat))

        is_host = row.is_hosted_by(seat.account_id)
        return PlannedChange(
            change=PublicChange(seat=seat.number, account_id=seat.account_id),
            values=(
                SeatValues(seat.number, {"name": name}),
                *([GameValues({"host_name": name})] if is_host else []),
            ),
        )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--name", metavar="NAME", required=True)


ACT = RenameSeatAct()
