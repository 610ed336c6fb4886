"""Random keys of this installation, each generated once and kept in a file of its own."""

import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

from webapp.files import create_durably, write_durably
from webapp.operator_errors import Misconfigured

_MIN_KEY_LENGTH: Final = 32


def load_secret_key(folder: Path) -> str:
    """Return the secret key in this data folder, generated if there is none. Raises Misconfigured."""
    file = folder / "secret-key"
    try:
        key = load_or_create_key(file)
    except UnicodeDecodeError:
        key = ""
    if len(key) < _MIN_KEY_LENGTH:
        problem = (
            f"{file} does not contain a key of {_MIN_KEY_LENGTH} or more ASCII characters. Restore it from a backup, "
            "or delete it to have a new one generated; links in emails that were sent will then stop working."
        )
        raise Misconfigured([problem])
    return key


def load_or_create_key(file: Path) -> str:
    """Return the key in ``file``; if there is none, generate and store one (32 random bytes, mode 0600)."""
    try:
        return file.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        # If another process is faster, its key is kept.
        create_durably(file, secrets.token_hex(32).encode() + b"\n")
    return file.read_text(encoding="ascii").strip()


def replace_key(file: Path, key: str) -> None:
    """Store this key in ``file``; a different one is kept as ``file``.old."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileNotFoundError):
        if file.read_bytes().strip() == key.encode():
            return
        file.replace(file.with_name(f"{file.name}.old"))
    write_durably(file, key.encode() + b"\n")
