"""What players answer to their emails: lines become commands, and a command becomes the one action that it can mean.

No verb has a grammar. Every legal action has facts, such as its card, its cell or its tool; a command keeps the actions of which
each of its words is a fact. If exactly one is left, that is what was meant; nothing is ever guessed.
"""

import calendar
import re
import unicodedata
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import takewhile
from typing import Final, NamedTuple

from engine.actions import (
    Action,
    Break,
    ChooseGoal,
    ChooseOrientation,
    Discard,
    Lay,
    Look,
    Pass,
    Repair,
    Rockfall,
    TakeGold,
)
from engine.cards import ACTION_CARDS, BREAKS, MAP, PATH_CARDS, ROCKFALL, Card
from engine.cells import GOAL_CELLS, is_cell
from engine.view import View
from webapp.mail.reply_words import LANGUAGES, Verb

MAX_COMMANDS: Final = 20
_MAX_DIGITS: Final = 3
_SEMICOLON: Final = re.compile(";")
_SEPARATOR: Final = re.compile(r"[;\n]|\bthen\b", re.IGNORECASE)
_EDGE_PUNCTUATION: Final = ".,!:#\"'`*_()[]<>"
_MINUSES: Final = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212"), "-")
_VERBS_WITHOUT_NUMBERS: Final = frozenset({Verb.PASS, Verb.UNDO, Verb.STATUS, Verb.HELP})
_DAY_WORDS: Final = frozenset({"tomorrow", *map(str.lower, calendar.day_name)})
_CARD_VERBS: Final = {
    Lay: Verb.LAY,
    Break: Verb.BREAK,
    Repair: Verb.REPAIR,
    Rockfall: Verb.ROCKFALL,
    Look: Verb.MAP,
    Discard: Verb.DISCARD,
    Pass: Verb.PASS,
    ChooseGoal: Verb.GOAL,
    ChooseOrientation: Verb.WAY,
    TakeGold: Verb.GOLD,
}
_PLAYING_VERBS: Final = frozenset(_CARD_VERBS.values())


class Command(NamedTuple):
    """One command as it was typed: what it asks for, and the words that follow."""

    typed: str
    verbs: frozenset[Verb]
    """More than one if the first word is short for several."""
    rest: str


class ProblemKind(StrEnum):
    """Why a command means no action."""

    NO_COMMAND = "no-command"
    UNKNOWN_WORD = "unknown-word"
    NOT_POSSIBLE = "not-possible"
    SEVERAL = "several"


class Problem(NamedTuple):
    """Why a command means no action, and what it may have meant."""

    kind: ProblemKind
    word: str = ""
    actions: tuple[Action, ...] = ()


def parse_commands(lines: Sequence[str]) -> tuple[Command, ...]:
    """Return the commands at the beginning of what was written; what follows them is for people.

    If even the first line is none, it is returned as a command without a verb.
    """
    pieces = [piece.strip() for line in lines for piece in _pieces_of(line) if piece.strip()]
    commands = list(map(command_in, pieces[: MAX_COMMANDS + 1]))
    found = list(takewhile(lambda command: command.verbs, commands))[:MAX_COMMANDS]
    return tuple(found or commands[:1])


def resolve(
    command: Command, view: View, menu: Sequence[Action], names: Sequence[str]
) -> Action | Problem:
    """Return the action of the menu that a command means, or why there is none."""
    if not command.verbs:
        return Problem(ProblemKind.NO_COMMAND, command.typed)
    possible = [action for action in menu if _CARD_VERBS[type(action)] in command.verbs]
    if not possible:
        return Problem(ProblemKind.NOT_POSSIBLE)
    for word in _words_of(command.rest, names):
        matching = [action for action in possible if word in _facts(action, view)]
        if not matching:
            kind, _, value = word.partition(":")
            is_unknown = kind == "name"
            problem = ProblemKind.UNKNOWN_WORD if is_unknown else ProblemKind.NOT_POSSIBLE
            return Problem(problem, value or word, tuple(possible))
        possible = matching
    return _only_action(possible)


def named_facts(command: Command, names: Sequence[str]) -> dict[str, str]:
    """Return the first fact of each kind that the words after the verb name, such as {"number": "2", "cell": "D5", "turned": ""}."""
    facts: dict[str, str] = {}
    for word in _words_of(command.rest, names):
        kind, _, value = word.partition(":")
        facts.setdefault(kind, value)
    return facts


def write_command(action: Action, view: View) -> str:
    """Return a short command that always means this action, whatever the players are called."""
    card = getattr(action, "card", None)
    seat = getattr(action, "seat", None)
    orientation = getattr(action, "turned", None)
    parts = (
        _CARD_VERBS[type(action)],
        None if card is None else _card_number(card, view),
        None if seat is None else f"seat {seat + 1}",
        getattr(action, "tool", None),
        getattr(action, "cell", None),
        getattr(action, "nuggets", None),
        "turned" if orientation else None,
        "printed" if orientation is False and isinstance(action, ChooseOrientation) else None,
    )
    return " ".join(str(part) for part in parts if part is not None)


def _only_action(possible: Sequence[Action]) -> Action | Problem:
    """Return the one action that is left; a card that fits both ways round lies as printed."""
    if len(possible) > 1 and all(isinstance(action, Lay) for action in possible):
        places = {(action.card, action.cell) for action in possible if isinstance(action, Lay)}
        if len(places) == 1:
            return min(possible, key=lambda action: isinstance(action, Lay) and action.turned)
    if len(possible) == 1:
        return possible[0]
    return Problem(ProblemKind.SEVERAL, actions=tuple(possible))


def _pieces_of(line: str) -> Iterator[str]:
    """Yield the commands of a line. What is said ends at a semicolon with a complete command behind it."""
    rest = line
    while rest:
        is_talk = Verb.SAY in _verbs_of(_first_word(rest))
        end = _end_of_talk(rest) if is_talk else _SEPARATOR.search(rest)
        if end is None:
            yield rest
            return
        yield rest[: end.start()]
        rest = rest[end.end() :].lstrip()


def _end_of_talk(text: str) -> re.Match[str] | None:
    """Return the first semicolon behind which commands begin; None if all of the text is said."""
    for semicolon in _SEMICOLON.finditer(text):
        following = text[semicolon.end() :].partition(";")[0]
        if all(map(_is_complete, _SEPARATOR.split(following))):
            return semicolon
    return None


def _is_complete(piece: str) -> bool:
    """Return whether a piece is a command, with all that it needs and nothing else: "look at that" is none, "map 2" is."""
    command = command_in(piece)
    rest = command.rest
    if command.verbs and command.verbs <= _PLAYING_VERBS:
        return _names_an_action(command)
    match tuple(command.verbs):
        case (Verb.SAY,):
            return bool(rest)
        case (Verb.PLAN,):
            return is_none(rest) or _names_an_action(command_in(rest))
        case (Verb.AWAY,):
            return _is(_first_word(rest), "until") and _names_a_day(rest)
        case (Verb.UNDO | Verb.STATUS | Verb.HELP | Verb.BACK,):
            return not rest and len(_first_word(piece)) > 1
    return False


def _names_an_action(command: Command) -> bool:
    """Return whether a command says all that one that plays something needs."""
    facts = {fact.partition(":")[0] for fact in _words_of(command.rest, ())}
    if command.verbs == {Verb.PASS}:
        return not command.rest
    if command.verbs == {Verb.WAY}:
        return bool(facts) and facts <= {"turned", "printed"}
    if not command.verbs <= _PLAYING_VERBS or facts.isdisjoint({"number", "cell", "code"}):
        return False
    # A word that means nothing else may be a player's name.
    return "name" not in facts or not command.verbs.isdisjoint({Verb.BREAK, Verb.REPAIR})


def _names_a_day(text: str) -> bool:
    words = {word.strip(_EDGE_PUNCTUATION) for word in _normalized(text).split()}
    return any(map(str.isdigit, text)) or not words.isdisjoint(_DAY_WORDS)


def ends_with_talk(line: str) -> bool:
    """Return whether what follows this line may continue what it says to the table."""
    *_, last_piece = [*_pieces_of(line)] or [""]
    return Verb.SAY in command_in(last_piece).verbs


def command_in(piece: str) -> Command:
    """Return what a piece asks for.

    A shortened verb that plays something has a number or a cell behind it: "BR, Bob" is how people end an email.
    """
    first_word = _first_word(piece)
    rest = piece.strip().partition(" ")[2].strip()
    verbs = _verbs_of(first_word)
    is_short = not any(first_word in language.verbs for language in LANGUAGES)
    if is_short and not any(map(str.isdigit, rest)) and not verbs <= _VERBS_WITHOUT_NUMBERS:
        verbs = frozenset()
    return Command(piece, verbs, rest)


def _first_word(piece: str) -> str:
    word = _normalized(piece).partition(" ")[0]
    return word if word == "?" else word.strip(_EDGE_PUNCTUATION)


def _verbs_of(word: str) -> frozenset[Verb]:
    """Return what a first word stands for: exactly, or as the beginning of longer ones."""
    if not word:
        return frozenset()
    exact = {language.verbs[word] for language in LANGUAGES if word in language.verbs}
    return frozenset(
        exact
        or {
            verb
            for language in LANGUAGES
            for name, verb in language.verbs.items()
            if name.startswith(word)
        }
    )


def _normalized(text: str) -> str:
    return unicodedata.normalize("NFKC", text).translate(_MINUSES).casefold().strip()


def _words_of(rest: str, names: Sequence[str]) -> Iterator[str]:
    """Yield the facts that the words after a verb name: `number:2`, `cell:D5`, `tool:cart`, `seat:1`, `turned`, `code:path-tb`.

    Words that name none of these are a player's name, or unknown.
    """
    words = [word.strip(_EDGE_PUNCTUATION) for word in _normalized(rest).split()]
    unknown_words: list[str] = []
    index = 0
    while index < len(words):
        word, following = words[index], words[index + 1 : index + 2]
        index += 1
        if _is(word, "seat") and following and following[0].isdecimal():
            yield f"seat:{int(following[0]) - 1}"
            index += 1
        elif (
            len(word) == 1
            and word.isalpha()
            and following
            and is_cell((word + following[0]).upper())
        ):
            yield f"cell:{(word + following[0]).upper()}"
            index += 1
        elif (fact := _fact_of(word)) is not None:
            if fact:
                yield fact
        else:
            unknown_words.append(word)
    if unknown_words:
        yield _fact_of_name(" ".join(unknown_words), names)


def _fact_of(word: str) -> str | None:
    """Return the fact that a word names, empty for a word without meaning, None for an unknown one."""
    if not word or _is(word, "fillers"):
        return ""
    if word.isdecimal() and len(word) <= _MAX_DIGITS:
        return f"number:{int(word)}"
    if is_cell(word.upper()):
        return f"cell:{word.upper()}"
    if word in PATH_CARDS or word in ACTION_CARDS:
        return f"code:{word}"
    for language in LANGUAGES:
        if word in language.tools:
            return f"tool:{language.tools[word]}"
    return next((name for name in ("turned", "printed", "me") if _is(word, name)), None)


def is_none(text: str) -> bool:
    """Return whether these words ask for nothing, such as no plan any more."""
    word = _normalized(text).strip(_EDGE_PUNCTUATION)
    return any(word in language.none for language in LANGUAGES)


def day_and_time_in(text: str) -> str:
    """Return what follows `until` in the words after `away`."""
    first_word, _, rest = text.strip().partition(" ")
    return rest.strip() if _is(_normalized(first_word), "until") else text.strip()


def _is(word: str, name: str) -> bool:
    return any(word in getattr(language, name) for language in LANGUAGES)


def _fact_of_name(typed_name: str, names: Sequence[str]) -> str:
    """Return the seat of a player by their name, or by the beginning of it if that is enough."""
    normalized_names = list(map(_normalized, names))
    exact = [seat for seat, name in enumerate(normalized_names) if name == typed_name]
    found = exact or [
        seat for seat, name in enumerate(normalized_names) if name.startswith(typed_name)
    ]
    return f"seat:{found[0]}" if len(found) == 1 else f"name:{typed_name}"


def _facts(action: Action, view: View) -> frozenset[str]:
    """Return all that can be said of an action after its verb."""
    facts: set[str] = set()
    match action:
        case Lay(_, cell, is_turned):
            facts = {f"cell:{cell}", "turned" if is_turned else "printed"}
        case Break(card, seat):
            facts = {f"tool:{BREAKS[card]}", *_seat_facts(seat, view)}
        case Repair(_, seat, tool):
            facts = {f"tool:{tool}", *_seat_facts(seat, view)}
        case Rockfall(cell):
            facts = {f"cell:{cell}", *_card_facts(ROCKFALL, view)}
        case Look(cell) | ChooseGoal(cell):
            facts = {f"cell:{cell}", f"number:{GOAL_CELLS.index(cell) + 1}", f"code:{MAP}"}
        case ChooseOrientation(is_turned):
            facts = {"turned" if is_turned else "printed"}
        case TakeGold(nuggets):
            facts = {f"number:{nuggets}"}
    own_card = getattr(action, "card", None)
    return frozenset(facts | (set() if own_card is None else _card_facts(own_card, view)))


def _seat_facts(seat: int, view: View) -> set[str]:
    return {f"seat:{seat}"} | ({"me"} if seat == view.seat else set())


def _card_facts(card: Card, view: View) -> set[str]:
    """Return what names a card of the hand: its code, and each of its places in the hand, counted from 1."""
    places = {f"number:{place}" for place, other in enumerate(view.hand, 1) if other == card}
    return {f"code:{card}", *places}


def _card_number(card: Card, view: View) -> int:
    return view.hand.index(card) + 1
