"""As whom Postgres runs: it refuses root, so root lends it a user who may do nothing else."""

import os
import pwd
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from webapp.embedded.errors import EmbeddedError

_CANDIDATES = ("lodepost", "postgres", "nobody")


@dataclass(frozen=True)
class Person:
    """A user of this machine, by numbers."""

    uid: int
    gid: int


def person_for(data: Path) -> Person | None:
    """Return the user who must run the server in `data`, or None for whoever runs us.

    A folder that exists already keeps its owner: another user could not read it.
    """
    if os.geteuid() != 0:
        return None
    if data.is_dir() and data.stat().st_uid != 0:
        return Person(data.stat().st_uid, data.stat().st_gid)
    return _first_known(_CANDIDATES)


def _first_known(names: Iterable[str]) -> Person:
    for name in names:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Person(entry.pw_uid, entry.pw_gid)
    raise EmbeddedError(
        "Postgres does not run as root, and this machine has none of the users "
        f"{', '.join(names)}. Make one (useradd --system lodepost), or start Lodepost as "
        "somebody who is not root."
    )
