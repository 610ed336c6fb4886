"""Drawings that a page defines once and uses often: a reference on pages, the drawing itself everywhere else."""

from collections.abc import Callable
from functools import cache
from typing import Final

from webapp.picture.palette import PAGE_PALETTE, Palette

SYMBOL_ID_PREFIX: Final = "art-"


def shared(name: str, draw: Callable[[Palette], str], palette: Palette) -> str:
    """Return a drawing; on pages a reference to it, which ``webapp.picture.symbol_sheet`` defines once for each page.

    Programs that turn a picture into a PNG, and files that are kept, get pictures that are complete in themselves.
    """
    return reference(name) if palette is PAGE_PALETTE else draw(palette)


@cache
def shared_at(
    corner: tuple[int, int], name: str, draw: Callable[[Palette], str], palette: Palette
) -> str:
    """Return a drawing moved to a point; on pages a reference."""
    x, y = corner
    if palette is PAGE_PALETTE:
        return reference(name, f' x="{x}" y="{y}"')
    return f'<g transform="translate({x} {y})">{draw(palette)}</g>'


def reference(name: str, attributes: str = "") -> str:
    """Return a reference to a drawing of this name."""
    return f'<use href="#{SYMBOL_ID_PREFIX}{name}"{attributes}/>'
