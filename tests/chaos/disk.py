"""A small disk that can be filled up: a file system in memory, which only root can make."""

import errno
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_SIZE: Final = 400 << 20


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
        # Somebody else may take the last of it between the look and the grip.
        while not _takes_all_of(folder, taken.fileno()):
            continue
    return ballast


def _takes_all_of(folder: Path, descriptor: int) -> bool:
    left = os.statvfs(folder)
    if left.f_bavail == 0:
        return True
    try:
        os.posix_fallocate(descriptor, 0, left.f_bavail * left.f_frsize)
    except OSError as full:
        if full.errno != errno.ENOSPC:
            raise
        return False
    return True


def _call(*words: str | Path) -> bool:
    return subprocess.run(list(map(str, words)), check=False, capture_output=True).returncode == 0
