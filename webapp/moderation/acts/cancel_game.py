"""End the game for good, without a winner."""

from webapp.kernel.i18n import N_
from webapp.kernel.rights import GameRight
from webapp.play.changes.acts import Act, ActCommand, ActInput
from webapp.play.changes.game_changes import cancel
from webapp.play.changes.public_change import ChangeSource, PlannedChange


class CancelGameAct(Act[ActInput]):
    right = GameRight.CANCEL_GAME
    label = N_("Cancel game")
    summary = N_("Cancel the game")
    announcement = N_("The game is cancelled for good.")
    note = N_(
        "You can't undo this. There will be no winner. All roles, cards and goals are revealed to everyone who can see the game."
    )
    input_type = ActInput
    command = ActCommand("game", "cancel", "end the game for good, without a winner", order=7)
    group = ("repair", 4)
    is_bulk = True
    outdates_votes = True
    ends_agreed_pause = True

    def plan(self, source: ChangeSource, given: ActInput) -> PlannedChange:
        del given
        return cancel(source)


ACT = CancelGameAct()
