"""boardgame.io's server with Postgres storage, and clients that play on it; installed by npm into an ignored folder."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench.shared.interleaving import LoadResult
from bench.shared.local_services import free_port, is_listening, libpq_url, wait_until
from bench.shared.result_rows import MissingRequirement, log_progress

_SOURCE_FOLDER = Path(__file__).parents[1] / "boardgame"
_INSTALL_FOLDER = Path(__file__).parents[2] / ".bench" / "boardgame"


class BoardgameClients:
    """Connected clients of boardgame.io that wait for a command."""

    def __init__(self, clients: subprocess.Popen[str]) -> None:
        self._clients = clients

    def play(self) -> LoadResult:
        """Let every client play its moves in a new match and return the result."""
        assert self._clients.stdin
        self._clients.stdin.write("play\n")
        self._clients.stdin.flush()
        return LoadResult(*json.loads(_read_line(self._clients)))


@contextmanager
def running_boardgame(
    url: str, client_count: int, moves_per_command: int
) -> Iterator[BoardgameClients]:
    """Run the server and clients that play a number of moves at a time. Raises MissingRequirement if npm cannot install it."""
    node = _install_and_find_node()
    port = free_port()
    with ExitStack() as stack:
        environ = {**os.environ, "DATABASE_URL": libpq_url(url), "NODE_ENV": "production"}
        server = subprocess.Popen(
            [node, "server.js", str(port)],
            cwd=_INSTALL_FOLDER,
            env=environ,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        stack.callback(_terminate, server)
        wait_until(lambda: server.poll() is not None or is_listening(port), "boardgame.io")
        command = [node, "load.js", *map(str, (port, client_count, moves_per_command))]
        clients_process = _started_client(command)
        stack.callback(_terminate, clients_process)
        if _read_line(clients_process) != "ready":
            raise MissingRequirement("the clients of boardgame.io found no server")
        yield BoardgameClients(clients_process)


def _install_and_find_node() -> str:
    """Install the packages once and return the path of node."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise MissingRequirement("there is no node with npm")
    _INSTALL_FOLDER.mkdir(parents=True, exist_ok=True)
    for source in _SOURCE_FOLDER.iterdir():
        shutil.copy(source, _INSTALL_FOLDER)
    if not _is_installed():
        log_progress("installing boardgame.io")
        _install(npm)
    return node


def _is_installed() -> bool:
    required_versions = json.loads((_SOURCE_FOLDER / "package.json").read_text(encoding="utf-8"))[
        "dependencies"
    ]
    return all(_version_of(name) == version for name, version in required_versions.items())


def _version_of(name: str) -> str | None:
    package_file = _INSTALL_FOLDER / "node_modules" / name / "package.json"
    return (
        json.loads(package_file.read_text(encoding="utf-8"))["version"]
        if package_file.exists()
        else None
    )


def _install(npm: str) -> None:
    command: Sequence[str] = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts"]
    result = subprocess.run(
        command, cwd=_INSTALL_FOLDER, capture_output=True, text=True, check=False
    )
    if result.returncode != 0:
        raise MissingRequirement(
            f"npm could not install boardgame.io ({result.stderr.strip()[-200:]})"
        )


def _started_client(command: Sequence[str]) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        command, cwd=_INSTALL_FOLDER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def _read_line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout
    return process.stdout.readline().strip()


def _terminate(process: "subprocess.Popen[bytes] | subprocess.Popen[str]") -> None:
    process.terminate()
    process.wait()
