"""The words of commands in emails: one table for each language, read together, because players mix them."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, NamedTuple

from engine.cards import Tool


class Verb(StrEnum):
    """What a command asks for."""

    LAY = "lay"
    BREAK = "break"
    REPAIR = "repair"
    MAP = "map"
    ROCKFALL = "rockfall"
    DISCARD = "discard"
    PASS = "pass"  # noqa: S105 - a verb
    GOAL = "goal"
    WAY = "way"
    GOLD = "gold"
    PLAN = "plan"
    AWAY = "away"
    BACK = "back"
    SAY = "say"
    UNDO = "undo"
    STATUS = "status"
    HELP = "help"


class Words(NamedTuple):
    """The words of one language; a command may shorten a verb as long as it stays unambiguous."""

    verbs: Mapping[str, Verb]
    tools: Mapping[str, Tool]
    turned: frozenset[str]
    printed: frozenset[str]
    me: frozenset[str]
    seat: frozenset[str]
    fillers: frozenset[str]
    until: frozenset[str]
    """Words before the day until which someone is away."""
    none: frozenset[str]
    """Words that are written instead of a plan."""


ENGLISH: Final = Words(
    verbs={
        "lay": Verb.LAY,
        "play": Verb.LAY,
        "put": Verb.LAY,
        "place": Verb.LAY,
        "dig": Verb.LAY,
        "build": Verb.LAY,
        "break": Verb.BREAK,
        "smash": Verb.BREAK,
        "repair": Verb.REPAIR,
        "fix": Verb.REPAIR,
        "map": Verb.MAP,
        "look": Verb.MAP,
        "peek": Verb.MAP,
        "rockfall": Verb.ROCKFALL,
        "remove": Verb.ROCKFALL,
        "discard": Verb.DISCARD,
        "drop": Verb.DISCARD,
        "throw": Verb.DISCARD,
        "pass": Verb.PASS,
        "skip": Verb.PASS,
        "goal": Verb.GOAL,
        "reveal": Verb.GOAL,
        "way": Verb.WAY,
        "stone": Verb.WAY,
        "gold": Verb.GOLD,
        "keep": Verb.GOLD,
        "take": Verb.GOLD,
        "plan": Verb.PLAN,
        "away": Verb.AWAY,
        "back": Verb.BACK,
        "say": Verb.SAY,
        "tell": Verb.SAY,
        "undo": Verb.UNDO,
        "withdraw": Verb.UNDO,
        "status": Verb.STATUS,
        "show": Verb.STATUS,
        "position": Verb.STATUS,
        "help": Verb.HELP,
        "commands": Verb.HELP,
        "?": Verb.HELP,
    },
    tools={
        "pickaxe": "pickaxe",
        "pick": "pickaxe",
        "axe": "pickaxe",
        "lantern": "lantern",
        "lamp": "lantern",
        "light": "lantern",
        "cart": "cart",
        "wagon": "cart",
        "trolley": "cart",
    },
    turned=frozenset({"turned", "rotated", "flipped", "reversed", "around", "round", "upside"}),
    printed=frozenset({"printed", "straight", "normal", "unturned"}),
    me=frozenset({"me", "myself", "mine", "my", "own"}),
    seat=frozenset({"seat", "player"}),
    fillers=frozenset(
        {
            "at",
            "on",
            "to",
            "in",
            "with",
            "the",
            "a",
            "card",
            "goal",
            "down",
            "it",
            "of",
            "as",
            "away",
        }
        | {"number", "please", "nuggets", "nugget", "using", "from", "face", "tool", "'s", "s"}
    ),
    until=frozenset({"until", "till", "til", "to", "through"}),
    none=frozenset({"none", "nothing", "no", "off", "cancel", "stop"}),
)
LANGUAGES: Final = (ENGLISH,)
"""Another language is another table here."""
