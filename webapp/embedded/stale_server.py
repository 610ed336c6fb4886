"""Stop a Postgres that an earlier run left running, and delete a pid file that it left behind."""

import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil

from webapp.kernel.operator_errors import EmbeddedError

_STOP_TIMEOUT_SECONDS = 60.0
_CHILDREN_TIMEOUT_SECONDS = 20.0


def clear_stale_server(data_folder: Path, *, timeout: float = _CHILDREN_TIMEOUT_SECONDS) -> None:
    """Stop a server that is still running in ``data_folder``, and delete the pid file of one that is not.

    Postgres itself only checks whether the recorded pid exists, and then refuses to start. But it may be the pid of a
    zombie, or of another program that got the same number after a reboot.
    """
    postmaster = _postmaster_in(data_folder)
    if postmaster is not None:
        _stop_postmaster(postmaster)
    _, alive_processes = psutil.wait_procs(list(_processes_in(data_folder)), timeout=timeout)
    if alive_processes:
        pids = ", ".join(str(process.pid) for process in alive_processes)
        raise EmbeddedError(
            f"Processes of an earlier Postgres are still running in {data_folder}: {pids}."
        )
    if (pid := recorded_pid(data_folder)) and psutil.pid_exists(pid):
        (data_folder / "postmaster.pid").unlink()


def recorded_pid(data_folder: Path) -> int | None:
    """Return the pid in the pid file of ``data_folder``, or None."""
    try:
        lines = (data_folder / "postmaster.pid").read_text(encoding="utf-8").splitlines()
        return int(lines[0])
    except (FileNotFoundError, IndexError, ValueError):
        return None


def _postmaster_in(data_folder: Path) -> psutil.Process | None:
    pid = recorded_pid(data_folder)
    return next((process for process in _processes_in(data_folder) if process.pid == pid), None)


def _processes_in(data_folder: Path) -> Iterator[psutil.Process]:
    """Yield every live Postgres process of ``data_folder``; it is the working folder of each of them."""
    for process in psutil.process_iter():
        if _runs_in(process, data_folder):
            yield process


def _runs_in(process: psutil.Process, data_folder: Path) -> bool:
    try:
        is_alive = process.status() != psutil.STATUS_ZOMBIE
        return is_alive and process.name() == "postgres" and data_folder.samefile(process.cwd())
    except (psutil.Error, OSError):
        return False


def _stop_postmaster(postmaster: psutil.Process, *, timeout: float = _STOP_TIMEOUT_SECONDS) -> None:
    for signal_number in (signal.SIGINT, signal.SIGQUIT):
        with suppress(psutil.TimeoutExpired):
            postmaster.send_signal(signal_number)
            postmaster.wait(timeout)
            return
