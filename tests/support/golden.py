"""Texts that were looked at once and are frozen: a change shows as a difference, and whoever wants it says so.

``LODEPOST_GOLDEN=write pytest ...`` writes them anew; look at what ``git diff`` shows before it is committed.
"""

import os
from pathlib import Path


def is_golden(path: Path, text: str) -> bool:
    """Whether a text is that of the file; it is written there first, when that is asked for."""
    if os.environ.get("LODEPOST_GOLDEN") == "write":
        path.write_text(text, encoding="utf-8")
    return text == path.read_text(encoding="utf-8")
