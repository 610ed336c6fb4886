"""Turn a picture into a PNG, for programs that do not read SVG.

Each process draws one at a time and keeps the latest, so that many requests for a picture cost little more than one.
"""

from functools import lru_cache
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import Final

_FONT: Final = Path(__file__).parent / "fonts" / "Vollkorn-Bold.ttf"
"""The only font: so pictures look the same on every server."""
_FONT_FAMILY: Final = "Vollkorn"
_KEPT_PICTURES: Final = 32
_COLOUR_COUNT: Final = 128
"""Colours of a small picture: a third of its bytes, and no eye finds the difference."""
_drawing: Final = Lock()


@lru_cache(maxsize=_KEPT_PICTURES)
def png_of(svg: str) -> bytes:
    """Return the PNG of a picture drawn by this package, as large as the picture says."""
    # Loaded with the first picture: most processes never draw one.
    import resvg_py

    with _drawing:
        return bytes(
            resvg_py.svg_to_bytes(
                svg_string=svg, skip_system_fonts=True, font_files=[str(_FONT)], languages=[]
            )
        )


@lru_cache(maxsize=8 * _KEPT_PICTURES)
def small_png_of(svg: str, width: int) -> bytes:
    """Return the PNG of a picture in so many pixels and few colours, for emails, which must be small."""
    import resvg_py
    from PIL import Image

    with _drawing:
        drawn = resvg_py.svg_to_bytes(
            svg_string=svg,
            width=width,
            skip_system_fonts=True,
            font_files=[str(_FONT)],
            font_family=_FONT_FAMILY,
            sans_serif_family=_FONT_FAMILY,
            languages=[],
        )
    with Image.open(BytesIO(bytes(drawn))) as picture:
        # Keeps the few pixels of a bright colour, which mark the last card and the gold.
        reduced = picture.convert("RGB").quantize(_COLOUR_COUNT, Image.Quantize.FASTOCTREE)
    output = BytesIO()
    reduced.save(output, "PNG")
    return output.getvalue()
