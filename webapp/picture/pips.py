"""What happened on the mine since the viewer's last turn: numbered pips in the colours of players, as a layer over its picture.

A layer of its own, so that the picture of the mine stays the same for everyone, and on pages only, because it uses their style sheet.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from markupsafe import Markup, escape

from engine.cells import Cell, position
from engine.narration import Line, LineKey
from engine.view import View
from webapp.picture.places import LEAST_SCALE, Place, Preview, visible_box
from webapp.wording.digest import NumberedTurn, without_undone_turns
from webapp.wording.history import short_sentence
from webapp.wording.perspective import Perspective

_SHORT_LENGTH: Final = 2
"""The number of characters that fit into one line of a pip."""
_LINE_HEIGHT: Final = 24


class Pip(NamedTuple):
    """Who changed a cell, and in which turn: its number, or 0 if turns are not numbered."""

    cell: Cell
    seat: int
    number: int
    initials: str
    sentence: str
    """What happened there, for screen readers."""


def pips_of(
    turns: Sequence[NumberedTurn], numbers: Mapping[int, int], perspective: Perspective
) -> tuple[Pip, ...]:
    """Return a pip for every cell whose last change was in one of these turns (oldest first) and in the present round."""
    pips: dict[Cell, Pip] = {}
    for turn in without_undone_turns(turns):
        for line in turn.lines:
            if line.key is LineKey.ROUND_DEALT:
                pips.clear()
            elif line.key in {LineKey.CARD_LAID, LineKey.ROCK_FELL}:
                assert line.cell is not None
                pips[line.cell] = _pip_of(line, numbers.get(turn.seq, 0), perspective)
    return tuple(sorted(pips.values(), key=lambda pip: pip.number))


def _pip_of(line: Line, number: int, perspective: Perspective) -> Pip:
    assert line.cell is not None
    assert line.seat is not None
    initials, sentence = perspective.initials(line.seat), short_sentence(line, perspective)
    return Pip(line.cell, line.seat, number, initials, sentence)


def draw_pips(
    pips: Sequence[Pip],
    view: View,
    *,
    places: Sequence[Place] = (),
    preview: Preview | None = None,
) -> Markup:
    """Draw the pips on a transparent sheet as large as the picture of the mine; none on a cell that can be chosen now."""
    chosen_cells = {place.cell for place in places} | ({preview.cell} if preview else set())
    shown_pips = [pip for pip in pips if pip.cell not in chosen_cells]
    if not shown_pips:
        return Markup()
    box = visible_box(view, places, preview)
    width, height = box.size
    drawings = "".join(
        _pip_picture(pip, *box.corner(pip.cell))
        for pip in shown_pips
        if box.contains(*position(pip.cell))
    )
    label = " ".join(
        f"{pip.number}: {pip.sentence}" if pip.number else pip.sentence for pip in pips
    )
    return Markup(  # noqa: S704 - drawn here; every foreign text in it is escaped
        f'<svg class="mine mine-pips{" mine--wide" if box.is_wide else ""}" viewBox="0 0 {width} {height}"'
        f' width="{round(width * LEAST_SCALE) if box.is_wide else width}" role="img" aria-label="{escape(label)}">{drawings}</svg>'
    )


def _pip_picture(pip: Pip, x: int, y: int) -> str:
    """Draw a pip in the upper left corner of a card, which has no tunnel; the style sheet scales it with the screen."""
    number = str(pip.number or "")
    is_tall = len(number + pip.initials) > _SHORT_LENGTH and bool(number)
    lines = (number, pip.initials) if is_tall else (number + pip.initials,)
    texts = "".join(
        f'<text x="12" y="{_LINE_HEIGHT * row + 8}">{escape(text)}</text>'
        for row, text in enumerate(lines)
    )
    height = _LINE_HEIGHT * len(lines) + 4
    return (
        f'<g transform="translate({x} {y})"><g class="pip player-mark--{pip.seat + 1}">'
        f'<rect x="-6" y="-6" width="36" height="{height}" rx="7"/>{texts}</g></g>'
    )
