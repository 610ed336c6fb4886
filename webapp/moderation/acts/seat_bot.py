"""Let a bot take over a seat; a host can only fill an open one."""

import argparse

from webapp.kernel.bot_levels import OFFERED_LEVELS, USUAL_LEVEL
from webapp.kernel.i18n import N_
from webapp.kernel.rights import GameRight
from webapp.play.changes.acts import Act, ActCommand, ActLimit, LevelField, SeatField, SeatInput
from webapp.play.changes.public_change import ChangeSource, PlannedChange
from webapp.play.seats.seat_changes import seat_bot


class SeatBotInput(SeatInput, frozen=True, kw_only=True):
    """A seat, and how well its bot plays."""

    bot_level: str = USUAL_LEVEL


class SeatBotAct(Act[SeatBotInput]):
    right = GameRight.SEAT_BOT
    label = N_("Seat a bot")
    summary = N_("Let a bot take over a seat; a host can only fill an open one")
    announcement = N_("%(bot)s takes over seat %(seat)s.")
    note = N_("Bots know only what a player in their seat would know.")
    input_type = SeatBotInput
    fields = (SeatField(prefers=lambda seat: seat.is_open), LevelField())
    command = ActCommand("seat", "bot", "let a bot take over the seat", order=5)
    group = ("move-on", 2)
    needs = "a seat for a bot"
    limit = ActLimit(10, 40)
    outdates_votes = True

    def plan(self, source: ChangeSource, given: SeatBotInput) -> PlannedChange:
        return seat_bot(source, given.seat, given.bot_level)

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--level",
            dest="bot_level",
            metavar="LEVEL",
            choices=OFFERED_LEVELS,
            default=USUAL_LEVEL,
            help=f"how it plays: {', '.join(OFFERED_LEVELS)} (default: {USUAL_LEVEL})",
        )


ACT = SeatBotAct()
