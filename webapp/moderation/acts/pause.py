"""Stop the clock; no one can play until the game is resumed."""

from webapp.kernel.i18n import N_
from webapp.kernel.rights import GameRight
from webapp.play.changes.acts import RUNNING, Act, ActCommand, ActInput, ActLimit
from webapp.play.changes.public_change import (
    ChangeSource,
    PlannedChange,
    RecordedChange,
    pause,
    resume,
)


class PauseAct(Act[ActInput]):
    right = GameRight.PAUSE
    label = N_("Pause")
    summary = N_("Pause the game")
    announcement = N_(
        "The game is paused. When it's resumed, %(name)s will have at least %(time_left)s left."
    )
    announcement_without_clock = N_("The game is paused.")
    note = N_(
        "No one can play until the game is resumed. Then the player on turn has as much time left as now, or a fifth of the time per turn if that is more."
    )
    input_type = ActInput
    command = ActCommand(
        "game", "pause", "stop the clock; no one can play until the game is resumed", order=2
    )
    group = ("time", 2)
    statuses = RUNNING
    needs = "a running game"
    is_bulk = True
    is_on_dashboard = True
    limit = ActLimit(4)
    outdates_votes = True
    ends_agreed_pause = True
    undone_as = GameRight.RESUME

    def plan(self, source: ChangeSource, given: ActInput) -> PlannedChange:
        del given
        return pause(source)

    def plan_undoing(self, source: ChangeSource, recorded_change: RecordedChange) -> PlannedChange:
        del recorded_change
        return resume(source)


ACT = PauseAct()
