"""Two web processes, started and restarted as the systemd units and the steps of `deploy/README.md` say."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.chaos.managed_process import ROOT, ManagedProcess
from tests.deploy.proxies import EXAMPLE_PORTS, HOST
from tests.support.ports import free_port
from tests.support.required_programs import curl

SECRET_KEY: Final = "a secret key of tests, and long enough"
_UNIT: Final = ROOT / "deploy" / "systemd" / "lodepost-web@.service"
_README: Final = ROOT / "deploy" / "README.md"
_WAIT_FOR_READY: Final = "curl --fail --silent --retry 60 --retry-delay 1 --retry-all-errors"


@dataclass(frozen=True)
class WebProcesses:
    """The processes by the port that the examples name, and the ports on which they really listen."""

    processes: dict[int, ManagedProcess]
    ports: dict[int, int]

    def run_step(self, step: str) -> None:
        """Run a line of the steps in the README: what systemd would do, and curl with the real port."""
        restart = re.fullmatch(r"systemctl restart lodepost-web@(\d+)\.service", step)
        if restart:
            process = self.processes[int(restart[1])]
            process.stop()
            process.start()
            return
        for example, port in self.ports.items():
            step = step.replace(f"127.0.0.1:{example}", f"127.0.0.1:{port}")
        # A slow machine may need longer than the README waits for a process to start.
        assert "--retry 60 " in step, step
        program, *arguments = shlex.split(step.replace("--retry 60 ", "--retry 600 "))
        assert program == "curl", step
        subprocess.run([curl(), *arguments], check=True, stdout=subprocess.DEVNULL)


@contextmanager
def running_web_processes(
    folder: Path, *, database_url: str, redis_url: str
) -> Iterator[WebProcesses]:
    """Yield two web processes that are ready."""
    ports = {example: free_port() for example in EXAMPLE_PORTS}
    environ = {
        "DATABASE_URL": database_url,
        "REDIS_URL": redis_url,
        "SECRET_KEY": SECRET_KEY,
        "BASE_URL": f"https://{HOST}",
        "MAIL_FROM": f"lodepost@{HOST}",
        "TRUSTED_PROXIES": "1",
        "DATA_DIR": str(folder / "data"),
        "PYTHONPATH": str(ROOT),
    }
    processes = {
        example: ManagedProcess(
            f"web {example}", _command_on(port), folder / f"web-{example}.log", environ
        )
        for example, port in ports.items()
    }
    web_processes = WebProcesses(processes, ports)
    with ExitStack() as stack:
        for process in processes.values():
            stack.callback(process.kill)
            process.start()
        for example in EXAMPLE_PORTS:
            web_processes.run_step(f"{_WAIT_FOR_READY} http://127.0.0.1:{example}/readyz")
        yield web_processes


def rolling_restart_steps() -> list[str]:
    """Return the commands that the README gives for restarting the web processes while people play."""
    text = _README.read_text(encoding="utf-8")
    [block] = re.findall(
        r"\n\n((?:    .*\n)*    systemctl restart lodepost-web@8000\.service\n(?:    .*\n)*)", text
    )
    return [
        line.strip() for line in block.splitlines() if "lodepost-web@" in line or "curl" in line
    ]


def _command_on(port: int) -> list[str]:
    """Return the command of the unit, with the Python of this test."""
    [command] = re.findall(r"^ExecStart=(.*)$", _UNIT.read_text(encoding="utf-8"), re.MULTILINE)
    program, *arguments = shlex.split(command.replace("%i", str(port)))
    assert program == "/opt/lodepost/.venv/bin/python"
    return [sys.executable, *arguments]
