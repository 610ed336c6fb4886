"""Views and mines in the middle of a game, built directly, for tests of pictures, drawings and sentences."""

from typing import Any

from engine.mine import Mine
from engine.rulebook import HouseRules
from engine.view import Awaiting, View

WINDING_TUNNEL = {
    "B5": "path-rbl",
    "C5": "path-rl",
    "D5": "path-trbl",
    "D4": "path-tb",
    "D3": "path-rb",
    "E3": "path-rl",
    "F3": "path-rbl",
    "G3": "path-trl",
    "G2": "dead-rb",
    "B6": "path-tr",
    "C6": "dead-l",
    "D6": "path-tbl",
    "D7": "dead-trb",
    "F4": "path-tbl",
    "E4": "dead-rbl",
    "H3": "path-rl",
    "F5": "path-tr",
    "G5": "path-trbl",
    "G6": "path-tb",
    "G7": "path-tr",
    "H7": "dead-rl",
}


def mine_of(laid: dict[str, str] | None = None, *, continue_path: bool = False) -> Mine:
    """Return a mine with the start and these cards, laid in this order."""
    cells = {"A5": "start"} | (WINDING_TUNNEL if laid is None else laid)
    return Mine(continue_path=continue_path, build_from_goal_alone=True, laid=cells)


def view_of(laid: dict[str, str] | None = None, **changed_fields: Any) -> View:
    """Return the view of seat 0 of four in the middle of round one, with these fields changed."""
    fields: dict[str, Any] = {
        "rulebook": "en-2004",
        "house": HouseRules(),
        "seq": 17,
        "round": 1,
        "seats": 4,
        "seat": 0,
        "awaiting": Awaiting(0, "turn"),
        "role": "digger",
        "hand": ("path-trb", "path-rl", "dead-tr", "break-lantern", "map", "repair-pickaxe-cart"),
        "mine": mine_of(laid),
        "last_laid": None if laid is not None else "G7",
        "goals": (None, None, None),
        "turned": (False, False, False),
        "deck_size": 26,
        "discard_count": 9,
        "hand_sizes": (6, 6, 6, 6),
        "broken": ((), ("lantern",), (), ("pickaxe", "cart")),
        "gone": (),
        "roles": ("digger", None, None, None),
        "gold_held": (),
        "gold": ((), None, None, None),
        "results": (),
        "winners": (),
    }
    return View(**(fields | changed_fields))
