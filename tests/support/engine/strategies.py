"""Hypothesis strategies for every action and every event that the notation can write."""

from typing import Any, Final, get_args

import msgspec
from hypothesis import strategies as st

from engine import actions, events
from engine.actions import Action
from engine.cards import BREAKS, DECK, GOALS, PATH_CARDS, REPAIRS, TOOLS, Role
from engine.cells import label
from engine.events import Ending, Event, Side

ACTION_TYPES: Final[tuple[type[Action], ...]] = get_args(Action)
EVENT_TYPES: Final[tuple[type[Event], ...]] = get_args(Event)

seats = st.integers(0, 9)
cells = st.builds(label, st.integers(-60, 60), st.integers(-60, 60))
nuggets = st.integers(1, 3)
gold_cards = st.lists(nuggets, max_size=28).map(tuple)
cards = st.sampled_from(sorted(set(DECK)))
roles = st.sampled_from(get_args(Role))
goals = st.sampled_from(GOALS)


def tuples(items: st.SearchStrategy[Any], *, min_size: int = 0) -> st.SearchStrategy[Any]:
    return st.lists(items, min_size=min_size, max_size=10).map(tuple)


_FIELDS: Final[dict[str, st.SearchStrategy[Any]]] = {
    "seat": seats,
    "target": seats,
    "starter": seats,
    "ended_by": seats,
    "passed_to": st.none() | seats,
    "cell": cells,
    "cells": tuples(cells),
    "turned": st.booleans(),
    "toward_circle": st.booleans(),
    "tool": st.sampled_from(TOOLS),
    "goal": goals,
    "nuggets": nuggets,
    "round": st.integers(1, 3),
    "rounds": st.integers(1, 3),
    "roles": tuples(roles),
    "aside": roles,
    "goals": st.tuples(goals, goals, goals),
    "hands": tuples(tuples(cards), min_size=1),
    "deck": tuples(cards),
    "pile": gold_cards,
    "overshot": gold_cards,
    "restored": st.booleans(),
    "ending": st.sampled_from(get_args(Ending)),
    "winners": st.sampled_from(get_args(Side)),
    "to_seq": st.integers(0, 999_999_999),
}
_FIELDS_OF_KIND: Final[dict[tuple[type, str], st.SearchStrategy[Any]]] = {
    **{
        (kind, "card"): st.sampled_from(sorted(names))
        for names, kinds in (
            (PATH_CARDS, (actions.Lay, events.CardLaid, events.RockFell)),
            (BREAKS, (actions.Break, events.ToolBroken)),
            (REPAIRS, (actions.Repair, events.ToolRepaired)),
            (set(DECK), (actions.Discard, events.Discarded, events.Drawn)),
        )
        for kind in kinds
    },
    (events.Dealt, "pile"): st.none() | gold_cards,
    (events.GoldDrawn, "cards"): gold_cards,
    (events.GoldPaid, "cards"): gold_cards,
    (events.GameEnded, "nuggets"): tuples(st.integers(0, 132)),
    (events.GameEnded, "winners"): tuples(seats),
}


def instances_of(kind: type[msgspec.Struct]) -> st.SearchStrategy[Any]:
    """Return a strategy for one struct, with values that fit each of its fields."""
    fields = {
        name: _FIELDS_OF_KIND[kind, name] if (kind, name) in _FIELDS_OF_KIND else _FIELDS[name]
        for name in kind.__struct_fields__
    }
    return st.builds(kind, **fields)


any_action: st.SearchStrategy[Action] = st.one_of(*map(instances_of, ACTION_TYPES))
any_event: st.SearchStrategy[Event] = st.one_of(*map(instances_of, EVENT_TYPES))
