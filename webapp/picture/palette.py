"""The colours of the pictures, defined once: pages get them as custom properties from ``webapp.web.style_sheet``.

A palette is an argument, because programs that turn a picture into a PNG do not know CSS variables and paint them black.
"""

from dataclasses import dataclass, fields, replace
from typing import Final


# Compared by identity: there are four, and the cache of drawings hashes one on every call.
@dataclass(frozen=True, kw_only=True, eq=False)
class Palette:
    """A colour for every part of a picture, written as SVG has it, and the font of its labels."""

    earth: str
    """The background on which the cards lie."""
    grid: str
    label: str
    """Column and row labels on the earth."""
    rock: str
    rock_edge: str
    rock_mark: str
    tunnel_edge: str
    lit_floor: str
    """The floor of a tunnel that is connected to the start."""
    unlit_floor: str
    """The floor of a tunnel that is not connected, and of every dead end."""
    rail: str
    rubble: str
    rubble_edge: str
    wood: str
    wood_edge: str
    iron: str
    goal_card_back: str
    """The back of a goal that lies face down."""
    goal_card_back_mark: str
    paper: str
    """The background of action cards."""
    ink: str
    gold: str
    gold_edge: str
    gold_glint: str
    stone: str
    stone_edge: str
    signal_red: str
    signal_green: str
    badge_symbol: str
    """The symbol in a badge that is bad or good."""
    last_card_frame: str
    """The brackets around the card laid last."""
    place: str
    """A cell where the viewer can act, and the background of its label."""
    place_label: str
    font: str = "system-ui, sans-serif"


LIGHT_PALETTE: Final = Palette(
    earth="#efe6d6",
    grid="#dccfb8",
    label="#6d5d49",
    rock="#b9a488",
    rock_edge="#8c775c",
    rock_mark="#9d876a",
    tunnel_edge="#5f4a33",
    lit_floor="#fff3d6",
    unlit_floor="#cdbda2",
    rail="#c3a679",
    rubble="#7b6c5c",
    rubble_edge="#43382c",
    wood="#a8703a",
    wood_edge="#5c3a18",
    iron="#5c6670",
    goal_card_back="#54473a",
    goal_card_back_mark="#8b7862",
    paper="#fbf6ea",
    ink="#33291e",
    gold="#f0b81c",
    gold_edge="#7d5300",
    gold_glint="#fff6c9",
    stone="#9a9c9e",
    stone_edge="#474b50",
    signal_red="#b3261e",
    signal_green="#1d6b3f",
    badge_symbol="#ffffff",
    last_card_frame="#1c5aa8",
    place="#0e6655",
    place_label="#ffffff",
)

DARK_PALETTE: Final = Palette(
    earth="#1b1713",
    grid="#2f2821",
    label="#b3a28a",
    rock="#4a3f34",
    rock_edge="#6b5b49",
    rock_mark="#5c4f41",
    tunnel_edge="#16110d",
    lit_floor="#e3b768",
    unlit_floor="#7c6b55",
    rail="#b98f47",
    rubble="#96866f",
    rubble_edge="#1d1712",
    wood="#b47a41",
    wood_edge="#3a230d",
    iron="#b4bec8",
    goal_card_back="#2c251f",
    goal_card_back_mark="#7a6750",
    paper="#332b23",
    ink="#f0e4d0",
    gold="#f5c542",
    gold_edge="#5a3b00",
    gold_glint="#fff9d8",
    stone="#9a9da1",
    stone_edge="#202326",
    signal_red="#d9483d",
    signal_green="#3f9d68",
    badge_symbol="#ffffff",
    last_card_frame="#7db4ff",
    place="#58c9b0",
    place_label="#10201c",
)

PRINT_PALETTE: Final = replace(
    LIGHT_PALETTE,
    earth="#ffffff",
    grid="#dddddd",
    label="#333333",
    rock="#d8d8d8",
    rock_edge="#777777",
    rock_mark="#b5b5b5",
    tunnel_edge="#222222",
    lit_floor="#ffffff",
    unlit_floor="#e9e9e9",
    rail="#aaaaaa",
    rubble="#666666",
    rubble_edge="#000000",
    wood="#999999",
    wood_edge="#222222",
    goal_card_back="#555555",
    goal_card_back_mark="#999999",
    paper="#ffffff",
    ink="#000000",
)

COLOUR_NAMES: Final = tuple(field.name for field in fields(Palette) if field.name != "font")


def property_name(colour: str) -> str:
    """Return the CSS custom property, without its two hyphens, that has the value of a colour on pages."""
    return f"mine-{colour.replace('_', '-')}"


PAGE_PALETTE: Final = Palette(**{name: f"var(--{property_name(name)})" for name in COLOUR_NAMES})
"""For pages only: the style sheet has the values, so that a picture follows the viewer's colour scheme and the printer."""
