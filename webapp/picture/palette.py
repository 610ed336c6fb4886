"""The colours of the pictures, defined once: pages get them as custom properties from ``webapp.web.style_sheet``.

A palette is an argument, because programs that turn a picture into a PNG do not know CSS variables and paint them black.
"""

from dataclasses import dataclass, fields, replace
from typing import Final


# Compared by identity: there are few, and the cache of drawings hashes one on every call.
@dataclass(frozen=True, kw_only=True, eq=False)
class Palette:
    """A colour for every part of a picture, written as SVG has it, and the font of its labels."""

    earth: str
    """The background on which the cards lie."""
    stratum: str
    """The layers of rock in the background, over one another."""
    lamp: str
    """The light of the lamp at the ladder on the background."""
    shadow: str
    """The shadow of the cards on the background."""
    grid: str
    label: str
    """Column and row labels on the earth."""
    rock: str
    rock_edge: str
    rock_light: str
    """The upper edge of a card, which catches the light."""
    rock_mark: str
    tunnel_edge: str
    lamp_floor: str
    """The lit floor beside the ladder."""
    lit_floor: str
    """The floor of a tunnel that is connected to the start."""
    far_floor: str
    """The lit floor far from the ladder."""
    unlit_floor: str
    """The floor of a tunnel that is not connected, and of every dead end."""
    sleeper: str
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
    break_paper: str
    repair_paper: str
    ink: str
    gold: str
    gold_edge: str
    gold_glint: str
    stone: str
    stone_edge: str
    signal_red: str
    signal_green: str
    last_card_frame: str
    """The brackets around the card laid last."""
    place: str
    """A cell where the viewer can act, and the background of its label."""
    place_label: str
    portrait_ground: str
    """The rock behind a face."""
    portrait_line: str
    """The outlines and the deepest shadow of a face, the same on light and dark pages."""
    skin: str
    skin_shade: str
    beard: str
    dark_beard: str
    hood: str
    hood_shade: str
    font: str = "system-ui, sans-serif"


LIGHT_PALETTE: Final = Palette(
    earth="#57483a",
    grid="#7d6a55",
    label="#f0e4cf",
    rock="#b89f7e",
    rock_edge="#6d5a44",
    rock_mark="#9b8262",
    tunnel_edge="#46351f",
    lit_floor="#fde9b4",
    unlit_floor="#99876e",
    rail="#6b5a48",
    rubble="#7b6c5c",
    rubble_edge="#43382c",
    wood="#a8703a",
    wood_edge="#5c3a18",
    iron="#5c6670",
    goal_card_back="#3a2f27",
    goal_card_back_mark="#b08d4f",
    paper="#fbf6ea",
    ink="#33291e",
    gold="#f0b81c",
    gold_edge="#7d5300",
    gold_glint="#fff6c9",
    stone="#9a9c9e",
    stone_edge="#474b50",
    signal_red="#b3261e",
    signal_green="#1d6b3f",
    last_card_frame="#a8d0ff",
    place="#8cf0d4",
    place_label="#10201c",
    portrait_ground="#3a2f26",
    portrait_line="#1c140d",
    skin="#e9b98d",
    skin_shade="#c9835a",
    beard="#b5592a",
    dark_beard="#2f2b2e",
    hood="#5b2b2b",
    hood_shade="#7c3d38",
    stratum="#3d3128",
    lamp="#f4b860",
    shadow="#1a120a",
    rock_light="#d9c4a4",
    lamp_floor="#fff6d8",
    far_floor="#f3d089",
    sleeper="#a97b45",
    break_paper="#f6dcd6",
    repair_paper="#dcecdf",
)

DARK_PALETTE: Final = Palette(
    earth="#231d17",
    grid="#43382d",
    label="#c9b89e",
    rock="#4f4337",
    rock_edge="#2b231c",
    rock_mark="#3f352b",
    tunnel_edge="#15100b",
    lit_floor="#e3b768",
    unlit_floor="#75664f",
    rail="#4d3f31",
    rubble="#96866f",
    rubble_edge="#1d1712",
    wood="#b47a41",
    wood_edge="#3a230d",
    iron="#b4bec8",
    goal_card_back="#1a1511",
    goal_card_back_mark="#9c7c42",
    paper="#332b23",
    ink="#f0e4d0",
    gold="#f5c542",
    gold_edge="#5a3b00",
    gold_glint="#fff9d8",
    stone="#9a9da1",
    stone_edge="#202326",
    signal_red="#d9483d",
    signal_green="#3f9d68",
    last_card_frame="#7db4ff",
    place="#58c9b0",
    place_label="#10201c",
    portrait_ground="#3a2f26",
    portrait_line="#1c140d",
    skin="#e9b98d",
    skin_shade="#c9835a",
    beard="#b5592a",
    dark_beard="#2f2b2e",
    hood="#5b2b2b",
    hood_shade="#7c3d38",
    stratum="#120e0b",
    lamp="#d98f35",
    shadow="#000000",
    rock_light="#6d5d4c",
    lamp_floor="#f6d694",
    far_floor="#c99a4e",
    sleeper="#8a6330",
    break_paper="#4b2a20",
    repair_paper="#24392a",
)

PRINT_PALETTE: Final = replace(
    LIGHT_PALETTE,
    earth="#ffffff",
    grid="#bbbbbb",
    label="#333333",
    rock="#d8d8d8",
    rock_edge="#777777",
    rock_mark="#b5b5b5",
    tunnel_edge="#222222",
    lit_floor="#ffffff",
    unlit_floor="#e9e9e9",
    rail="#777777",
    rubble="#666666",
    rubble_edge="#000000",
    wood="#999999",
    wood_edge="#222222",
    goal_card_back="#555555",
    goal_card_back_mark="#cccccc",
    paper="#ffffff",
    ink="#000000",
    portrait_ground="#e4e4e4",
    skin="#f4f4f4",
    skin_shade="#cccccc",
    beard="#aaaaaa",
    hood="#bbbbbb",
    hood_shade="#dddddd",
    stratum="#ffffff",
    lamp="#ffffff",
    shadow="#ffffff",
    rock_light="#eeeeee",
    lamp_floor="#ffffff",
    far_floor="#ffffff",
    sleeper="#bbbbbb",
    break_paper="#ffffff",
    repair_paper="#ffffff",
    place="#0e6655",
    place_label="#ffffff",
    last_card_frame="#1c5aa8",
)

NO_LAMP: Final = "transparent"
"""The colour of a lamp that lights no ground."""
EMAIL_PALETTE: Final = replace(
    LIGHT_PALETTE,
    lamp=NO_LAMP,
    lamp_floor=LIGHT_PALETTE.lit_floor,
    far_floor=LIGHT_PALETTE.lit_floor,
)
"""The palette without light that fades: its hundreds of colours would make a picture too large for an email."""

COLOUR_NAMES: Final = tuple(field.name for field in fields(Palette) if field.name != "font")


def property_name(colour: str) -> str:
    """Return the CSS custom property, without its two hyphens, that has the value of a colour on pages."""
    return f"mine-{colour.replace('_', '-')}"


PAGE_PALETTE: Final = Palette(**{name: f"var(--{property_name(name)})" for name in COLOUR_NAMES})
"""The palette for pages only: the style sheet has values that follow the viewer's colour scheme and the printer."""
