"""Reasons why the rules refuse an action, each in a sentence that also says what is possible."""

from typing import Final, NamedTuple

from engine.errors import RULE_BY_REASON, Reason
from webapp.kernel.i18n import N_, Language


class Refusal(NamedTuple):
    """The sentence for a refusal, and the rule that explains it: an anchor on the rulebook's page."""

    text: str
    rule: str


_REFUSAL_TEXTS: Final[dict[Reason, str]] = {
    Reason.GAME_OVER: N_("This game is over, so there's nothing left to play."),
    Reason.NOT_YOUR_TURN: N_("It's another player's turn. You can play when it's yours."),
    Reason.CHOICE_FIRST: N_("There's a choice to make first. Make it, then the game continues."),
    Reason.NO_CHOICE_OPEN: N_("There's nothing to choose right now. Play a card or discard one."),
    Reason.NOT_IN_HAND: N_("That card isn't in your hand. Play one of the cards you hold."),
    Reason.HAND_NOT_EMPTY: N_("You can only pass with an empty hand. Play a card or discard one."),
    Reason.NOT_A_PATH_CARD: N_(
        "You can only lay path cards in the mine. Play this card for its effect or discard it."
    ),
    Reason.TOOLS_BROKEN: N_(
        "You can't lay path cards while one of your tools is broken. Repair it, play another action card or discard."
    ),
    Reason.NO_SUCH_CELL: N_("There's no such cell. Cells are a column and a row, such as D5."),
    Reason.CELL_TAKEN: N_("There's already a card there. Choose an empty cell."),
    Reason.NOT_BESIDE: N_(
        "There's no card next to that cell. Lay path cards beside a card in the mine."
    ),
    Reason.NOT_CONNECTED: N_(
        "No unbroken path leads from the start to that cell. In this rulebook, a path card has to continue one."
    ),
    Reason.GOAL_ALONE: N_(
        "You can't build on from goal cards alone. Continue from a path card or the start."
    ),
    Reason.EDGES_DIFFER: N_(
        "The card doesn't fit there that way: tunnels must meet tunnels and rock must meet rock on every side. Turn the card or choose another cell."
    ),
    Reason.NOT_A_BROKEN_TOOL: N_(
        "Only a broken-tool card can break a tool. Choose one of those, or play this card for its effect."
    ),
    Reason.NO_SUCH_SEAT: N_("There's no such seat at this table. Choose one of the players."),
    Reason.SEAT_GIVEN_UP: N_("That player has left the game. Choose someone who's still playing."),
    Reason.ALREADY_BROKEN: N_(
        "That tool is already broken. Players can have only one broken tool of each kind."
    ),
    Reason.OWN_TOOL: N_("At this table, you can't break your own tools. Choose another player."),
    Reason.NOT_A_REPAIR: N_(
        "Only a repair card can repair a tool. Choose one of those, or play this card for its effect."
    ),
    Reason.WRONG_TOOL: N_("This card can't repair that tool. Choose a tool shown on the card."),
    Reason.NOTHING_TO_REPAIR: N_(
        "That tool isn't broken. Choose a broken tool that matches the card."
    ),
    Reason.NO_PATH_THERE: N_(
        "A rockfall can only remove a path card, not the start or a goal. Choose a cell with a path card."
    ),
    Reason.NOT_A_GOAL: N_("There's no goal there. Choose one of the three goals: I3, I5 or I7."),
    Reason.GOAL_FACE_UP: N_("That goal is already face up. Use a map on a face-down goal."),
    Reason.NOT_OFFERED: N_("That isn't one of the choices. Pick one of those shown."),
    Reason.LAST_ROUND: N_("This is the last round, so the game ends after it anyway."),
    Reason.LAST_SEAT: N_("This is the last seat in the game, so it can't be given up."),
    Reason.NO_SUCH_TURN: N_("There's no such turn to go back to."),
}


def refusal(reason: Reason, language: Language) -> Refusal:
    return Refusal(language.gettext(_REFUSAL_TEXTS[reason]), RULE_BY_REASON[reason])
