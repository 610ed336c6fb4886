"""What an earlier run may have left behind: a server without a master, or only its pid file."""

import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil

from webapp.embedded.errors import EmbeddedError

_PATIENCE = 60.0
_ORPHANS_PATIENCE = 20.0


def clear_leftover(data: Path, *, patience: float = _ORPHANS_PATIENCE) -> None:
    """Stop a server that still runs in `data`, and forget one that only seems to run.

    Postgres itself asks no more than whether the recorded pid exists. A zombie exists, and so
    does a stranger who was given the same number after a reboot; it would then refuse to start.
    """
    postmaster = _postmaster_in(data)
    if postmaster is not None:
        _stop(postmaster)
    _, alive = psutil.wait_procs(list(_servers_in(data)), timeout=patience)
    if alive:
        pids = ", ".join(str(process.pid) for process in alive)
        raise EmbeddedError(f"Processes of an earlier Postgres still work in {data}: {pids}.")
    if (pid := recorded_pid(data)) and psutil.pid_exists(pid):
        (data / "postmaster.pid").unlink()


def recorded_pid(data: Path) -> int | None:
    """Return the pid that the pid file of `data` names, or None."""
    try:
        lines = (data / "postmaster.pid").read_text(encoding="utf-8").splitlines()
        return int(lines[0])
    except (FileNotFoundError, IndexError, ValueError):
        return None


def _postmaster_in(data: Path) -> psutil.Process | None:
    pid = recorded_pid(data)
    return next((process for process in _servers_in(data) if process.pid == pid), None)


def _servers_in(data: Path) -> Iterator[psutil.Process]:
    """Every live process of a Postgres in `data`: each of them has made it its working folder."""
    for process in psutil.process_iter():
        if _works_in(process, data):
            yield process


def _works_in(process: psutil.Process, data: Path) -> bool:
    try:
        alive = process.status() != psutil.STATUS_ZOMBIE
        return alive and process.name() == "postgres" and data.samefile(process.cwd())
    except (psutil.Error, OSError):
        return False


def _stop(postmaster: psutil.Process, *, patience: float = _PATIENCE) -> None:
    for how in (signal.SIGINT, signal.SIGQUIT):
        with suppress(psutil.TimeoutExpired):
            postmaster.send_signal(how)
            postmaster.wait(patience)
            return
