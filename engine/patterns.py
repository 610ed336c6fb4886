"""Texts with typed blanks: one pattern both writes the fields of a struct and reads them back.

A pattern is words with one space between them. A word stands for itself, except for these:

- ``{cell}`` is the field ``cell``, of the kind ``cell``; ``{target:seat}`` is the field ``target``, of the kind ``seat``;
- ``{cards:gold*}`` is a tuple of any length, ``{goals:goal*3}`` one of that length, up to the pattern's next word;
- ``{hands:card/}`` is a tuple of tuples, with a slash between them;
- ``[turned]`` is the field ``turned``: there when it is true;
- ``[with {card:repair}]`` is left out when the field has its default.

Reading is strict: whatever is read would be written in the very same way.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

from engine.errors import Expected, ParseError

Fields = dict[str, Any]
Default = Callable[[Fields], Any]


class Kind(NamedTuple):
    """A vocabulary: how a value is written in one word, how the word is read, and what is wanted when it cannot be."""

    wanted: Expected
    write: Callable[[Any], str]
    read: Callable[[str], Any]
    """Gives the value; raises ValueError when the word has none."""


class Words:
    """A text under reading, word by word."""

    def __init__(self, text: str, form: str) -> None:
        """Begin at the first word; ``form`` is named when something is wrong."""
        self._words = text.split(" ")
        self._next = 0
        self._form = form

    def peek(self) -> str | None:
        """The next word, if there is one."""
        return self._words[self._next] if self._next < len(self._words) else None

    def take(self) -> str:
        """The next word; the text must not end here."""
        word = self._words[self._next]
        self._next += 1
        return word

    def wrong(self, wanted: Expected) -> ParseError:
        """The refusal to read on at the next word."""
        return ParseError(wanted, found=self.peek() or "", form=self._form)


class Pattern:
    """A pattern, ready to write and to read."""

    def __init__(
        self, text: str, kinds: Mapping[str, Kind], defaults: Mapping[str, Default]
    ) -> None:
        """Read the pattern once; ``defaults`` are those of fields in brackets, from the fields before them."""
        self.verb = next(token for token in text.split(" ") if token[0] not in "{[")
        self.form = _BLANK.sub(partial(_named, kinds), text)
        self._parts = tuple(_parts(text, kinds, defaults))

    def write(self, fields: Fields) -> str:
        """The text. Raises ValueError when a field has a value that cannot be written."""
        return " ".join(word for part in self._parts for word in part.write(fields))

    def read(self, text: str) -> Fields:
        """The fields. Raises CannotRead."""
        words, fields = Words(text, self.form), Fields()
        for part in self._parts:
            part.read(words, fields)
        if words.peek() is not None:
            raise words.wrong(Expected.END)
        return fields


class _Word(NamedTuple):
    """A word that stands for itself."""

    word: str

    def write(self, _: Fields) -> Iterator[str]:
        yield self.word

    def read(self, words: Words, _: Fields) -> None:
        if words.peek() != self.word:
            raise words.wrong(Expected.WORD)
        words.take()


class _One(NamedTuple):
    """A field of one word."""

    name: str
    kind: Kind

    def write(self, fields: Fields) -> Iterator[str]:
        yield self.kind.write(fields[self.name])

    def read(self, words: Words, fields: Fields) -> None:
        fields[self.name] = _value(words, self.kind)


class _Many(NamedTuple):
    """A tuple that goes on to the pattern's next word."""

    name: str
    kind: Kind
    stop: str | None
    length: int | None

    def write(self, fields: Fields) -> Iterator[str]:
        return map(self.kind.write, fields[self.name])

    def read(self, words: Words, fields: Fields) -> None:
        fields[self.name] = tuple(_values(words, self.kind, {self.stop, None}))
        if self.length not in {None, len(fields[self.name])}:
            raise words.wrong(Expected.COUNT)


class _Lists(NamedTuple):
    """A tuple of tuples, with slashes between them."""

    name: str
    kind: Kind
    stop: str | None

    def write(self, fields: Fields) -> Iterator[str]:
        for number, values in enumerate(fields[self.name]):
            if number:
                yield "/"
            yield from map(self.kind.write, values)

    def read(self, words: Words, fields: Fields) -> None:
        lists = [self._list(words)]
        while words.peek() == "/":
            words.take()
            lists.append(self._list(words))
        fields[self.name] = tuple(lists)

    def _list(self, words: Words) -> tuple[Any, ...]:
        return tuple(_values(words, self.kind, {self.stop, "/", None}))


class _Flag(NamedTuple):
    """A word that is there when the field is true."""

    word: str

    def write(self, fields: Fields) -> Iterator[str]:
        if fields[_field(self.word)]:
            yield self.word

    def read(self, words: Words, fields: Fields) -> None:
        there = words.peek() == self.word
        if there:
            words.take()
        fields[_field(self.word)] = there


class _Group(NamedTuple):
    """A word and a field that are left out when the field has its default."""

    word: str
    blank: "_One | _Many"
    default: Default

    def write(self, fields: Fields) -> Iterator[str]:
        if fields[self.blank.name] != self.default(fields):
            yield self.word
            yield from self.blank.write(fields)

    def read(self, words: Words, fields: Fields) -> None:
        if words.peek() != self.word:
            fields[self.blank.name] = self.default(fields)
            return
        words.take()
        self.blank.read(words, fields)


_Part = _Word | _One | _Many | _Lists | _Flag | _Group
_TOKEN: Final = re.compile(r"\[[^]]*\]|\S+")
_BLANK: Final = re.compile(r"\{(\w+)(?::(\w+))?(\*|/)?(\d+)?\}")


def _named(kinds: Mapping[str, Kind], found: re.Match[str]) -> str:
    """A blank as people read it: ``CELL``, ``GOLD...``."""
    name, kind, many, _ = found.groups()
    return kinds[kind or name].wanted.upper() + ("..." if many else "")


def _parts(
    text: str, kinds: Mapping[str, Kind], defaults: Mapping[str, Default]
) -> Iterator[_Part]:
    tokens = _TOKEN.findall(text)
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        stop = following.strip("[]").split(" ")[0] if following else None
        word, _, blank = token.strip("[]").partition(" ")
        if token[0] == "{":
            yield _blank(token, kinds, stop)
        elif token[0] != "[":
            yield _Word(token)
        elif not blank:
            yield _Flag(word)
        else:
            within = _blank(blank, kinds, stop)
            assert not isinstance(within, _Lists), "no pattern needs lists in brackets"
            yield _Group(word, within, defaults[within.name])


def _blank(token: str, kinds: Mapping[str, Kind], stop: str | None) -> _One | _Many | _Lists:
    found = _BLANK.fullmatch(token)
    assert found is not None, token
    name, kind, many, length = found.groups()
    match many:
        case "*":
            return _Many(name, kinds[kind], stop, int(length) if length else None)
        case "/":
            return _Lists(name, kinds[kind], stop)
    return _One(name, kinds[kind or name])


def _values(words: Words, kind: Kind, stops: set[str | None]) -> Iterator[Any]:
    while words.peek() not in stops:
        yield _value(words, kind)


def _value(words: Words, kind: Kind) -> Any:  # noqa: ANN401 - whatever the kind reads
    try:
        value = kind.read(words.peek() or "")
    except ValueError:
        raise words.wrong(kind.wanted) from None
    words.take()
    return value


def _field(word: str) -> str:
    return word.replace("-", "_")
