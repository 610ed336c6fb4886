"""The parts of a rules page: chapters, rules and small tables of numbers."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from engine.cards import Card

Translate: TypeAlias = Callable[[str], str]
"""``Language.gettext``: translates a whole English sentence."""


class Grid(NamedTuple):
    """A small table of numbers; the first cell of every row, and of the head, is its name."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Rule(NamedTuple):
    """One rule in our own words. Its numbers are the anchors that refusals link to."""

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
    """Return a rule from its numbers, separated by spaces, and its paragraphs."""
    return Rule(tuple(ids.split()), text, cards, grid)
