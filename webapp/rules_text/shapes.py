"""What a page of rules is made of."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from engine.cards import Card

Say: TypeAlias = Callable[[str], str]
"""Language.gettext: takes a whole English sentence."""


class Grid(NamedTuple):
    """A small table of numbers: the first cell of every row, and of the head, names it."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Rule(NamedTuple):
    """One rule in our own words. Its numbers are the anchors to which refusals lead."""

    ids: tuple[str, ...]
    text: tuple[str, ...]
    """Paragraphs."""
    cards: tuple[Card, ...] = ()
    """Cards whose pictures stand beside it."""
    grid: Grid | None = None


class Chapter(NamedTuple):
    key: str
    title: str
    rules: tuple[Rule, ...]


def rule(ids: str, *text: str, cards: tuple[Card, ...] = (), grid: Grid | None = None) -> Rule:
    """A rule from its numbers, written with spaces between them, and its paragraphs."""
    return Rule(tuple(ids.split()), text, cards, grid)
