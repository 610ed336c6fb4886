"""Keys of this installation: its secret key, random and kept in a file, and those derived from it for one purpose each.

Derived keys follow HKDF (RFC 5869): what was signed for one purpose is worthless for any other, and no derived key tells anything
about the secret one. The file of the secret key has the key in use in its first line, and below it those that it has replaced. All
of them are written at once, so that no crash can lose one.
"""

import itertools
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from webapp.kernel.config import MIN_KEY_LENGTH, Settings
from webapp.kernel.networks import is_loopback
from webapp.kernel.operator_errors import Misconfigured
from webapp.kernel.resources import create_durably, sync_folder, write_durably

_KEY_SIZE: Final = 32
_SALT: Final = b"lodepost 1"
_FINGERPRINT_SIZE: Final = 16
_KEY_FILE: Final = "secret-key"
_STAGED_FILE: Final = "secret-key.restoring"
_MAX_KEY_LENGTH: Final = 4096


def derived_key(secret_key: bytes, purpose: str) -> bytes:
    """Return the 32 bytes of the key for this purpose."""
    return HKDF(SHA256(), length=_KEY_SIZE, salt=_SALT, info=purpose.encode()).derive(secret_key)


def derived_keys(purpose: str, settings: Settings) -> list[bytes]:
    """Return the key that signs for this purpose, and then those that were replaced."""
    secret_keys = (settings.secret_key, *settings.old_secret_keys)
    return [derived_key(key.encode(), purpose) for key in secret_keys]


def fingerprint_of(secret_key: str) -> str:
    """Return a text that distinguishes one secret key from another without revealing it."""
    return derived_key(secret_key.encode(), "fingerprint")[:_FINGERPRINT_SIZE].hex()


def mailbox_key_for(settings: Settings) -> str | None:
    """Return the key that opens /mailbox, or None if there must be no mailbox page.

    The page shows every email, including sign-in links, so it exists only while emails stay on this machine and no
    other machine can reach it.
    """
    host = urlsplit(settings.base_url).hostname or ""
    if settings.smtp_url or not (is_loopback(host) and is_loopback(settings.listen_host)):
        return None
    return derived_key(settings.secret_key.encode(), "mailbox")[:16].hex()


class StoredKeys(NamedTuple):
    """The secret key of an installation, and those that it has replaced, the newest first."""

    current: str
    old: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return "<StoredKeys>"


def load_secret_keys(folder: Path) -> StoredKeys:
    """Return the keys in this data folder; one is generated if there is none. Raises Misconfigured."""
    file = folder / _KEY_FILE
    with suppress(UnicodeDecodeError):
        load_or_create_key(file)
    keys = _keys_in(file)
    if keys is None:
        problem = (
            f"{file} does not contain keys of {MIN_KEY_LENGTH} or more ASCII characters. Restore it from a backup, "
            "or delete it to have a new one generated; links in emails that were sent will then stop working."
        )
        raise Misconfigured([problem])
    return keys


def with_stored_keys(settings: Settings) -> Settings:
    """Return the settings with the keys of the data folder, unless the environment sets a key. Raises Misconfigured."""
    if settings.database_url or settings.secret_key:
        return settings
    keys = load_secret_keys(settings.data_dir)
    return replace(settings, secret_key=keys.current, old_secret_keys=keys.old)


def load_or_create_key(file: Path) -> str:
    """Return the text in ``file``; if there is none, generate and store a key (32 random bytes, mode 0600)."""
    with suppress(FileNotFoundError):
        return _text_in(file)
    # If another process is faster, its key is kept.
    create_durably(file, secrets.token_hex(32).encode() + b"\n")
    return _text_in(file)


def replace_secret_key(folder: Path) -> StoredKeys:
    """Generate a new key and keep the others as old ones. Raises Misconfigured."""
    keys = load_secret_keys(folder)
    new_keys = StoredKeys(secrets.token_hex(32), (keys.current, *keys.old))
    write_durably(folder / _KEY_FILE, _file_content(new_keys))
    return new_keys


def forget_old_keys(folder: Path) -> int:
    """Remove the old keys and return how many there were. Raises Misconfigured."""
    keys = load_secret_keys(folder)
    if keys.old:
        write_durably(folder / _KEY_FILE, _file_content(StoredKeys(keys.current)))
    return len(keys.old)


def is_valid_key(key: str) -> bool:
    """Return whether a key can be kept in a file: one line of printable ASCII characters, and neither too short nor too long."""
    is_printable = key.isascii() and key.isprintable() and key == key.strip()
    return is_printable and MIN_KEY_LENGTH <= len(key) <= _MAX_KEY_LENGTH


def stage_keys(folder: Path, keys: StoredKeys) -> None:
    """Store the keys of a backup beside those in use, until the backup is in the database."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_durably(folder / _STAGED_FILE, _file_content(keys))


def has_staged_keys(folder: Path) -> bool:
    """Return whether a restore has not put the keys of its backup into place yet."""
    return (folder / _STAGED_FILE).exists()


def settle_staged_keys(folder: Path, expected_fingerprint: str | None) -> bool:
    """Put staged keys into place if they are those that the database expects, and drop them otherwise; return whether they were.

    A restore that is killed leaves them behind: only the database knows whether its COMMIT came before. Repeating this
    after a crash between any two steps has the same result.
    """
    staged_file = folder / _STAGED_FILE
    try:
        staged_keys = _keys_in(staged_file)
    except FileNotFoundError:
        return False
    is_expected = (
        staged_keys is not None and fingerprint_of(staged_keys.current) == expected_fingerprint
    )
    if not is_expected:
        staged_file.unlink()
        return False
    _keep_copy(folder / _KEY_FILE, staged_file)
    staged_file.replace(folder / _KEY_FILE)
    sync_folder(folder)
    return True


def _keep_copy(file: Path, new_file: Path) -> None:
    """Keep what is in the file under a name of its own, unless it is what will be there or was kept before."""
    with suppress(FileNotFoundError):
        content = file.read_bytes()
        if content == new_file.read_bytes():
            return
        for name in _names_of_copies(file):
            copy = file.with_name(name)
            if not os.path.lexists(copy):
                create_durably(copy, content)
            if copy.is_file() and copy.read_bytes() == content:
                return


def _names_of_copies(file: Path) -> Iterator[str]:
    yield f"{file.name}.old"
    yield from (f"{file.name}.old-{number}" for number in itertools.count(2))


def _keys_in(file: Path) -> StoredKeys | None:
    """Return the keys in a file, None if it has others than keys. Raises FileNotFoundError."""
    lines: Sequence[str] = ()
    with suppress(UnicodeDecodeError):
        lines = [line.strip() for line in _text_in(file).splitlines()]
    if not lines or not all(map(is_valid_key, lines)):
        return None
    return StoredKeys(lines[0], tuple(lines[1:]))


def _text_in(file: Path) -> str:
    return file.read_text(encoding="ascii").strip()


def _file_content(keys: StoredKeys) -> bytes:
    return "".join(f"{key}\n" for key in (keys.current, *keys.old)).encode()
