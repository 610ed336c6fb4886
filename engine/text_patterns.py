"""Text patterns with typed placeholders: one pattern both writes the fields of a struct as a text and reads them back.

A pattern is a list of tokens with one space between them. A plain word stands for itself; the placeholders are:

- ``{cell}`` is the field ``cell``, of the word type ``cell``; ``{target:seat}`` is the field ``target``, of the word type
  ``seat``;
- ``{cards:gold*}`` is a tuple of any length, ``{goals:goal*3}`` one of that length, up to the pattern's next word;
- ``{hands:card/}`` is a tuple of tuples, with a slash between them;
- ``[turned]`` is the field ``turned``: the word is present when the field is true;
- ``[with {card:repair}]`` is omitted when the field has its default.

Reading is strict: it accepts only texts that would be written in exactly the same way.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

from engine.errors import ExpectedText, ParseError

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
