"""Choose the Unix user that runs Postgres, which refuses to run as root."""

import os
import pwd
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from webapp.operator_errors import EmbeddedError

_USER_NAMES = ("lodepost", "postgres", "nobody")


@dataclass(frozen=True)
class UnixUser:
    """The numeric ids of a user of this machine."""

    uid: int
    gid: int


def user_for(data_folder: Path) -> UnixUser | None:
    """Return the user that must run the server in ``data_folder``, or None for the current user.

    An existing folder keeps its owner, because another user could not read it.
    """
    if os.geteuid() != 0:
        return None
    if data_folder.is_dir() and data_folder.stat().st_uid != 0:
        return UnixUser(data_folder.stat().st_uid, data_folder.stat().st_gid)
    return _first_existing_user(_USER_NAMES)


def _first_existing_user(names: Iterable[str]) -> UnixUser:
    for name in names:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return UnixUser(entry.pw_uid, entry.pw_gid)
    raise EmbeddedError(
        "Postgres does not run as root, and this machine has none of the users "
        f"{', '.join(names)}. Create one (useradd --system lodepost), or start Lodepost as another user."
    )
