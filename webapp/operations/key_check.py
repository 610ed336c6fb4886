"""Whether SECRET_KEY is the one that belongs to the database, which keeps a fingerprint of it.

With another key all people are signed out, and links in new emails differ from those that the database knows.
"""

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from webapp.kernel.keys import fingerprint_of
from webapp.kernel.tx import Tx
from webapp.operations.queries import restored_copy

KeyState: TypeAlias = Literal["expected", "first", "replaced", "wrong"]
"""``first``: the database had none and expects this one now. ``replaced``: it expected an old one and now expects this one."""
WRONG_KEY_TEXT: Final = "SECRET_KEY isn't the one that this database expects: people are signed out, and links in emails don't work."
WRONG_KEY_ADVICE: Final = (
    "Set SECRET_KEY to the key that was used with this database. If it was replaced on purpose, name the one before in "
    "OLD_SECRET_KEYS, and restart all processes."
)


def check_key(tx: Tx, secret_key: str, old_secret_keys: Sequence[str] = ()) -> KeyState:
    """Compare the key of this process with the one that the database expects; let it expect a key that replaces that one."""
    fingerprint = fingerprint_of(secret_key)
    found = restored_copy.find_fingerprint(tx)
    if found == fingerprint:
        return "expected"
    if found is None:
        found = restored_copy.add_fingerprint(tx, fingerprint)
        if found == fingerprint:
            return "first"
    if found not in {fingerprint_of(key) for key in old_secret_keys}:
        return "wrong"
    restored_copy.set_fingerprint(tx, fingerprint)
    return "replaced"


def is_expected_key(tx: Tx, secret_key: str, old_secret_keys: Sequence[str] = ()) -> bool:
    """Return whether nothing is wrong with this key; changes nothing."""
    found = restored_copy.find_fingerprint(tx)
    return found is None or found in {fingerprint_of(key) for key in (secret_key, *old_secret_keys)}
