"""Why something is refused: codes for machines; the sentences live in the translations.

Notation that cannot be read is one thing, an action that the rules do not allow now is another.
"""

from enum import StrEnum


class Reason(StrEnum):
    """A refusal's code. Each names the rule that a page can link to."""

    GAME_OVER = "game-over"
    NOT_YOUR_TURN = "not-your-turn"
    CHOICE_FIRST = "choice-first"
    NO_CHOICE_OPEN = "no-choice-open"
    NOT_IN_HAND = "not-in-hand"
    HAND_NOT_EMPTY = "hand-not-empty"
    NOT_A_PATH_CARD = "not-a-path-card"
    TOOLS_BROKEN = "tools-broken"
    NO_SUCH_CELL = "no-such-cell"
    CELL_TAKEN = "cell-taken"
    NOT_BESIDE = "not-beside"
    NOT_CONNECTED = "not-connected"
    GOAL_ALONE = "goal-alone"
    EDGES_DISAGREE = "edges-disagree"
    NOT_A_BROKEN_TOOL = "not-a-broken-tool"
    NO_SUCH_SEAT = "no-such-seat"
    SEAT_GIVEN_UP = "seat-given-up"
    ALREADY_BROKEN = "already-broken"
    OWN_TOOL = "own-tool"
    NOT_A_REPAIR = "not-a-repair"
    WRONG_TOOL = "wrong-tool"
    NOTHING_TO_REPAIR = "nothing-to-repair"
    NO_PATH_THERE = "no-path-there"
    NOT_A_GOAL = "not-a-goal"
    GOAL_FACE_UP = "goal-face-up"
    NOT_OFFERED = "not-offered"
    LAST_SEAT = "last-seat"
    NO_SUCH_TURN = "no-such-turn"


RULES: dict[Reason, str] = {
    Reason.GAME_OVER: "R50",
    Reason.NOT_YOUR_TURN: "R7",
    Reason.CHOICE_FIRST: "R28",
    Reason.NO_CHOICE_OPEN: "R28",
    Reason.NOT_IN_HAND: "R8",
    Reason.HAND_NOT_EMPTY: "R12",
    Reason.NOT_A_PATH_CARD: "R13",
    Reason.TOOLS_BROKEN: "R19",
    Reason.NO_SUCH_CELL: "R13",
    Reason.CELL_TAKEN: "R13",
    Reason.NOT_BESIDE: "R13",
    Reason.NOT_CONNECTED: "R25",
    Reason.GOAL_ALONE: "R14",
    Reason.EDGES_DISAGREE: "R15",
    Reason.NOT_A_BROKEN_TOOL: "R17",
    Reason.NO_SUCH_SEAT: "R17",
    Reason.SEAT_GIVEN_UP: "E12",
    Reason.ALREADY_BROKEN: "R18",
    Reason.OWN_TOOL: "E18",
    Reason.NOT_A_REPAIR: "R21",
    Reason.WRONG_TOOL: "R23",
    Reason.NOTHING_TO_REPAIR: "R22",
    Reason.NO_PATH_THERE: "R24",
    Reason.NOT_A_GOAL: "R26",
    Reason.GOAL_FACE_UP: "E22",
    Reason.NOT_OFFERED: "R28",
    Reason.LAST_SEAT: "E12",
    Reason.NO_SUCH_TURN: "E12",
}
"""The rule or edge case that each refusal rests on."""


class IllegalAction(Exception):
    """The rules in force do not allow this action now. Nothing has changed."""

    def __init__(self, reason: Reason) -> None:
        """Refuse for this reason."""
        super().__init__(reason.value)
        self.reason = reason

    @property
    def rule(self) -> str:
        """The rule number (R..) or edge case (E..) that the refusal rests on."""
        return RULES[self.reason]


class Expected(StrEnum):
    """What would have been right where notation cannot be read."""

    ACTION = "action"
    EVENT = "event"
    CARD = "card"
    PATH_CARD = "path-card"
    REPAIR_CARD = "repair-card"
    CELL = "cell"
    SEAT = "seat"
    TOOL = "tool"
    GOAL = "goal"
    WAY = "way"
    GOLD = "gold"
    ROLE = "role"
    SIDE = "side"
    ENDING = "ending"
    ROUND = "round"
    NUMBER = "number"
    WORD = "word"  # the very word that ``form`` has there
    COUNT = "count"  # as many as ``form`` says
    END = "end"  # nothing more
    SPELLING = "spelling"  # the same, written as ``form``

    FORMAT = "format"  # a game file of the format ``form``
    SIZE = "size"  # a file of at most ``form`` bytes
    UTF_8 = "utf-8"
    LINE = "line"  # a line of the form ``form``
    TURN = "turn"  # the turn numbered ``form``
    BY = "by"  # one of the words in ``form``
    NAME = "name"
    RULEBOOK = "rulebook"  # one of the keys in ``form``
    HOUSE_RULES = "house-rules"
    TABLE = "table"  # a header that agrees with itself


class ParseError(Exception):
    """A text is no notation. Which one would be right is said in codes; nothing has been done."""

    def __init__(
        self, wanted: Expected, *, found: str = "", form: str = "", line: int | None = None
    ) -> None:
        """Say what is wanted, in place of which word (empty when the text ends there), in a text of which form.

        ``line`` counts from 1, in a file.
        """
        super().__init__(wanted.value)
        self.wanted = wanted
        self.found = found[:_SHOWN]
        self.form = form
        self.line = line


_SHOWN = 60
