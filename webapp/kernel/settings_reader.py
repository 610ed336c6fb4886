"""Reads settings from environment variables, and secret ones from files that variables name: what Docker calls secrets.

A secret in the environment is visible to every child process and in `docker inspect`; a file is visible to its owner.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, TypeVar

SECRET_NAMES: Final = (
    "DATABASE_URL",
    "REDIS_URL",
    "SMTP_URL",
    "IMAP_URL",
    "SECRET_KEY",
    "OLD_SECRET_KEYS",
    "METRICS_TOKEN",
    "EMAIL_WEBHOOK_SECRET",
)
"""The settings that contain a password or a key: each can be read from the file that ``NAME_FILE`` names."""
_MAX_FILE_BYTES: Final = 4096

T = TypeVar("T")


class SettingsReader:
    """Reads one variable after another and collects a sentence for each invalid one."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.problems: list[str] = []
        self._raw_values = {name: value.strip() for name, value in environ.items()}
        for name in SECRET_NAMES:
            self._read_secret_file(name)

    def is_set(self, name: str) -> bool:
        """Return whether the variable has a value, or a file is named for it."""
        return bool(self._raw_values.get(name) or self._raw_values.get(f"{name}_FILE"))

    def read(self, name: str, default: str, parse: Callable[[str], T]) -> T | None:
        """Return the parsed value; None if there is none, or if ``parse`` raises ValueError with what is wrong with it."""
        raw_value = self._raw_values.get(name) or default
        if not raw_value:
            return None
        try:
            return parse(raw_value)
        except ValueError as error:
            self.problems.append(f"{name} {error}")
            return None

    def _read_secret_file(self, name: str) -> None:
        path = self._raw_values.get(f"{name}_FILE")
        if not path:
            return
        if self._raw_values.get(name):
            self.problems.append(f"{name} and {name}_FILE are both set; use one of them.")
            return
        try:
            self._raw_values[name] = _secret_in(Path(path))
        except ValueError as error:
            self.problems.append(f"{name}_FILE {error}")


def _secret_in(path: Path) -> str:
    """Return what a file contains, without line breaks around it. Raises ValueError, which never quotes it."""
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_FILE_BYTES + 1)
    except OSError as error:
        raise ValueError(f"names {str(path)!r}: {error.strerror}.") from error
    if len(content) > _MAX_FILE_BYTES:
        raise ValueError(f"names {str(path)!r}, which has more than {_MAX_FILE_BYTES} bytes.")
    try:
        secret = content.decode().strip()
    except UnicodeDecodeError:
        raise ValueError(f"names {str(path)!r}, which is not UTF-8 text.") from None
    if not secret:
        raise ValueError(f"names {str(path)!r}, which is empty.")
    return secret
