"""boardgame.io's server with Postgres storage, and clients that play on it; installed by npm into a folder that git ignores."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench.shared.place import free_port, listens_at, plainly, until
from bench.shared.rounds import Load
from bench.shared.rows import Missing, say

_SOURCES = Path(__file__).parents[1] / "boardgame"
_INSTALLED = Path(__file__).parents[2] / ".bench" / "boardgame"


class Peer:
    """Clients that are connected and wait."""

    def __init__(self, clients: subprocess.Popen[str]) -> None:
        self._clients = clients

    def play(self) -> Load:
        """Let every client play its moves in a new match."""
        assert self._clients.stdin
        self._clients.stdin.write("play\n")
        self._clients.stdin.flush()
        return Load(*json.loads(_line_of(self._clients)))


@contextmanager
def running_boardgame(url: str, clients: int, moves: int) -> Iterator[Peer]:
    """The server, with so many clients that play so many moves at a time. Raises Missing where npm cannot bring it."""
    node = _installed()
    port = free_port()
    with ExitStack() as stack:
        environ = {**os.environ, "DATABASE_URL": plainly(url), "NODE_ENV": "production"}
        server = subprocess.Popen(
            [node, "server.js", str(port)],
            cwd=_INSTALLED,
            env=environ,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        stack.callback(_end, server)
        until(lambda: server.poll() is not None or listens_at(port), "boardgame.io")
        words = [node, "load.js", *map(str, (port, clients, moves))]
        playing = _talking(words)
        stack.callback(_end, playing)
        if _line_of(playing) != "ready":
            raise Missing("the clients of boardgame.io found no server")
        yield Peer(playing)


def _installed() -> str:
    """Bring the packages once; the path of node."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise Missing("there is no node with npm")
    _INSTALLED.mkdir(parents=True, exist_ok=True)
    for source in _SOURCES.iterdir():
        shutil.copy(source, _INSTALLED)
    if not _is_complete():
        say("installing boardgame.io")
        _install(npm)
    return node


def _is_complete() -> bool:
    wanted = json.loads((_SOURCES / "package.json").read_text(encoding="utf-8"))["dependencies"]
    return all(_version_of(name) == version for name, version in wanted.items())


def _version_of(name: str) -> str | None:
    about = _INSTALLED / "node_modules" / name / "package.json"
    return json.loads(about.read_text(encoding="utf-8"))["version"] if about.exists() else None


def _install(npm: str) -> None:
    words: Sequence[str] = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts"]
    done = subprocess.run(words, cwd=_INSTALLED, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Missing(f"npm could not install boardgame.io ({done.stderr.strip()[-200:]})")


def _talking(words: Sequence[str]) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        words, cwd=_INSTALLED, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def _line_of(process: "subprocess.Popen[str]") -> str:
    assert process.stdout
    return process.stdout.readline().strip()


def _end(process: "subprocess.Popen[bytes] | subprocess.Popen[str]") -> None:
    process.terminate()
    process.wait()
