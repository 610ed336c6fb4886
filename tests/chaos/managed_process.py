"""One process of the installation: started, killed without warning, started again, stopped as an operator would."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from signal import SIGCONT, SIGSTOP
from typing import Final

ROOT: Final = Path(__file__).parents[2]
_LAST_WORDS: Final = 40.0


@dataclass
class Part:
    """A program with its words and its surroundings; what it says is appended to ``log``."""

    name: str
    command: Sequence[str]
    log: Path
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)
    clock: Path | None = None
    """The file by which its clock is set, if it has one of its own."""

    def set_clock(self, ahead: float) -> None:
        """Let its clock jump: from now on it is so many seconds ahead."""
        assert self.clock is not None
        draft = self.clock.with_suffix(".draft")
        draft.write_text(str(ahead), encoding="ascii")
        # Never half a number: it is read at any moment.
        draft.replace(self.clock)

    def start(self) -> None:
        inherited = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        covered = {name: os.environ[name] for name in os.environ if name.startswith("COV")}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                list(self.command),
                cwd=ROOT,
                env={**inherited, **covered, **self.environ},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def runs(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def kill(self) -> None:
        """As the system kills a process that took too much memory."""
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
        """Ask it to end, and insist when it takes too long."""
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(_LAST_WORDS)
        except subprocess.TimeoutExpired:
            self.kill()
