"""Play the turn under way as if time had run out."""

from webapp.kernel.game_status import GameStatus
from webapp.kernel.i18n import N_
from webapp.kernel.public_acts import PublicFacts
from webapp.kernel.rights import GameRight
from webapp.play.changes.acts import RUNNING, Act, ActCommand, ActInput, ActLimit
from webapp.play.changes.public_change import (
    ChangeSource,
    NeutralTurn,
    PlannedChange,
    PublicChange,
    account_on_turn,
    require_status,
)


class PlayNeutralAct(Act[ActInput]):
    right = GameRight.PLAY_NEUTRAL
    label = N_("Play for them")
    summary = N_("Discard a random card for a player who doesn't play")
    announcement = N_("%(name)s's turn is played as if time had run out.")
    note = N_(
        "Usually a random card is discarded, face down. This can't be undone, except by taking the game back."
    )
    input_type = ActInput
    command = ActCommand("game", "neutral", "play the present turn as if time had run out", order=4)
    group = ("move-on", 1)
    statuses = RUNNING
    needs = "a turn to play"
    is_bulk = True
    limit = ActLimit(20)

    def plan(self, source: ChangeSource, given: ActInput) -> PlannedChange:
        """Play for the seat on turn what the clock would play at the deadline."""
        del given
        row = source.game.row
        require_status(row, GameStatus.RUNNING)
        seat = row.awaiting
        assert seat is not None

        change = PublicChange(
            seat=seat,
            account_id=account_on_turn(row),
            before=PublicFacts(turn=row.seq),
            after=PublicFacts(turn=row.seq + 1),
        )
        return PlannedChange(change=change, values=(NeutralTurn(seat),))


ACT = PlayNeutralAct()
