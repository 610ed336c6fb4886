"""Send the player on turn another reminder. Players at the table may, too."""

from webapp.kernel.i18n import N_
from webapp.kernel.refusals import DenialReason
from webapp.kernel.rights import GameRight
from webapp.play.changes.acts import RUNNING, ActCommand, ActLimit, PlainAct, TurnInterval
from webapp.play.changes.game_changes import NUDGE_INTERVAL, nudge


class NudgeAct(PlainAct):
    right = GameRight.NUDGE
    label = N_("Nudge")
    summary = N_("Remind the player whose turn it is")
    announcement = N_("%(name)s gets another reminder.")
    note = N_("A player gets at most one such reminder a day.")
    command = ActCommand("game", "nudge", "send the player on turn another reminder", order=5)
    group = ("reach", 1)
    statuses = RUNNING
    needs = "someone to nudge"
    is_bulk = True
    is_on_dashboard = True
    limit = ActLimit(12)
    turn_interval = TurnInterval(NUDGE_INTERVAL, DenialReason.NUDGED_TODAY)
    is_beyond_shared_limit = True
    informs = "player"
    planner = staticmethod(nudge)


ACT = NudgeAct()
