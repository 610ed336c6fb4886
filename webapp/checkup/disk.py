"""Room for what will be written."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

from webapp.checkup.finding import Finding, doubtful, well, wrong

Room: TypeAlias = Callable[[Path], int]
"""Bytes that are free where this folder lies."""

_LITTLE: Final = 1_000_000_000
_TOO_LITTLE: Final = 200_000_000


def room_at(folder: Path) -> int:
    """Bytes that are free where this folder lies, or will lie."""
    there = next(path for path in (folder, *folder.parents) if path.exists())
    return shutil.disk_usage(there).free


def look_at_disk(folder: Path, room: Room) -> Finding:
    free = room(folder)
    words = f"{free // 1_000_000:,} MB are free for {folder}."
    if free < _TOO_LITTLE:
        return wrong(words, "Make room now: Postgres stops when it cannot write.")
    return doubtful(words, "Make room soon.") if free < _LITTLE else well(words)
