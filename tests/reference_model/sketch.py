"""Mines sketched as text: one character per card, so that a reader can check the tests by eye.

``S`` the start; light lines are path cards, heavy ones dead ends (``╸╹╺╻`` the stubs), double ones
stones lying face up, ``╬`` the treasure face up; ``$`` the treasure, ``a`` stone A (T L / R B) and
``b`` stone B (T R / B L) face down; ``.`` and blanks are empty; ``*`` marks a cell for the test.
"""

from typing import NamedTuple

from tests.reference_model.cards import Cell, LaidCard

_CHARACTERS_BY_EDGES = {
    "RL": "─━═",
    "TB": "│┃║",
    "RB": "┌┏╔",
    "BL": "┐┓╗",
    "TR": "└┗╚",
    "TL": "┘┛╝",
    "TRB": "├┣╠",
    "TBL": "┤┫╣",
    "RBL": "┬┳╦",
    "TRL": "┴┻╩",
    "TRBL": "┼╋╬",
    "T": " ╹ ",
    "R": " ╺ ",
    "B": " ╻ ",
    "L": " ╸ ",
}
_IS_JOINED_AND_KIND_OF_CHARACTER_COLUMNS = ((True, "path"), (False, "path"), (True, "goal"))
_FACE_UP_CARDS_BY_CHARACTER = {
    line: (frozenset(edges), is_joined, kind)
    for edges, lines in _CHARACTERS_BY_EDGES.items()
    for line, (is_joined, kind) in zip(lines, _IS_JOINED_AND_KIND_OF_CHARACTER_COLUMNS, strict=True)
    if line != " "
} | {"S": (frozenset("TRBL"), True, "start")}
_FACE_DOWN_GOALS_BY_CHARACTER = {"$": "treasure", "a": "stone-tl", "b": "stone-tr"}


class Sketch(NamedTuple):
    """What a drawing shows."""

    laid: list[LaidCard]
    face_down: dict[Cell, str]
    cells_marked: set[Cell]


def read_sketch(drawing: str) -> Sketch:
    """Read a drawing; the start is (0, 0). Raises ValueError for a character without a meaning."""
    rows = drawing.strip("\n").splitlines()
    (start_position,) = ((row.index("S"), y) for y, row in enumerate(rows) if "S" in row)
    sketch = Sketch([], {}, set())
    for row_number, row in enumerate(rows):
        for column, character in enumerate(row):
            _add_card(
                sketch, character, (column - start_position[0], row_number - start_position[1])
            )
    return sketch


def _add_card(sketch: Sketch, character: str, cell: Cell) -> None:
    if character in _FACE_UP_CARDS_BY_CHARACTER:
        sketch.laid.append((*cell, *_FACE_UP_CARDS_BY_CHARACTER[character]))
    elif character in _FACE_DOWN_GOALS_BY_CHARACTER:
        sketch.face_down[cell] = _FACE_DOWN_GOALS_BY_CHARACTER[character]
    elif character == "*":
        sketch.cells_marked.add(cell)
    elif character not in " .":
        message = f"{character!r} means nothing in a drawing"
        raise ValueError(message)
