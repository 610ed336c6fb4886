"""The style sheet as browsers receive it: the palettes as custom properties, then the rules in ``webapp/static/lodepost.css``.

Joined here, and not by a build step, so that every colour is defined once, in Python, for pages, pictures and emails.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Final

from flask import Flask, Response, request, send_file

from webapp.kernel import colours
from webapp.kernel.colours import accent_from
from webapp.picture import palette

STYLE_SHEET: Final = "lodepost.css"
"""The name of the file with the rules, and of the sheet under ``/static``."""
_STYLE_RULES_FILE: Final = Path(__file__).resolve().parents[1] / "static" / STYLE_SHEET


class StyledFlask(Flask):
    """A Flask application whose ``/static/lodepost.css`` begins with the palettes."""

    def send_static_file(self, filename: str) -> Response:
        """Return a static file; the style sheet as ``style_sheet`` gives it for the accent in the address.

        The accent is part of the address, so that a browser which keeps the sheet for a year keeps the right one, even
        if another process answered with the page that links to it.
        """
        if filename != STYLE_SHEET:
            return super().send_static_file(filename)
        style_sheet_bytes = style_sheet(request.args.get("accent", ""))
        return send_file(
            BytesIO(style_sheet_bytes),
            mimetype="text/css",
            etag=sha256(style_sheet_bytes).hexdigest(),
            max_age=self.get_send_file_max_age(filename),
        )


@lru_cache(maxsize=16)
def style_sheet_address(accent_colour: str) -> str:
    """Return the URL of the style sheet with this accent; it has a digest of the content, so it can be kept."""
    digest = sha256(style_sheet(accent_colour)).hexdigest()[:12]
    accent = f"&accent={accent_colour.removeprefix('#')}" if accent_colour else ""
    return f"/static/{STYLE_SHEET}?v={digest}{accent}"


def style_sheet(accent_colour: str = "") -> bytes:
    """Return the whole style sheet, with the colours for light and dark screens and for paper.

    The accent is a colour with or without ``#``; one that is unreadable or no colour at all is ignored.
    """
    accent = accent_from(f"#{accent_colour.removeprefix('#')}")
    return _style_sheet(*(("", "") if accent is None else accent))


@lru_cache(maxsize=16)
def _style_sheet(light_accent: str, dark_accent: str) -> bytes:
    light_colours = colours.LIGHT_COLOURS | colours.LIGHT_PLAYER_PROPERTIES
    dark_colours = colours.DARK_COLOURS | colours.DARK_PLAYER_PROPERTIES
    print_colours = colours.PRINT_COLOURS | colours.LIGHT_PLAYER_PROPERTIES
    light = _root_rule(_with_accent(light_colours, light_accent), palette.LIGHT_PALETTE)
    dark = _root_rule(_with_accent(dark_colours, dark_accent), palette.DARK_PALETTE)
    printed = _root_rule(print_colours, palette.PRINT_PALETTE)
    moment = _rule(".moment", (colours.MOMENT_COLOURS | colours.DARK_PLAYER_PROPERTIES).items())
    root_rules = (
        f"{light}\n"
        f"@media screen and (prefers-color-scheme: dark) {{\n{dark}}}\n\n"
        f"@media screen {{\n{moment}}}\n\n"
        f"@media print {{\n{printed}}}\n\n"
    )
    return root_rules.encode() + _STYLE_RULES_FILE.read_bytes()


def _with_accent(page_colours: Mapping[str, str], accent: str) -> Mapping[str, str]:
    return {**page_colours, "accent": accent} if accent else page_colours


def _root_rule(page_colours: Mapping[str, str], mine_palette: palette.Palette) -> str:
    return _rule(":root", _properties(page_colours, mine_palette))


def _rule(selector: str, properties: Iterable[tuple[str, str]]) -> str:
    """Return a rule that defines custom properties."""
    lines = "".join(f"  --{name.replace('_', '-')}: {colour};\n" for name, colour in properties)
    return f"{selector} {{\n{lines}}}\n"


def _properties(
    page_colours: Mapping[str, str], mine_palette: palette.Palette
) -> Iterator[tuple[str, str]]:
    """Yield the custom properties: those of the mine begin with ``mine-``, as ``palette.PAGE_PALETTE`` uses them."""
    for name, colour in page_colours.items():
        yield name, colour
    for name in palette.COLOUR_NAMES:
        yield palette.property_name(name), getattr(mine_palette, name)
