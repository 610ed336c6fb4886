"""Play the turn under way as if time had run out."""

from webapp.kernel.i18n import N_
from webapp.kernel.rights import GameRight
from webapp.play.changes.acts import RUNNING, ActCommand, ActLimit, PlainAct
from webapp.play.changes.game_changes import play_neutral


class PlayNeutralAct(PlainAct):
    right = GameRight.PLAY_NEUTRAL
    label = N_("Play for them")
    summary = N_("Discard a random card for a player who doesn't play")
    announcement = N_("%(name)s's turn is played as if time had run out.")
    note = N_(
        "Usually a random card is discarded, face down. This can't be undone, except by taking the game back."
    )
    command = ActCommand("game", "neutral", "play the present turn as if time had run out", order=4)
    group = ("move-on", 1)
    statuses = RUNNING
    needs = "a turn to play"
    is_bulk = True
    limit = ActLimit(20)
    planner = staticmethod(play_neutral)


ACT = PlayNeutralAct()
