"""Make the person in a seat the host; the table keeps its name."""

from webapp.i18n import N_
from webapp.rights import GameRight
from webapp.services.play.act_fields import SeatField
from webapp.services.play.acts import ActCommand, ActLimit, SeatAct
from webapp.services.play.game_changes import hand_over_table, hand_table_back
from webapp.services.play.public_change import ChangeSource, PlannedChange, RecordedChange


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
