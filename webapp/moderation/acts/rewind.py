"""Take the game back to where it stood after an earlier turn."""

import argparse

from webapp.kernel.game_status import GameStatus
from webapp.kernel.i18n import N_
from webapp.kernel.public_acts import PublicFacts
from webapp.kernel.refusals import DenialReason, FieldError, FieldErrors, NotAllowed
from webapp.kernel.rights import GameRight
from webapp.play.changes.acts import RUNNING, Act, ActCommand, ActInput, ActLimit, TurnField
from webapp.play.changes.public_change import (
    ChangeSource,
    EarlierPosition,
    PlannedChange,
    PublicChange,
    require_status,
)


class RewindInput(ActInput, frozen=True, kw_only=True):
    """The last turn that stays."""

    turn: int | None = None


class RewindAct(Act[RewindInput]):
    right = GameRight.REWIND
    label = N_("Rewind")
    summary = N_("Take the game back to an earlier turn")
    announcement = N_(
        "The game goes back from turn %(turn_before)s to where it stood after turn %(turn)s."
    )
    note = N_(
        "Everything after that is taken back; the deck keeps its order, and players remember what they have seen."
    )
    input_type = RewindInput
    fields = (TurnField(N_("Go back to after")),)
    command = ActCommand(
        "game", "rewind", "go back to where the game stood after an earlier turn", order=6
    )
    group = ("repair", 1)
    statuses = RUNNING
    needs = "an earlier turn"
    limit = ActLimit(6, 40)
    outdates_votes = True

    def plan(self, source: ChangeSource, given: RewindInput) -> PlannedChange:
        """Return to the position after an earlier turn, with the strikes, time banks and absences of then. The log keeps every turn, and a pause."""
        game = source.game
        require_status(game.row, GameStatus.RUNNING, GameStatus.PAUSED)
        if given.turn is None:
            raise FieldErrors(FieldError("turn", "required"))
        if not 0 <= given.turn < game.seq:
            raise NotAllowed(DenialReason.NO_EARLIER_TURN)

        change = PublicChange(
            before=PublicFacts(turn=game.seq),
            after=PublicFacts(turn=given.turn),
        )
        return PlannedChange(change=change, values=(EarlierPosition(given.turn),))

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--to",
            dest="turn",
            metavar="N",
            type=int,
            required=True,
            help="the last turn that stays",
        )


ACT = RewindAct()
