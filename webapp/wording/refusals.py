"""Why something was refused, in a sentence that also says what would be right."""

from typing import Final, NamedTuple

from engine.errors import RULES, Reason
from webapp.i18n import N_, Language


class Refusal(NamedTuple):
    """A refusal in words, and the rule that explains it: the anchor on the rulebook's page."""

    text: str
    rule: str


_SENTENCES: Final[dict[Reason, str]] = {
    Reason.GAME_OVER: N_("This game is over; nothing more can be played in it."),
    Reason.NOT_YOUR_TURN: N_(
        "The game is waiting for somebody else. You can act when it is your turn."
    ),
    Reason.CHOICE_FIRST: N_(
        "A choice is open first: answer what the table asks, then the game goes on."
    ),
    Reason.NO_CHOICE_OPEN: N_("There is nothing to choose now. Play a card or discard one."),
    Reason.NOT_IN_HAND: N_("That card is not in your hand. Play one of the cards you hold."),
    Reason.HAND_NOT_EMPTY: N_(
        "Passing is for an empty hand. You still hold cards: play one or discard one."
    ),
    Reason.NOT_A_PATH_CARD: N_(
        "Only path cards are laid into the mine. Play this card for what it does, or discard it."
    ),
    Reason.TOOLS_BROKEN: N_(
        "One of your tools is broken, so you cannot lay a path card. You can play an action card, a repair on yourself above all, or discard."
    ),
    Reason.NO_SUCH_CELL: N_("There is no such cell. A cell is a column and a row, such as D5."),
    Reason.CELL_TAKEN: N_("A card lies there already. Choose an empty cell."),
    Reason.NOT_BESIDE: N_(
        "Nothing lies next to that cell. A path card goes beside a card that is already laid."
    ),
    Reason.NOT_CONNECTED: N_(
        "No unbroken path leads from the start to that cell. Under this rulebook a path card must continue one."
    ),
    Reason.GOAL_ALONE: N_(
        "A path card cannot rest on goal cards alone. It needs a path card or the start to go on from."
    ),
    Reason.EDGES_DIFFER: N_(
        "The card does not fit there that way round: tunnel must meet tunnel and rock must meet rock on every side. Turn it round or choose another cell."
    ),
    Reason.NOT_A_BROKEN_TOOL: N_(
        "Only a broken-tool card breaks a tool. Choose one of those, or use this card for what it does."
    ),
    Reason.NO_SUCH_SEAT: N_("There is no such seat at this table. Choose one of the players."),
    Reason.SEAT_GIVEN_UP: N_(
        "That seat was given up; it takes no further cards. Choose a player who is still in the game."
    ),
    Reason.ALREADY_BROKEN: N_(
        "That tool is broken already. A player has at most one broken tool of each kind."
    ),
    Reason.OWN_TOOL: N_("At this table nobody breaks a tool of their own. Choose another player."),
    Reason.NOT_A_REPAIR: N_(
        "Only a repair card mends a tool. Choose one of those, or use this card for what it does."
    ),
    Reason.WRONG_TOOL: N_(
        "This repair card is not for that tool. Choose a tool that is on the card."
    ),
    Reason.NOTHING_TO_REPAIR: N_(
        "That tool is not broken. A repair card needs a broken tool of its own kind to mend."
    ),
    Reason.NO_PATH_THERE: N_(
        "A rockfall needs a laid path card, neither the start nor a goal. Choose a cell where one lies."
    ),
    Reason.NOT_A_GOAL: N_("No goal lies there. Choose one of the three goals: I3, I5 or I7."),
    Reason.GOAL_FACE_UP: N_(
        "That goal lies face up already. A map is for a goal that is still face down."
    ),
    Reason.NOT_OFFERED: N_(
        "That is not among the choices. Take one of those that the table offers."
    ),
    Reason.LAST_SEAT: N_("This is the last seat in the game; it cannot be given up."),
    Reason.NO_SUCH_TURN: N_("The game has no such turn to go back to."),
}


def refusal(reason: Reason, language: Language) -> Refusal:
    return Refusal(language.gettext(_SENTENCES[reason]), RULES[reason])
