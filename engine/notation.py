"""The notation: every action and every event as a short text. It never changes.

Seats are numbered from 1, clockwise. Cards are the codes of :mod:`engine.cards`, cells the labels of :mod:`engine.cells`.
Words are in lower case with one space between them; every action has exactly one text.

======================================  =====================================================================
text                                    action
======================================  =====================================================================
``lay path-trb D5``                     lay a path card as printed
``lay path-trb D5 turned``              lay it turned by 180 degrees
``break lantern 2``                     break the lantern of seat 2
``repair cart 3``                       repair the cart of seat 3 with the card that repairs only carts
``repair cart 3 with pickaxe-cart``     repair it with the card that repairs a pickaxe or a cart
``rockfall C4``                         remove the path card at C4
``look I3``                             look at the goal at I3 with a map
``discard map``                         discard a map
``pass``                                pass the turn with an empty hand
``goal I5``                             turn over the goal at I5
``way printed``, ``way turned``         orient the stone as printed, or turned by 180 degrees
``gold 3``                              keep the gold card of three nuggets
======================================  =====================================================================

The text of an event begins with the seat that acted, if one did; ``_EVENT_PATTERNS`` below defines the texts. A text that is
not valid notation raises :class:`~engine.errors.ParseError`; whether a valid action is allowed now is up to the rules.

One text pattern with typed placeholders both writes the fields of a struct as a text and reads them back. A pattern is
a list of tokens with one space between them. A plain word stands for itself; the placeholders are:

- ``{cell}`` is the field ``cell``, of the word type ``cell``; ``{target:seat}`` is the field ``target``, of the word type
  ``seat``;
- ``{cards:gold*}`` is a tuple of any length, ``{goals:goal*3}`` one of that length, up to the pattern's next word;
- ``{hands:card/}`` is a tuple of tuples, with a slash between them;
- ``[turned]`` is the field ``turned``: the word is present when the field is true;
- ``[with {card:repair}]`` is omitted when the field has its default.

Reading is strict: it accepts only texts that would be written in exactly the same way.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final, NamedTuple, TypeVar, get_args

import msgspec

from engine import actions, events
from engine.actions import Action
from engine.cards import (
    ACTION_CARDS,
    BREAKS,
    GOALS,
    GOLD_CARDS,
    HAND_SIZES,
    PATH_CARDS,
    REPAIRS,
    TOOLS,
    Role,
)
from engine.cells import position
from engine.errors import ExpectedText, ParseError
from engine.events import Ending, Event, Side
from engine.rulebook import MAX_ROUNDS

MAX_SEATS: Final = max(HAND_SIZES)
_NUMBER_PATTERN: Final = re.compile("0|[1-9][0-9]{0,8}")

T = TypeVar("T")
_Struct = TypeVar("_Struct", bound=msgspec.Struct)
Fields = dict[str, Any]
Default = Callable[[Fields], Any]


class WordType(NamedTuple):
    """A type of values that are written as one word each."""

    expected: ExpectedText
    """What a parse error names when a word is not of this type."""
    write: Callable[[Any], str]
    """Returns the word of a value; raises ValueError if it has none."""
    read: Callable[[str], Any]
    """Returns the value of a word; raises ValueError if it has none."""


class WordReader:
    """A text that is read word by word."""

    def __init__(self, text: str, form: str) -> None:
        """Begin at the first word; parse errors show ``form``."""
        self._words = text.split(" ")
        self._next_index = 0
        self._form = form

    def peek(self) -> str | None:
        """Return the next word, or None at the end of the text."""
        return self._words[self._next_index] if self._next_index < len(self._words) else None

    def take_word(self) -> str:
        """Return the next word and move on. The text must not be at its end."""
        word = self._words[self._next_index]
        self._next_index += 1
        return word

    def error(self, expected: ExpectedText) -> ParseError:
        """Return a parse error at the next word."""
        return ParseError(expected, found=self.peek() or "", form=self._form)


class Pattern:
    """A compiled pattern."""

    def __init__(
        self, text: str, word_types: Mapping[str, WordType], defaults: Mapping[str, Default]
    ) -> None:
        """Compile a pattern; ``defaults`` compute the fields of bracketed placeholders from the fields before them."""
        self.verb = next(token for token in text.split(" ") if token[0] not in "{[")
        self.form = _PLACEHOLDER_PATTERN.sub(partial(_placeholder_form, word_types), text)
        self._parts = tuple(_parse_parts(text, word_types, defaults))

    def write(self, fields: Fields) -> str:
        """Return the text of these fields. Raises ValueError if a value cannot be written."""
        return " ".join(word for part in self._parts for word in part.write(fields))

    def read(self, text: str) -> Fields:
        """Return the fields of a text. Raises ParseError."""
        words, fields = WordReader(text, self.form), Fields()
        for part in self._parts:
            part.read(words, fields)
        if words.peek() is not None:
            raise words.error(ExpectedText.END)
        return fields


class _Literal(NamedTuple):
    """A word that stands for itself."""

    word: str

    def write(self, _: Fields) -> Iterator[str]:
        yield self.word

    def read(self, words: WordReader, _: Fields) -> None:
        if words.peek() != self.word:
            raise words.error(ExpectedText.WORD)
        words.take_word()


class _SingleWord(NamedTuple):
    """A field of one word."""

    name: str
    word_type: WordType

    def write(self, fields: Fields) -> Iterator[str]:
        yield self.word_type.write(fields[self.name])

    def read(self, words: WordReader, fields: Fields) -> None:
        fields[self.name] = _read_value(words, self.word_type)


class _Tuple(NamedTuple):
    """A tuple that ends before the pattern's next word, ``stop_word``."""

    name: str
    word_type: WordType
    stop_word: str | None
    length: int | None

    def write(self, fields: Fields) -> Iterator[str]:
        return map(self.word_type.write, fields[self.name])

    def read(self, words: WordReader, fields: Fields) -> None:
        fields[self.name] = tuple(_read_values(words, self.word_type, {self.stop_word, None}))
        if self.length not in {None, len(fields[self.name])}:
            raise words.error(ExpectedText.COUNT)


class _TupleOfTuples(NamedTuple):
    """Tuples with slashes between them, which end before the pattern's next word, ``stop_word``."""

    name: str
    word_type: WordType
    stop_word: str | None

    def write(self, fields: Fields) -> Iterator[str]:
        for number, values in enumerate(fields[self.name]):
            if number:
                yield "/"
            yield from map(self.word_type.write, values)

    def read(self, words: WordReader, fields: Fields) -> None:
        tuples = [self._inner_tuple(words)]
        while words.peek() == "/":
            words.take_word()
            tuples.append(self._inner_tuple(words))
        fields[self.name] = tuple(tuples)

    def _inner_tuple(self, words: WordReader) -> tuple[Any, ...]:
        return tuple(_read_values(words, self.word_type, {self.stop_word, "/", None}))


class _Flag(NamedTuple):
    """A word that is present when the field is true."""

    word: str

    def write(self, fields: Fields) -> Iterator[str]:
        if fields[_field_name(self.word)]:
            yield self.word

    def read(self, words: WordReader, fields: Fields) -> None:
        is_present = words.peek() == self.word
        if is_present:
            words.take_word()
        fields[_field_name(self.word)] = is_present


class _OptionalPart(NamedTuple):
    """A word and a placeholder that are omitted when the field has its default."""

    word: str
    placeholder: _SingleWord | _Tuple
    default: Default

    def write(self, fields: Fields) -> Iterator[str]:
        if fields[self.placeholder.name] != self.default(fields):
            yield self.word
            yield from self.placeholder.write(fields)

    def read(self, words: WordReader, fields: Fields) -> None:
        if words.peek() != self.word:
            fields[self.placeholder.name] = self.default(fields)
            return
        words.take_word()
        self.placeholder.read(words, fields)


_Part = _Literal | _SingleWord | _Tuple | _TupleOfTuples | _Flag | _OptionalPart
_TOKEN_PATTERN: Final = re.compile(r"\[[^]]*\]|\S+")
_PLACEHOLDER_PATTERN: Final = re.compile(r"\{(\w+)(?::(\w+))?(\*|/)?(\d+)?\}")


def _placeholder_form(word_types: Mapping[str, WordType], placeholder: re.Match[str]) -> str:
    """Return a placeholder as a parse error shows it: ``CELL``, ``GOLD...``."""
    name, word_type, repetition_sign, _ = placeholder.groups()
    return word_types[word_type or name].expected.upper() + ("..." if repetition_sign else "")


def _parse_parts(
    text: str, word_types: Mapping[str, WordType], defaults: Mapping[str, Default]
) -> Iterator[_Part]:
    tokens = _TOKEN_PATTERN.findall(text)
    for token, next_token in zip(tokens, [*tokens[1:], None], strict=True):
        stop_word = next_token.strip("[]").split(" ")[0] if next_token else None
        word, _, bracketed_text = token.strip("[]").partition(" ")
        if token[0] == "{":
            yield _parse_placeholder(token, word_types, stop_word)
        elif token[0] != "[":
            yield _Literal(token)
        elif not bracketed_text:
            yield _Flag(word)
        else:
            placeholder = _parse_placeholder(bracketed_text, word_types, stop_word)
            assert not isinstance(placeholder, _TupleOfTuples), "not supported in brackets"
            yield _OptionalPart(word, placeholder, defaults[placeholder.name])


def _parse_placeholder(
    token: str, word_types: Mapping[str, WordType], stop_word: str | None
) -> _SingleWord | _Tuple | _TupleOfTuples:
    match = _PLACEHOLDER_PATTERN.fullmatch(token)
    assert match is not None, token
    name, word_type, repetition_sign, length = match.groups()
    if repetition_sign == "*":
        return _Tuple(name, word_types[word_type], stop_word, int(length) if length else None)
    if repetition_sign == "/":
        return _TupleOfTuples(name, word_types[word_type], stop_word)
    return _SingleWord(name, word_types[word_type or name])


def _read_values(
    words: WordReader, word_type: WordType, stop_words: set[str | None]
) -> Iterator[Any]:
    while words.peek() not in stop_words:
        yield _read_value(words, word_type)


def _read_value(words: WordReader, word_type: WordType) -> Any:  # noqa: ANN401 - any type that word_type reads
    try:
        value = word_type.read(words.peek() or "")
    except ValueError:
        raise words.error(word_type.expected) from None
    words.take_word()
    return value


def _field_name(word: str) -> str:
    return word.replace("-", "_")


def write_action(action: Action) -> str:
    """Return the text of an action. Raises ValueError if it names a card, cell or seat that does not exist."""
    return _write_struct(action, _ACTION_PATTERNS)


def read_action(text: str) -> Action:
    """Return the action of a text, which the rules may still refuse. Raises ParseError."""
    struct, pattern = _pattern_for(text.partition(" ")[0], _ACTION_PATTERNS, ExpectedText.ACTION)
    return _read_struct(text, struct, pattern)


def write_event(event: Event) -> str:
    """Return the text of an event with all its fields. Raises ValueError as ``write_action`` does."""
    return _write_struct(event, _EVENT_PATTERNS)


def read_event(text: str) -> Event:
    """Return the event of a text. Raises ParseError."""
    first_word, _, remaining_text = text.partition(" ")
    verb = remaining_text.partition(" ")[0] if first_word.isdigit() else first_word
    struct, pattern = _pattern_for(verb, _EVENT_PATTERNS, ExpectedText.EVENT)
    return _read_struct(text, struct, pattern)


def _write_struct(struct: _Struct, patterns: Mapping[type[_Struct], Pattern]) -> str:
    return patterns[type(struct)].write(msgspec.structs.asdict(struct))


def _pattern_for(
    verb: str, patterns: Mapping[type[_Struct], Pattern], expected: ExpectedText
) -> tuple[type[_Struct], Pattern]:
    for struct, pattern in patterns.items():
        if pattern.verb == verb:
            return struct, pattern
    raise ParseError(
        expected,
        found=verb,
        form=" ".join(known_pattern.verb for known_pattern in patterns.values()),
    )


def _read_struct(text: str, struct: type[_Struct], pattern: Pattern) -> _Struct:
    fields = pattern.read(text)
    written_text = pattern.write(fields)
    if written_text != text:
        raise ParseError(ExpectedText.SPELLING, found=text, form=written_text)
    return struct(**fields)


def _vocabulary(expected: ExpectedText, word_by_value: Mapping[Any, str]) -> WordType:
    value_by_word = {word: value for value, word in word_by_value.items()}
    return WordType(expected, _lookup_in(word_by_value), _lookup_in(value_by_word))


def _lookup_in(value_by_key: Mapping[Any, T]) -> Callable[[Any], T]:
    def look_up(key: object) -> T:
        if key not in value_by_key:
            raise ValueError("not in the vocabulary")
        return value_by_key[key]

    return look_up


def _identity_words(values: Iterable[str]) -> dict[str, str]:
    return {value: value for value in values}


def _valid_cell(word: str) -> str:
    position(word)
    return word


def _write_number(number: int) -> str:
    digits = str(number)
    _read_number(digits)
    return digits


def _read_number(word: str) -> int:
    if not _NUMBER_PATTERN.fullmatch(word):
        raise ValueError("not a number of at most nine digits")
    return int(word)


_WORD_TYPES: Final[dict[str, WordType]] = {
    "cell": WordType(ExpectedText.CELL, _valid_cell, _valid_cell),
    "number": WordType(ExpectedText.NUMBER, _write_number, _read_number),
    "seat": _vocabulary(ExpectedText.SEAT, {seat: str(seat + 1) for seat in range(MAX_SEATS)}),
    "round": _vocabulary(
        ExpectedText.ROUND, {number + 1: str(number + 1) for number in range(MAX_ROUNDS)}
    ),
    "gold": _vocabulary(ExpectedText.GOLD, {nuggets: str(nuggets) for nuggets in GOLD_CARDS}),
    "card": _vocabulary(ExpectedText.CARD, _identity_words(PATH_CARDS | ACTION_CARDS)),
    "path": _vocabulary(ExpectedText.PATH_CARD, _identity_words(PATH_CARDS)),
    "broken": _vocabulary(ExpectedText.TOOL, BREAKS),
    "repair": _vocabulary(
        ExpectedText.REPAIR_CARD, {card: "-".join(tools) for card, tools in REPAIRS.items()}
    ),
    "tool": _vocabulary(ExpectedText.TOOL, _identity_words(TOOLS)),
    "goal": _vocabulary(ExpectedText.GOAL, _identity_words(GOALS)),
    "role": _vocabulary(ExpectedText.ROLE, _identity_words(get_args(Role))),
    "side": _vocabulary(ExpectedText.SIDE, _identity_words(get_args(Side))),
    "ending": _vocabulary(ExpectedText.ENDING, _identity_words(get_args(Ending))),
    "way": _vocabulary(ExpectedText.ORIENTATION, {False: "printed", True: "turned"}),
}


def _no_default(_: Fields) -> None:
    return None


def _single_repair(fields: Fields) -> str:
    return f"repair-{fields['tool']}"


_DEFAULTS: Final[dict[str, Default]] = {
    "card": _single_repair,
    "passed_to": _no_default,
    "pile": _no_default,
}


def _patterns(texts: Mapping[type[_Struct], str]) -> dict[type[_Struct], Pattern]:
    return {struct: Pattern(text, _WORD_TYPES, _DEFAULTS) for struct, text in texts.items()}


_ACTION_PATTERNS: Final[dict[type[Action], Pattern]] = _patterns(
    {
        actions.Lay: "lay {card:path} {cell} [turned]",
        actions.Break: "break {card:broken} {seat}",
        actions.Repair: "repair {tool} {seat} [with {card:repair}]",
        actions.Rockfall: "rockfall {cell}",
        actions.Look: "look {cell}",
        actions.Discard: "discard {card}",
        actions.Pass: "pass",
        actions.ChooseGoal: "goal {cell}",
        actions.ChooseOrientation: "way {turned:way}",
        actions.TakeGold: "gold {nuggets:gold}",
    }
)

_EVENT_PATTERNS: Final[dict[type[Event], Pattern]] = _patterns(
    {
        events.Dealt: "dealt round {round} starter {starter:seat} roles {roles:role*} aside {aside:role}"
        " goals {goals:goal*3} hands {hands:card/} deck {deck:card*} [pile {pile:gold*}]",
        events.CardLaid: "{seat} laid {card:path} {cell} [turned]",
        events.GoalsReached: "{seat} reached {cells:cell*}",
        events.StoneMisfit: "{seat} uncovered {goal} {cell}",
        events.GoalTurned: "{seat} revealed {goal} {cell} [turned]",
        events.ToolBroken: "{seat} broke {card:broken} {target:seat}",
        events.ToolRepaired: "{seat} repaired {tool} {target:seat} [with {card:repair}]",
        events.RockFell: "{seat} removed {card:path} {cell}",
        events.GoalSeen: "{seat} saw {goal} {cell}",
        events.Discarded: "{seat} discarded {card} [toward-circle]",
        events.Passed: "{seat} passed",
        events.Drawn: "{seat} drew {card}",
        events.TurnBegan: "turn {seat}",
        events.RoundEnded: "ended round {round} {ending} winners {winners:side} by {ended_by:seat}"
        " roles {roles:role*} aside {aside:role}",
        events.GoldDrawn: "{seat} holds {cards:gold*}",
        events.GoldTaken: "{seat} kept {nuggets:gold} [passed-to {passed_to:seat}]",
        events.GoldPassed: "{seat} declined [passed-to {passed_to:seat}]",
        events.GoldPaid: "{seat} paid [restored] {cards:gold*} overshot {overshot:gold*} pile {pile:gold*}",
        events.GameEnded: "game-over nuggets {nuggets:number*} winners {winners:seat*}",
        events.SeatGivenUp: "{seat} given-up",
        events.SeatHandedOver: "{seat} handed-over",
        events.GameShortened: "shortened to {rounds:round}",
        events.Rewound: "rewound to {to_seq:number}",
    }
)
