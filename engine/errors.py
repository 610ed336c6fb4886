"""The errors of the engine, as codes; their sentences are in the translations.

``IllegalAction`` is an action that the rules do not allow now, ``ParseError`` a text that is not valid notation.
"""

from enum import StrEnum
from typing import Final


class Reason(StrEnum):
    """The reason why an action is illegal."""

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
    EDGES_DIFFER = "edges-differ"
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
    LAST_ROUND = "last-round"
    NO_SUCH_TURN = "no-such-turn"


RULE_BY_REASON: Final[dict[Reason, str]] = {
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
    Reason.EDGES_DIFFER: "R15",
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
    Reason.LAST_ROUND: "R47",
    Reason.NO_SUCH_TURN: "E12",
}
"""The rule (R..) or edge case (E..) behind each reason."""


class IllegalAction(Exception):
    """The rules in force do not allow an action now. The position is unchanged."""

    def __init__(self, reason: Reason) -> None:
        """Keep the reason."""
        super().__init__(reason.value)
        self.reason = reason

    @property
    def rule(self) -> str:
        """The rule (R..) or edge case (E..) behind the reason."""
        return RULE_BY_REASON[self.reason]


class ExpectedText(StrEnum):
    """What the parser expected at the point of a parse error."""

    ACTION = "action"
    EVENT = "event"
    CARD = "card"
    PATH_CARD = "path-card"
    REPAIR_CARD = "repair-card"
    CELL = "cell"
    SEAT = "seat"
    TOOL = "tool"
    GOAL = "goal"
    ORIENTATION = "orientation"
    GOLD = "gold"
    ROLE = "role"
    SIDE = "side"
    ENDING = "ending"
    ROUND = "round"
    NUMBER = "number"
    WORD = "word"  # the literal word that ``form`` has there
    COUNT = "count"  # the number of items that ``form`` requires
    END = "end"  # the end of the text
    SPELLING = "spelling"  # the canonical text ``form``

    FORMAT = "format"  # a game file of the format ``form``
    SIZE = "size"  # a file of at most ``form`` bytes
    FREEZE_SIZE = "freeze-size"  # a freeze record of at most ``form`` bytes
    UTF_8 = "utf-8"
    LINE = "line"  # a line of the form ``form``
    TURN = "turn"  # the turn numbered ``form``
    TURN_SOURCE = "turn-source"  # one of the words in ``form``
    NAME = "name"
    RULEBOOK = "rulebook"  # one of the keys in ``form``
    HOUSE_RULES = "house-rules"
    TABLE = "table"  # a header with 3 to 10 seats, the starter among them


_MAX_QUOTED_LENGTH: Final = 60


class ParseError(Exception):
    """A text is not valid notation."""

    def __init__(
        self, expected: ExpectedText, *, found: str = "", form: str = "", line: int | None = None
    ) -> None:
        """Keep what was expected and where.

        ``found`` is the word at that point (empty at the end of the text, shortened to 60 characters), ``form`` the form of
        the text, ``line`` the line number in a file, from 1.
        """
        super().__init__(expected.value)
        self.expected = expected
        self.found = found[:_MAX_QUOTED_LENGTH]
        self.form = form
        self.line = line
