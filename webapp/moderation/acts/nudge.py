"""Send the player on turn another reminder. Players at the table may, too."""

from webapp.clock.queries.deadline_events import GameEvent
from webapp.kernel.game_status import GameStatus
from webapp.kernel.i18n import N_
from webapp.kernel.refusals import DenialReason, NotAllowed
from webapp.kernel.rights import GameRight
from webapp.play.changes.acts import RUNNING, Act, ActCommand, ActInput, ActLimit, TurnInterval
from webapp.play.changes.game_changes import NUDGE_INTERVAL
from webapp.play.changes.public_change import (
    ChangeSource,
    PlannedChange,
    PublicChange,
    account_on_turn,
    require_status,
)


class NudgeAct(Act[ActInput]):
    right = GameRight.NUDGE
    label = N_("Nudge")
    summary = N_("Remind the player whose turn it is")
    announcement = N_("%(name)s gets another reminder.")
    note = N_("A player gets at most one such reminder a day.")
    input_type = ActInput
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

    def plan(self, source: ChangeSource, given: ActInput) -> PlannedChange:
        del given
        row = source.game.row
        require_status(row, GameStatus.RUNNING)
        account_id = account_on_turn(row)
        if account_id is None:
            raise NotAllowed(DenialReason.NO_ONE_TO_NUDGE)
        is_player = row.seat_of(source.actor.id) is not None
        event = GameEvent(
            game_id=row.id,
            turn_seq=row.turn_seq,
            at=source.tx.now,
            kind="nudged",
            by="player" if is_player else source.by,
            seat=row.awaiting,
            account_id=account_id,
            deadline_at=row.deadline_at,
        )

        change = PublicChange(seat=row.awaiting, account_id=account_id)
        return PlannedChange(change=change, values=(event,))


ACT = NudgeAct()
