"""Secrets of this installation that nobody chooses: drawn once, kept in files of their own."""

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from webapp.config import Misconfigured

_SHORTEST: Final = 32


def secret_key_in(folder: Path) -> str:
    """Return the key of the installation in this data folder, drawn if there is none. Raises Misconfigured."""
    file = folder / "secret-key"
    try:
        key = key_kept_in(file)
    except UnicodeDecodeError:
        key = ""
    if len(key) < _SHORTEST:
        problem = (
            f"{file} holds no key: that is {_SHORTEST} ASCII characters or more. Put it back from a backup, "
            "or remove it: then a new one is drawn, and links in mails that were sent lead nowhere."
        )
        raise Misconfigured([problem])
    return key


def key_kept_in(file: Path) -> str:
    """Return the key in `file`; draw and keep one (32 random bytes, mode 0600) if there is none."""
    try:
        return file.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        pass
    draft = _draft_of(file, secrets.token_hex(32))
    try:
        # A link, unlike a rename, leaves the key of somebody who was faster in place.
        os.link(draft, file)
    except FileExistsError:
        pass
    finally:
        Path(draft).unlink()
    _make_durable(file.parent)
    return file.read_text(encoding="ascii").strip()


def put_key(file: Path, key: str) -> None:
    """Keep this key in `file`; one that was there before is set aside as `file`.old."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileNotFoundError):
        if file.read_bytes().strip() == key.encode():
            return
        file.replace(file.with_name(f"{file.name}.old"))
    Path(_draft_of(file, key)).replace(file)
    _make_durable(file.parent)


def _draft_of(file: Path, key: str) -> str:
    descriptor, draft = tempfile.mkstemp(prefix=f".{file.name}-", dir=file.parent)
    with os.fdopen(descriptor, "w", encoding="ascii") as opened:
        opened.write(key + "\n")
        opened.flush()
        os.fsync(opened.fileno())
    return draft


def _make_durable(folder: Path) -> None:
    """Have the system write the folder itself down: the data that the key opens may not outlive it."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
