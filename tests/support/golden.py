"""Golden texts: output that was reviewed once and is frozen in a file, so that every change shows as a difference.

``LODEPOST_GOLDEN=write pytest ...`` rewrites the files; review ``git diff`` before committing.
"""

import os
from pathlib import Path


def is_writing_golden_files() -> bool:
    return os.environ.get("LODEPOST_GOLDEN") == "write"


def equals_golden_file(path: Path, text: str) -> bool:
    """Return whether a text equals the file; with LODEPOST_GOLDEN=write, write it to the file first."""
    if is_writing_golden_files():
        path.write_text(text, encoding="utf-8")
    return text == path.read_text(encoding="utf-8")
