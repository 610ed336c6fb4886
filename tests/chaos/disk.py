"""A small disk that can be filled: a file system in memory, which only root can mount."""

import errno
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_DISK_BYTES: Final = 400 << 20
_ALLOCATION_BYTES: Final = (4 << 20, 4 << 10)


@contextmanager
def small_disk(folder: Path) -> Iterator[Path | None]:
    """Yield a folder with a file system of its own, or None if none can be mounted."""
    folder.mkdir(mode=0o700)
    if os.geteuid() != 0 or not _command_succeeds(
        "mount", "-t", "tmpfs", "-o", f"size={_DISK_BYTES}", "tmpfs", folder
    ):
        yield None
        return
    try:
        yield folder
    finally:
        _command_succeeds("umount", "--lazy", folder)


def fill_disk(folder: Path) -> Path:
    """Use up all free space, also what was freed since the last time, and return the file that does."""
    ballast_file = folder / "ballast"
    with ballast_file.open("ab") as file:
        # The free space is not known exactly, and Postgres uses it too: large steps first, then small ones.
        for size in _ALLOCATION_BYTES:
            while _allocate(file.fileno(), size):
                continue
    return ballast_file


def is_full(folder: Path) -> bool:
    """Return whether hardly anything can be written."""
    status = os.statvfs(folder)
    return status.f_bavail * status.f_frsize < _ALLOCATION_BYTES[0] // 64


def _allocate(descriptor: int, size: int) -> bool:
    """Enlarge the file by this size; return whether there was space."""
    try:
        os.posix_fallocate(descriptor, os.fstat(descriptor).st_size, size)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        return False
    return True


def _command_succeeds(*command: str | Path) -> bool:
    return subprocess.run(list(map(str, command)), check=False, capture_output=True).returncode == 0
