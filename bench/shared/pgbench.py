"""The bare transaction of a turn, run by pgbench: update the game, insert the turn, insert the notification, commit.

It writes the bytes of a real turn (snapshot, action and events), so that the comparison is about everything around them.
"""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bench.shared.local_services import autocommit_connection, libpq_url
from bench.shared.result_rows import MissingRequirement

GAME_COUNT = 2_000
RUN_SECONDS = 3
_CREATE_TABLES = """
CREATE TABLE bare_game (id bigint PRIMARY KEY, seq bigint NOT NULL, state bytea NOT NULL, due timestamptz);
CREATE TABLE bare_turn (
    game_id bigint, seq bigint, action bytea NOT NULL, events bytea NOT NULL, at timestamptz NOT NULL,
    PRIMARY KEY (game_id, seq)
);
CREATE TABLE bare_notification (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    game_id bigint, seq bigint, kind text NOT NULL, account_id bigint, due_at timestamptz NOT NULL
);
"""
_TURN_SCRIPT = """
\\set game random(1, :games)
BEGIN;
UPDATE bare_game SET seq = seq + 1, state = :state, due = now() WHERE id = :game RETURNING seq \\gset
INSERT INTO bare_turn VALUES (:game, :seq, :action, :events, now());
INSERT INTO bare_notification (game_id, seq, kind, account_id, due_at) VALUES (:game, :seq, 'your-turn', 1, now());
END;
"""
_DEBIAN_FOLDER = "/usr/lib/postgresql"
_RATE_PATTERN = re.compile(r"tps = ([\d.]+)")
_LATENCY_PATTERN = re.compile(r"latency average = ([\d.]+) ms")


class PgbenchResult(NamedTuple):
    """The figures pgbench prints: transactions per second, and mean seconds of one."""

    per_second: float
    seconds: float


class Payload(NamedTuple):
    """The bytes of a real turn."""

    state: bytes
    action: bytes
    events: bytes


class Pgbench:
    """pgbench and its tables in a database."""

    def __init__(self, url: str, payload: Payload) -> None:
        self._program = find_pgbench()
        self._url, self._payload = url, payload
        with autocommit_connection(url) as connection:
            for statement in _CREATE_TABLES.split(";\n"):
                connection.execute(statement.encode())
            connection.execute(
                "INSERT INTO bare_game SELECT n, 0, %s FROM generate_series(1, %s) AS n",
                (payload.state, GAME_COUNT),
            )
            connection.execute("VACUUM ANALYZE bare_game")

    def run(self, client_count: int) -> PgbenchResult:
        """Run for some seconds with this number of connections."""
        return self._run_script(
            "-c", str(client_count), "-j", str(min(client_count, 2)), "-T", str(RUN_SECONDS)
        )

    def _run_script(self, *options: str) -> PgbenchResult:
        with tempfile.NamedTemporaryFile("w", suffix=".sql") as script:
            script.write(_TURN_SCRIPT)
            script.flush()
            arguments = [*options, "-n", "-M", "prepared", "-f", script.name, *self._variables()]
            output = _output_of([self._program, *arguments, libpq_url(self._url)])
        rate, latency = _RATE_PATTERN.search(output), _LATENCY_PATTERN.search(output)
        assert rate, output
        assert latency, output
        return PgbenchResult(float(rate[1]), float(latency[1]) / 1000)

    def _variables(self) -> list[str]:
        variables = {name: f"\\x{value.hex()}" for name, value in self._payload._asdict().items()}
        return [f"-D{name}={value}" for name, value in {**variables, "games": GAME_COUNT}.items()]


def find_pgbench() -> str:
    """Return the path of the newest pgbench. Raises MissingRequirement."""
    newest_programs = sorted(
        Path(_DEBIAN_FOLDER).glob("*/bin/pgbench"), key=lambda path: float(path.parts[-3])
    )
    program = shutil.which("pgbench") if not newest_programs else str(newest_programs[-1])
    if program is None:
        raise MissingRequirement("there is no pgbench")
    return program


def _output_of(arguments: Sequence[str]) -> str:
    result = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise RuntimeError(f"pgbench failed: {result.stderr[-2000:]}")
    return result.stdout
