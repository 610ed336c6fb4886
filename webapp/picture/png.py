"""Turn a picture into a PNG, for programs that do not read SVG.

Each process draws one at a time and keeps the latest, so that many requests for a picture cost little more than one.
"""

from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Final

import resvg_py

_FONT: Final = Path(__file__).parent / "fonts" / "Vollkorn-Bold.ttf"
"""The only font: so pictures look the same on every server."""
_KEPT_PICTURES: Final = 32
_drawing: Final = Lock()


@lru_cache(maxsize=_KEPT_PICTURES)
def png_of(svg: str) -> bytes:
    """Return the PNG of a picture drawn by this package, as large as the picture says."""
    with _drawing:
        return bytes(
            resvg_py.svg_to_bytes(
                svg_string=svg, skip_system_fonts=True, font_files=[str(_FONT)], languages=[]
            )
        )
