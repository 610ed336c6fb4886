"""Make the person in a seat the host; the table keeps its name."""

from webapp.kernel.i18n import N_
from webapp.kernel.refusals import DenialReason, FieldErrors, NotAllowed, out_of_range
from webapp.kernel.rights import GameRight
from webapp.play.changes.acts import Act, ActCommand, ActLimit, SeatField, SeatInput
from webapp.play.changes.game_changes import make_host
from webapp.play.changes.public_change import ChangeSource, PlannedChange, RecordedChange


class HandOverTableAct(Act[SeatInput]):
    right = GameRight.HAND_OVER_TABLE
    label = N_("Hand over table")
    summary = N_("Make another player the host")
    announcement = N_("%(name)s becomes the host of this table.")
    input_type = SeatInput
    fields = (SeatField(prefers=lambda seat: not (seat.is_host or seat.is_bot or seat.is_open)),)
    command = ActCommand(
        "seat", "host", "make the player in the seat the host of the table", order=7
    )
    group = ("repair", 3)
    needs = "a person who is not the host"
    limit = ActLimit(4, 40)
    undone_as = right

    def plan(self, source: ChangeSource, given: SeatInput) -> PlannedChange:
        """Make the person in a seat the host; the table keeps its name."""
        row = source.game.row
        if not 0 <= given.seat < len(row.seats):
            raise FieldErrors(out_of_range("seat", 1, len(row.seats)))
        account_id = row.seats[given.seat].account_id
        if account_id is None:
            raise NotAllowed(DenialReason.NO_PERSON_HOLDS_SEAT)
        return make_host(row, account_id)

    def plan_undoing(self, source: ChangeSource, recorded_change: RecordedChange) -> PlannedChange:
        """Make the person the host again who was it before, unless someone else has become it meanwhile."""
        row, former_host_id = source.game.row, recorded_change.before.account_id
        if former_host_id is None or row.host_id != recorded_change.after.account_id:
            raise NotAllowed(DenialReason.CANNOT_BE_UNDONE)
        return make_host(row, former_host_id)


ACT = HandOverTableAct()
