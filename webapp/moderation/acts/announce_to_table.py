"""Write a message to everyone at the table: the reason of the act is the message."""

from webapp.kernel.i18n import N_
from webapp.kernel.rights import GameRight
from webapp.play.changes.acts import Act, ActCommand, ActInput, ActLimit
from webapp.play.changes.public_change import ChangeSource, PlannedChange, PublicChange


class AnnounceToTableAct(Act[ActInput]):
    right = GameRight.ANNOUNCE_TO_TABLE
    label = N_("Announce")
    summary = N_("Write a message to everyone at the table")
    announcement = N_("Everyone at this table gets a message.")
    reason_label = N_("Message")
    reason_hint = N_("Everyone at the table gets this by email and finds it on the table's page.")
    input_type = ActInput
    command = ActCommand(
        "game", "announce", "send the reason as a message to the whole table", order=8
    )
    group = ("reach", 3)
    is_bulk = True
    is_on_dashboard = True
    limit = ActLimit(4)

    def plan(self, source: ChangeSource, given: ActInput) -> PlannedChange:
        """Change nothing: the reason of the act is the message."""
        del source, given
        return PlannedChange(change=PublicChange())


ACT = AnnounceToTableAct()
