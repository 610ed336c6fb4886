"""How one program of Postgres is started: as whom, seeing which folder, knowing nothing else."""

import os
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from webapp.embedded.binaries import Installation, programs_for_everybody, programs_of_the_wheel
from webapp.embedded.unprivileged_user import Person, person_for

_OPEN_FOLDERS = Path("/proc/self/fd")
# Nothing of the operator's PG* variables may steer a server that is ours.
_ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}


def launch(
    program: str,
    arguments: Sequence[str],
    *,
    of: Installation,
    data: Path,
    output: IO[bytes] | None,
) -> subprocess.Popen[bytes]:
    """Start `program --pgdata=data ...` in a session of its own, so that Ctrl-C is ours alone."""
    person = person_for(data)
    with ExitStack() as stack:
        name, opened = _name_for(person, data, stack)
        return subprocess.Popen(  # noqa: S603 (our own program, our own words)
            [str(_programs_for(person, of) / program), "-D", name, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd="/",
            env=_ENVIRONMENT,
            user=person.uid if person else None,
            group=person.gid if person else None,
            extra_groups=[] if person else None,
            umask=0o077,
            pass_fds=opened,
            start_new_session=True,
        )


def _name_for(person: Person | None, data: Path, stack: ExitStack) -> tuple[str, tuple[int, ...]]:
    """Name the folder for another user by an open descriptor, where the system can.

    The data may lie below a folder that only root may enter, a home for example. A descriptor
    that root opened leads there all the same, and lasts as long as the server.
    """
    if person is None or not _OPEN_FOLDERS.is_dir():
        return str(data), ()
    descriptor = os.open(data, os.O_RDONLY | os.O_DIRECTORY)
    stack.callback(os.close, descriptor)
    return str(_OPEN_FOLDERS / str(descriptor)), (descriptor,)


def _programs_for(person: Person | None, installation: Installation) -> Path:
    if installation.programs is not None:
        return installation.programs
    return programs_of_the_wheel() if person is None else programs_for_everybody()
