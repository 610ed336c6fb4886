"""The real processes, started as an operator starts them."""

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from tests.support.ports import free_port

ROOT = Path(__file__).parents[2]
STOP_SECONDS = 240
"""After that long a process will not answer or end, however slow the machine is."""
UNREACHABLE_REDIS_URL = "redis://127.0.0.1:1/0"
WARM_START_BUDGET = {"own modules": 555, "installed modules": 730, "compiled statements": 5}
"""A tenth more modules than a warm start loaded (506, 662), and few statements: each is compiled at its first use.

A warm start spends its time on importing modules; `dev.py bench serve` measures the seconds.
"""
WARM_START_SCRIPT = """
import gc, json, os, sys
from webapp import process_commands
from webapp.commands.required_settings import settings_requiring
from webapp.serving.process import serve
from webapp.kernel.statements import Statement

def report_loaded_code(settings, celery):
    # Before any thread starts, so that the counts are always the same.
    app = process_commands._create_app(settings, celery)
    answer = app.test_client().get("/", headers={"Accept-Encoding": "gzip"})
    assert (answer.status_code, answer.headers["Content-Encoding"]) == (200, "gzip")
    names = set(sys.modules)
    own_names = {name for name in names if name.partition(".")[0] in {"engine", "tasks", "webapp"}}
    installed_names = {name for name in names - own_names if name.partition(".")[0] not in sys.stdlib_module_names}
    print(json.dumps({
        "own modules": len(own_names),
        "installed modules": len(installed_names),
        "compiled statements": sum(type(thing) is Statement and "compiled" in vars(thing) for thing in gc.get_objects()),
        "packages": sorted({name.partition(".")[0] for name in installed_names}),
    }))
    sys.exit()

serve(settings_requiring(os.environ), create_app=report_loaded_code, celery_for=process_commands._celery_for)
"""


def clean_environ() -> dict[str, str]:
    return {
        name: value for name, value in os.environ.items() if not name.endswith(("_URL", "_KEY"))
    }


def launch_lodepost(*arguments: str, **environ: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "webapp.cli", *arguments],
        cwd=ROOT,
        env={**clean_environ(), **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@contextmanager
def running_lodepost(*arguments: str, **environ: str) -> Iterator[subprocess.Popen[str]]:
    process = launch_lodepost(*arguments, **environ)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=STOP_SECONDS)


@contextmanager
def web_server(*arguments: str, **environ: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    with running_lodepost(*arguments, f"--port={free_port()}", **environ) as process:
        assert process.stdout
        startup_match = re.match(
            r"Lodepost is at (http://127\.0\.0\.1:\d+)/", process.stdout.readline()
        )
        if not startup_match:
            pytest.fail(process.communicate()[1])
        yield process, startup_match[1]


def fetch_page(address: str) -> tuple[int, str]:
    with urllib.request.urlopen(address, timeout=STOP_SECONDS) as answer:
        return answer.status, answer.read().decode()


def test_serve_works_again_after_all_its_processes_were_killed(tmp_path: Path) -> None:
    with web_server("serve", f"--data={tmp_path}") as (process, address):
        assert fetch_page(address)[0] == 200
        for killed_process in (process, *psutil.Process(process.pid).children(recursive=True)):
            # The children of a process that was killed may have ended by themselves.
            with suppress(psutil.NoSuchProcess):
                killed_process.kill()
        process.wait()
    with web_server("serve", f"--data={tmp_path}") as (process, address):
        status, text = fetch_page(address)
        assert (status, "<!DOCTYPE html>" in text) == (200, True)
        process.send_signal(signal.SIGINT)
        assert process.wait(STOP_SECONDS) == 0


def test_warm_start_loads_no_more_code_than_its_budget(tmp_path: Path) -> None:
    with web_server("serve", f"--data={tmp_path}"):
        pass
    finished_process = subprocess.run(
        [sys.executable, "-c", WARM_START_SCRIPT],
        cwd=ROOT,
        env=clean_environ()
        | {
            "COVERAGE_PROCESS_CONFIG": "",
            "DATA_DIR": str(tmp_path),
            "LISTEN": f"127.0.0.1:{free_port()}",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    loaded_code = json.loads(finished_process.stdout)
    assert "alembic" not in loaded_code["packages"]
    counts_over_budget = {
        name: loaded_code[name]
        for name, budget in WARM_START_BUDGET.items()
        if loaded_code[name] > budget
    }
    assert counts_over_budget == {}


def test_web_process_answers_without_redis(database_url: str) -> None:
    environ = {
        "DATABASE_URL": database_url,
        "SECRET_KEY": "k" * 32,
        "REDIS_URL": UNREACHABLE_REDIS_URL,
    }
    with web_server("web", **environ) as (process, address):
        assert fetch_page(address)[0] == 200
        process.terminate()
        assert process.wait(STOP_SECONDS) == 0


@pytest.mark.parametrize("name", ["worker", "beat"])
def test_process_waiting_for_redis_stops_on_sigterm(name: str, database_url: str) -> None:
    environ = {
        "DATABASE_URL": database_url,
        "SECRET_KEY": "k" * 32,
        "REDIS_URL": UNREACHABLE_REDIS_URL,
    }
    with running_lodepost(name, **environ) as process:
        assert process.stderr
        for line in process.stderr:
            if UNREACHABLE_REDIS_URL in line or "127.0.0.1:1" in line:
                break
        process.terminate()
        process.communicate(timeout=STOP_SECONDS)
        assert process.returncode is not None


def test_worker_logs_json_without_passwords(database_url: str) -> None:
    redis_url = "redis://:hush-hush@127.0.0.1:1/0"
    environ = {"DATABASE_URL": database_url, "SECRET_KEY": "k" * 32, "REDIS_URL": redis_url}
    with running_lodepost("worker", **environ) as process:
        assert process.stderr
        line = next(line for line in process.stderr if "127.0.0.1:1" in line)
        process.terminate()
        remaining_output = process.communicate(timeout=STOP_SECONDS)
    assert json.loads(line)["level"] == "error"
    assert "hush-hush" not in line + "".join(remaining_output)
