"""Let the clock of a paused game run again, with the time that was left."""

from webapp.kernel.i18n import N_
from webapp.kernel.rights import GameRight
from webapp.play.changes.acts import PAUSED, Act, ActCommand, ActInput, ActLimit
from webapp.play.changes.public_change import (
    ChangeSource,
    PlannedChange,
    RecordedChange,
    pause,
    resume,
)


class ResumeAct(Act[ActInput]):
    right = GameRight.RESUME
    label = N_("Resume")
    summary = N_("Resume the game")
    announcement = N_("The game is resumed. %(name)s's deadline is %(deadline)s.")
    announcement_without_clock = N_("The game is resumed.")
    input_type = ActInput
    command = ActCommand(
        "game", "resume", "let the clock run again, with the time that was left", order=3
    )
    group = ("time", 3)
    statuses = PAUSED
    needs = "a paused game"
    is_bulk = True
    is_on_dashboard = True
    # One more than pauses, so that a paused game can always be resumed.
    limit = ActLimit(5)
    is_beyond_shared_limit = True
    outdates_votes = True
    ends_agreed_pause = True
    ends = GameRight.PAUSE
    undone_as = GameRight.PAUSE

    def plan(self, source: ChangeSource, given: ActInput) -> PlannedChange:
        del given
        return resume(source)

    def plan_undoing(self, source: ChangeSource, recorded_change: RecordedChange) -> PlannedChange:
        del recorded_change
        return pause(source)


ACT = ResumeAct()
