"""The errors of the engine, as codes; their sentences are in the translations.

``IllegalAction`` is an action that the rules do not allow now, ``ParseError`` a text that is not valid notation.
"""

from enum import StrEnum
from typing import Final, Self


class Reason(StrEnum):
    """The reason why an action is illegal."""

    rule: str
    """The rule (R..) or edge case (E..) behind it."""

    GAME_OVER = "game-over", "R50"
    NOT_YOUR_TURN = "not-your-turn", "R7"
    CHOICE_FIRST = "choice-first", "R28"
    NO_CHOICE_OPEN = "no-choice-open", "R28"
    NOT_IN_HAND = "not-in-hand", "R8"
    HAND_NOT_EMPTY = "hand-not-empty", "R12"
    NOT_A_PATH_CARD = "not-a-path-card", "R13"
    TOOLS_BROKEN = "tools-broken", "R19"
    NO_SUCH_CELL = "no-such-cell", "R13"
    CELL_TAKEN = "cell-taken", "R13"
    NOT_BESIDE = "not-beside", "R13"
    NOT_CONNECTED = "not-connected", "R25"
    GOAL_ALONE = "goal-alone", "R14"
    EDGES_DIFFER = "edges-differ", "R15"
    NOT_A_BROKEN_TOOL = "not-a-broken-tool", "R17"
    NO_SUCH_SEAT = "no-such-seat", "R17"
    SEAT_GIVEN_UP = "seat-given-up", "E12"
    ALREADY_BROKEN = "already-broken", "R18"
    OWN_TOOL = "own-tool", "E18"
    NOT_A_REPAIR = "not-a-repair", "R21"
    WRONG_TOOL = "wrong-tool", "R23"
    NOTHING_TO_REPAIR = "nothing-to-repair", "R22"
    NO_PATH_THERE = "no-path-there", "R24"
    NOT_A_GOAL = "not-a-goal", "R26"
    GOAL_FACE_UP = "goal-face-up", "E22"
    NOT_OFFERED = "not-offered", "R28"
    LAST_SEAT = "last-seat", "E12"
    LAST_ROUND = "last-round", "R47"
    NO_SUCH_TURN = "no-such-turn", "E12"

    def __new__(cls, code: str, rule: str = "") -> Self:
        """Return a member whose value is the code."""
        reason = str.__new__(cls, code)
        reason._value_ = code
        reason.rule = rule
        return reason


class IllegalAction(Exception):
    """The rules in force do not allow an action now. The position is unchanged."""

    def __init__(self, reason: Reason) -> None:
        """Keep the reason."""
        super().__init__(reason.value)
        self.reason = reason


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
