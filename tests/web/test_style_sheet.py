"""The style sheet: contrast, colours of the mine, nothing loaded, no unwanted motion."""

import re
from dataclasses import asdict
from hashlib import sha256
from itertools import product
from pathlib import Path

import pytest

from tests.support.visitors import Site
from webapp.kernel import colours
from webapp.picture.palette import DARK_PALETTE, LIGHT_PALETTE, PRINT_PALETTE
from webapp.web.style_sheet import STYLE_SHEET, style_sheet

STYLE_SHEET_TEXT = style_sheet().decode()
RULES = Path(__file__).resolve().parents[2] / "webapp" / "static" / STYLE_SHEET

MOST_FONT_BYTES = 40_000
TEXT_COLOURS = ("text", "muted", "accent", "good", "warn", "bad", "info")
BACKGROUNDS = ("background", "surface", "sunken")
COLOUR_PAIRS = [
    *product(TEXT_COLOURS, BACKGROUNDS),
    *((kind, f"{kind}-background") for kind in ("good", "warn", "bad", "info")),
    *(("text", f"{kind}-background") for kind in ("good", "warn", "bad", "info")),
    ("on-accent", "accent"),
    ("on-danger", "danger"),
    ("mine-label", "mine-earth"),
    ("mine-place-label", "mine-place"),
]
SHAPES = [
    ("focus", "background"),
    ("focus", "surface"),
    ("mine-place", "mine-earth"),
    ("mine-last-card-frame", "mine-earth"),
    ("mine-lit-floor", "mine-tunnel-edge"),
    ("mine-tunnel-edge", "mine-unlit-floor"),
    ("mine-ink", "mine-paper"),
    ("mine-gold", "mine-gold-edge"),
]


def variables_of(block: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{6});", block))


def colour_schemes() -> dict[str, dict[str, str]]:
    light_block, dark_block, print_block = re.findall(
        r":root \{(.+?)\n\s*\}", STYLE_SHEET_TEXT, re.DOTALL
    )[:3]
    return {
        "light": variables_of(light_block),
        "dark": variables_of(light_block) | variables_of(dark_block),
        "print": variables_of(light_block) | variables_of(print_block),
    }


def luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear_channels = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in channels
    ]
    return 0.2126 * linear_channels[0] + 0.7152 * linear_channels[1] + 0.0722 * linear_channels[2]


def contrast(colour: str, other_colour: str) -> float:
    """The ratio of WCAG 2.2, from 1 to 21."""
    lighter_luminance, darker_luminance = sorted(
        (luminance(colour), luminance(other_colour)), reverse=True
    )
    return (lighter_luminance + 0.05) / (darker_luminance + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
@pytest.mark.parametrize("pair", COLOUR_PAIRS, ids="/".join)
def test_text_has_the_contrast_of_wcag_level_aa(scheme: str, pair: tuple[str, str]) -> None:
    colours = colour_schemes()[scheme]
    assert contrast(colours[pair[0]], colours[pair[1]]) >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
@pytest.mark.parametrize("pair", SHAPES, ids="/".join)
def test_shapes_contrast_with_their_background(scheme: str, pair: tuple[str, str]) -> None:
    colours = colour_schemes()[scheme]
    assert contrast(colours[pair[0]], colours[pair[1]]) >= 3


def test_contrast_follows_the_formula_of_wcag() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_style_sheet_is_served_with_the_colours_before_the_rules(site: Site) -> None:
    answer = site.signed_out().get(f"/static/{STYLE_SHEET}")
    assert (answer.status_code, answer.mimetype) == (200, "text/css")
    assert answer.text == STYLE_SHEET_TEXT
    assert STYLE_SHEET_TEXT.endswith(RULES.read_text("utf-8"))


def test_browser_with_the_current_style_sheet_gets_304(site: Site) -> None:
    visitor = site.signed_out()
    etag = visitor.get(f"/static/{STYLE_SHEET}").headers["ETag"]
    answer = visitor.get(f"/static/{STYLE_SHEET}", headers={"If-None-Match": etag})
    assert answer.status_code == 304


def test_css_rules_file_defines_no_colour() -> None:
    assert not re.search(
        r"#[0-9a-f]{3,8}\b|rgba?\(|hsla?\(|--mine-[\w-]+:", RULES.read_text("utf-8")
    )


def test_style_sheet_has_the_colours_of_the_site() -> None:
    palettes = (colours.LIGHT_COLOURS, colours.DARK_COLOURS, colours.PRINT_COLOURS)
    for scheme, palette in zip(colour_schemes().values(), palettes, strict=True):
        properties = {key.replace("_", "-"): value for key, value in palette.items()}
        assert set(palette) == set(colours.LIGHT_COLOURS)
        assert properties.items() <= scheme.items()


def test_style_sheet_has_the_colours_of_the_mine_palettes() -> None:
    for scheme, palette in zip(
        colour_schemes().values(), (LIGHT_PALETTE, DARK_PALETTE, PRINT_PALETTE), strict=True
    ):
        colours = {f"mine-{key.replace('_', '-')}": value for key, value in asdict(palette).items()}
        del colours["mine-font"]
        assert colours.items() <= scheme.items()


def test_style_sheet_loads_nothing_but_a_small_font_that_browsers_keep(site: Site) -> None:
    assert "@import" not in STYLE_SHEET_TEXT
    [path] = re.findall(r'url\("([^"]+)"\)', STYLE_SHEET_TEXT)
    answer = site.signed_out().get(f"/static/{path}")
    assert (answer.status_code, answer.mimetype) == (200, "font/woff2")
    assert len(answer.data) <= MOST_FONT_BYTES
    assert path.endswith(f"?v={sha256(answer.data).hexdigest()[:12]}")
    assert "max-age=31536000" in answer.headers["Cache-Control"]
    answer.close()


def test_style_sheet_defines_every_variable_it_uses() -> None:
    used_variables = set(re.findall(r"var\(--([\w-]+)\)", STYLE_SHEET_TEXT))
    defined_variables = set(re.findall(r"--([\w-]+):", STYLE_SHEET_TEXT))
    assert used_variables <= defined_variables


def test_style_sheet_has_no_motion_for_viewers_who_prefer_less() -> None:
    motion_rules = STYLE_SHEET_TEXT[
        STYLE_SHEET_TEXT.index("prefers-reduced-motion: no-preference") :
    ]
    unconditional_css = STYLE_SHEET_TEXT[
        : STYLE_SHEET_TEXT.index("prefers-reduced-motion: no-preference")
    ]
    assert "transition" in motion_rules
    assert "transition" not in unconditional_css
    assert "animation" not in unconditional_css


def test_text_has_the_sizes_of_the_type_scale_only() -> None:
    sizes = set(re.findall(r"font-size: ([^;]+);", RULES.read_text()))
    tokens = {f"var(--{name})" for name in ("tiny", "small", "normal", "large", "huge")}
    # Texts in pictures have the units of the picture, code follows the text around it, paper has points.
    assert {size for size in sizes - tokens if not size.endswith(("px", "px)"))} == {
        "0.875em",
        "10.5pt",
    }


def test_every_block_of_the_style_sheet_is_closed() -> None:
    depth = 0
    for mark in re.findall(r"[{}]", re.sub(r"/\*.*?\*/", "", RULES.read_text(), flags=re.DOTALL)):
        depth += 1 if mark == "{" else -1
        assert depth >= 0
    assert depth == 0


def test_blocks_that_begin_a_line_are_inside_no_other() -> None:
    text = re.sub(r"/\*.*?\*/", "", RULES.read_text(), flags=re.DOTALL)
    open_blocks = 0
    for line in text.splitlines():
        if "{" in line and not line.startswith((" ", "}")):
            assert open_blocks == 0, line
        open_blocks += line.count("{") - line.count("}")
