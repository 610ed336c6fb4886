"""Free the seat of a player who has left; until someone takes it over, the clock plays its turns."""

from webapp.kernel.i18n import N_
from webapp.kernel.rights import GameRight
from webapp.play.changes.acts import Act, ActCommand, ActLimit, SeatField, SeatInput
from webapp.play.changes.public_change import ChangeSource, PlannedChange, RecordedChange
from webapp.play.seats.seat_changes import open_seat, reseat


class OpenSeatAct(Act[SeatInput]):
    right = GameRight.OPEN_SEAT
    label = N_("Open the seat")
    summary = N_("Free the seat of a player who has left")
    announcement = N_(
        "%(name)s leaves the game, and seat %(seat)s is open. Until someone takes it over, its turns are played when time runs out."
    )
    note = N_(
        "The player can't see the game any more until it's over. As long as the seat is open, you can undo this."
    )
    input_type = SeatInput
    fields = (SeatField(allows=lambda seat: not (seat.is_bot or seat.is_open)),)
    command = ActCommand("seat", "open", "free the seat of a player who has left", order=1)
    group = ("move-on", 3)
    needs = "a person"
    limit = ActLimit(6, 40)
    outdates_votes = True
    undone_as = GameRight.SEAT_PERSON

    def plan(self, source: ChangeSource, given: SeatInput) -> PlannedChange:
        return open_seat(source, given.seat)

    def plan_undoing(self, source: ChangeSource, recorded_change: RecordedChange) -> PlannedChange:
        return reseat(source, recorded_change.seat, recorded_change.before.account_id)


ACT = OpenSeatAct()
