"""Make the person in a seat the host; the table keeps its name."""

from webapp.kernel.i18n import N_
from webapp.kernel.rights import GameRight
from webapp.play.changes.acts import ActCommand, ActLimit, SeatAct, SeatField
from webapp.play.changes.game_changes import hand_over_table, hand_table_back
from webapp.play.changes.public_change import ChangeSource, PlannedChange, RecordedChange


class HandOverTableAct(SeatAct):
    right = GameRight.HAND_OVER_TABLE
    label = N_("Hand over table")
    summary = N_("Make another player the host")
    announcement = N_("%(name)s becomes the host of this table.")
    fields = (SeatField(prefers=lambda seat: not (seat.is_host or seat.is_bot or seat.is_open)),)
    command = ActCommand(
        "seat", "host", "make the player in the seat the host of the table", order=7
    )
    group = ("repair", 3)
    needs = "a person who is not the host"
    limit = ActLimit(4, 40)
    undone_as = right
    planner = staticmethod(hand_over_table)

    def plan_undoing(self, source: ChangeSource, recorded_change: RecordedChange) -> PlannedChange:
        return hand_table_back(source, recorded_change)


ACT = HandOverTableAct()
