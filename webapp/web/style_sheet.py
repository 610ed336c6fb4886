"""The style sheet as browsers receive it: the palettes as custom properties, then the rules in ``webapp/static/lodepost.css``.

Joined here, and not by a build step, so that every colour is defined once, in Python, for pages, pictures and emails.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Final

from flask import Flask, Response, send_file

from webapp import site_colours
from webapp.picture import palette

STYLE_SHEET: Final = "lodepost.css"
"""The name of the file with the rules, and of the sheet under ``/static``."""
_RULES_FILE: Final = Path(__file__).resolve().parents[1] / "static" / STYLE_SHEET


class StyledFlask(Flask):
    """A Flask application whose ``/static/lodepost.css`` begins with the palettes."""

    def send_static_file(self, filename: str) -> Response:
        """Return a static file; the style sheet as ``style_sheet`` gives it."""
        if filename != STYLE_SHEET:
            return super().send_static_file(filename)
        sheet = style_sheet()
        return send_file(
            BytesIO(sheet),
            mimetype="text/css",
            etag=sha256(sheet).hexdigest(),
            max_age=self.get_send_file_max_age(filename),
        )


@cache
def style_sheet() -> bytes:
    """Return the whole style sheet, with the colours for light and dark screens and for paper."""
    light = _root_rule(site_colours.LIGHT, palette.LIGHT)
    dark = _root_rule(site_colours.DARK, palette.DARK)
    printed = _root_rule(site_colours.PRINT, palette.PRINT)
    colours = (
        f"{light}\n"
        f"@media screen and (prefers-color-scheme: dark) {{\n{dark}}}\n\n"
        f"@media print {{\n{printed}}}\n\n"
    )
    return colours.encode() + _RULES_FILE.read_bytes()


def _root_rule(site: Mapping[str, str], mine: palette.Palette) -> str:
    lines = "".join(f"  --{name}: {colour};\n" for name, colour in _properties(site, mine))
    return f":root {{\n{lines}}}\n"


def _properties(site: Mapping[str, str], mine: palette.Palette) -> Iterator[tuple[str, str]]:
    """Yield the custom properties: those of the mine begin with ``mine-``, as ``palette.PAGE`` uses them."""
    for name, colour in site.items():
        yield name.replace("_", "-"), colour
    for name in palette.COLOUR_NAMES:
        yield palette.property_name(name), getattr(mine, name)
