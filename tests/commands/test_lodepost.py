"""The real server, started as an operator starts it."""

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests.serving.test_serving import free_port

ROOT = Path(__file__).parents[2]
NOWHERE = "redis://127.0.0.1:1/0"


def launch(*words: str, **environ: str) -> subprocess.Popen[str]:
    plain = {name: os.environ[name] for name in os.environ if not name.endswith(("_URL", "_KEY"))}
    return subprocess.Popen(
        [sys.executable, "-m", "webapp.cli", *words],
        cwd=ROOT,
        env={**plain, **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@contextmanager
def running(*words: str, **environ: str) -> Iterator[subprocess.Popen[str]]:
    process = launch(*words, **environ)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=60)


@contextmanager
def pages(*words: str, **environ: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    with running(*words, f"--port={free_port()}", **environ) as process:
        assert process.stdout
        told = re.match(r"Lodepost is at (http://127\.0\.0\.1:\d+)/", process.stdout.readline())
        if not told:
            pytest.fail(process.communicate()[1])
        yield process, told[1]


def page(address: str) -> tuple[int, str]:
    with urllib.request.urlopen(address, timeout=10) as answer:
        return answer.status, answer.read().decode()


def test_serve_answers_and_comes_back_after_everything_was_killed(tmp_path: Path) -> None:
    with pages("serve", f"--data={tmp_path}") as (process, address):
        assert page(address)[0] == 200
        for victim in (process, *psutil.Process(process.pid).children(recursive=True)):
            victim.kill()
        process.wait()
    with pages("serve", f"--data={tmp_path}") as (process, address):
        status, text = page(address)
        assert (status, "<!DOCTYPE html>" in text) == (200, True)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0


def test_a_warm_start_is_three_seconds_of_work_at_most(tmp_path: Path) -> None:
    with pages("serve", f"--data={tmp_path}"):
        pass
    # The meter of a coverage run would be measured too.
    with pages("serve", f"--data={tmp_path}", COVERAGE_PROCESS_CONFIG="") as (process, address):
        page(address)
        spent = psutil.Process(process.pid).cpu_times()
    # Not by the clock on the wall, for other tests share the machine: what a quiet one would wait.
    assert spent.user + spent.system < 3


def test_pages_are_answered_while_redis_is_away(database_url: str) -> None:
    named = {"DATABASE_URL": database_url, "SECRET_KEY": "k" * 32, "REDIS_URL": NOWHERE}
    with pages("web", **named) as (process, address):
        assert page(address)[0] == 200
        process.terminate()
        assert process.wait(30) == 0


@pytest.mark.parametrize("name", ["worker", "beat"])
def test_a_process_that_waits_for_redis_ends_when_it_is_told(name: str, database_url: str) -> None:
    named = {"DATABASE_URL": database_url, "SECRET_KEY": "k" * 32, "REDIS_URL": NOWHERE}
    with running(name, **named) as process:
        assert process.stderr
        for line in process.stderr:
            if NOWHERE in line or "127.0.0.1:1" in line:
                break
        process.terminate()
        process.communicate(timeout=30)
        assert process.returncode is not None


def test_what_several_processes_write_down_is_json_without_passwords(database_url: str) -> None:
    redis = "redis://:hush-hush@127.0.0.1:1/0"
    named = {"DATABASE_URL": database_url, "SECRET_KEY": "k" * 32, "REDIS_URL": redis}
    with running("worker", **named) as process:
        assert process.stderr
        line = next(line for line in process.stderr if "127.0.0.1:1" in line)
        process.terminate()
        rest = process.communicate(timeout=30)
    assert json.loads(line)["level"] == "error"
    assert "hush-hush" not in line + "".join(rest)
