"""A small disk that can be filled up: a file system in memory, which only root can make."""

import errno
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_SIZE: Final = 400 << 20
_PIECES: Final = (4 << 20, 4 << 10)


@contextmanager
def small_disk(folder: Path) -> Iterator[Path | None]:
    """Yield a folder with a file system of its own, or None where none can be made."""
    folder.mkdir(mode=0o700)
    if os.geteuid() != 0 or not _call(
        "mount", "-t", "tmpfs", "-o", f"size={_SIZE}", "tmpfs", folder
    ):
        yield None
        return
    try:
        yield folder
    finally:
        _call("umount", "--lazy", folder)


def fill(folder: Path) -> Path:
    """Take all the space that is left; the file that takes it."""
    ballast = folder / "ballast"
    with ballast.open("wb") as taken:
        # How much is left is only nearly known, and others take of it meanwhile.
        for piece in _PIECES:
            while _grows(taken.fileno(), piece):
                continue
    return ballast


def _grows(descriptor: int, piece: int) -> bool:
    try:
        os.posix_fallocate(descriptor, os.fstat(descriptor).st_size, piece)
    except OSError as full:
        if full.errno != errno.ENOSPC:
            raise
        return False
    return True


def _call(*words: str | Path) -> bool:
    return subprocess.run(list(map(str, words)), check=False, capture_output=True).returncode == 0
