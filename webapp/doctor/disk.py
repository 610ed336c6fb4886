"""Check the free disk space."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

from webapp.doctor.result import CheckResult, error, ok, warning
from webapp.kernel.config import Settings

FreeBytes: TypeAlias = Callable[[Path], int]
"""Return the free bytes on the disk of a folder."""

_WARN_BELOW_BYTES: Final = 1_000_000_000
_FAIL_BELOW_BYTES: Final = 200_000_000


def own_folder(settings: Settings) -> Path:
    """Return the folder of the embedded database, or the one of emails that no mail server takes."""
    return settings.data_dir if settings.database_url else settings.data_dir / "postgres"


def free_bytes(folder: Path) -> int:
    """Return the free bytes on the disk where the folder is, or will be created."""
    return shutil.disk_usage(_existing(folder)).free


def total_bytes(folder: Path) -> int:
    """Return the size of the disk where the folder is, or will be created."""
    return shutil.disk_usage(_existing(folder)).total


def _existing(folder: Path) -> Path:
    return next(path for path in (folder, *folder.parents) if path.exists())


def check_disk(folder: Path, free_bytes_of: FreeBytes) -> CheckResult:
    """Check that there is room for the database and emails."""
    free_byte_count = free_bytes_of(folder)
    message = f"{free_byte_count // 1_000_000:,} MB are free for {folder}."
    if free_byte_count < _FAIL_BELOW_BYTES:
        return error(message, "Free some space now: Postgres stops when it cannot write.")
    if free_byte_count < _WARN_BELOW_BYTES:
        return warning(message, "Free some space soon.")
    return ok(message)
