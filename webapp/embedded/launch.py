"""Start a Postgres program as the right user, with a clean environment."""

import os
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from webapp.embedded.binaries import PostgresPrograms, bundled_programs, world_readable_programs
from webapp.embedded.unprivileged_user import UnixUser, user_for

_DESCRIPTOR_FOLDER = Path("/proc/self/fd")
# The PG* variables of the operator must not affect the embedded server.
_SERVER_ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}


def forget_libpq_environment() -> None:
    """Remove the PG* variables of the operator, such as PGSSLMODE: they speak of other servers, and libpq obeys them."""
    for name in [name for name in os.environ if name.startswith("PG")]:
        del os.environ[name]


def launch(
    program: str,
    arguments: Sequence[str],
    *,
    programs: PostgresPrograms,
    data_folder: Path,
    output: IO[bytes] | None,
) -> subprocess.Popen[bytes]:
    """Start `program -D data ...` in a session of its own, so that Ctrl-C does not reach it."""
    user = user_for(data_folder)
    with ExitStack() as stack:
        path, descriptors = _data_path_for(user, data_folder, stack)
        return subprocess.Popen(  # noqa: S603 (program and arguments come from this package)
            [str(_programs_for(user, programs) / program), "-D", path, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd="/",
            env=_SERVER_ENVIRONMENT,
            user=user.uid if user else None,
            group=user.gid if user else None,
            extra_groups=[] if user else None,
            umask=0o077,
            pass_fds=descriptors,
            start_new_session=True,
        )


def _data_path_for(
    user: UnixUser | None, data_folder: Path, stack: ExitStack
) -> tuple[str, tuple[int, ...]]:
    """Return a path to the data folder that the other user can open, and the descriptors to inherit.

    The data may be inside a folder that only root may enter, for example a home folder. A path through a descriptor
    that root opened works nevertheless, for as long as the server runs.
    """
    if user is None or not _DESCRIPTOR_FOLDER.is_dir():
        return str(data_folder), ()
    descriptor = os.open(data_folder, os.O_RDONLY | os.O_DIRECTORY)
    stack.callback(os.close, descriptor)
    return str(_DESCRIPTOR_FOLDER / str(descriptor)), (descriptor,)


def _programs_for(user: UnixUser | None, programs: PostgresPrograms) -> Path:
    if programs.folder is not None:
        return programs.folder
    return bundled_programs() if user is None else world_readable_programs()
