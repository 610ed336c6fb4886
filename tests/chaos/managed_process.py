"""One process of the deployment, which can be started, stopped, killed and frozen."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from signal import SIGCONT, SIGSTOP
from typing import Final

ROOT: Final = Path(__file__).parents[2]
_STOP_TIMEOUT_SECONDS: Final = 120.0


@dataclass
class ManagedProcess:
    """A program with its arguments and environment; its output is appended to ``log``."""

    name: str
    command: Sequence[str]
    log: Path
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)
    clock_file: Path | None = None
    """The file that sets its clock, if it has a clock of its own."""

    def set_clock(self, seconds_ahead: float) -> None:
        """Set its clock this many seconds ahead of the real time."""
        assert self.clock_file is not None
        write_clock(self.clock_file, seconds_ahead)

    def start(self) -> None:
        inherited_variables = {
            name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ
        }
        coverage_variables = {
            name: os.environ[name] for name in os.environ if name.startswith("COV")
        }
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                list(self.command),
                cwd=ROOT,
                env={**inherited_variables, **coverage_variables, **self.environ},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def kill(self) -> None:
        """Kill it without warning, as the system does when memory runs out."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def freeze(self) -> None:
        assert self.process is not None
        self.process.send_signal(SIGSTOP)

    def thaw(self) -> None:
        assert self.process is not None
        self.process.send_signal(SIGCONT)

    def stop(self) -> None:
        """Terminate it, and kill it if that takes too long."""
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(_STOP_TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()


def write_clock(file: Path, seconds_ahead: float) -> None:
    """Set the clock in a file. It is replaced at once, because processes may read it at any moment."""
    draft_file = file.with_suffix(".draft")
    draft_file.write_text(str(seconds_ahead), encoding="ascii")
    draft_file.replace(file)
