"""dev.py in a small checkout with empty locks and a server that prints how it was called."""

import ast
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
PROJECT_FILE = """
[build-system]
requires = []
[project]
name = "sample"
"""
FAKE_SERVER = """
import json, os, sys
print(json.dumps([sys.argv[1:], os.getcwd(), os.environ["DATA_DIR"], sys.executable]), flush=True)
if sys.argv[1] == "serve-until-eof":
    sys.stdin.read()
"""
# Makes environments without pip, which takes a tenth of the time, and installs nothing but what a test asks for.
FAKE_UV = """#!/bin/sh
case "$1 $2" in
  "--version "*) ;;
  "venv "*) for folder; do :; done; exec "{python}" -I -m venv --without-pip "$folder";;
  "pip install") eval "$ON_INSTALL";;
esac
"""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "chéck out"
    (folder / "webapp").mkdir(parents=True)
    shutil.copy(ROOT / "dev.py", folder)
    (folder / "pyproject.toml").write_text(PROJECT_FILE, encoding="utf-8")
    (folder / "requirements.lock").write_text("# nothing\n", encoding="utf-8")
    (folder / "webapp" / "cli.py").write_text(FAKE_SERVER, encoding="utf-8")
    uv = tmp_path / "programs" / "uv"
    uv.parent.mkdir()
    uv.write_text(FAKE_UV.format(python=sys.executable), encoding="utf-8")
    uv.chmod(0o755)
    monkeypatch.setenv("PATH", str(uv.parent), prepend=os.pathsep)
    return folder


def change_lock(checkout: Path) -> None:
    with (checkout / "requirements.lock").open("a", encoding="utf-8") as lock:
        lock.write("# and nothing else\n")


def environments(checkout: Path) -> list[Path]:
    return [path for path in checkout.glob(".venv*") if not path.is_symlink()]


def run_dev_py(
    checkout: Path, *arguments: str, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    environ = {name: os.environ[name] for name in os.environ if name not in {"DATA_DIR", "CI"}}
    return subprocess.run(
        [sys.executable, str(checkout / "dev.py"), *arguments],
        cwd=cwd or checkout,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )


def import_dev_py(checkout: Path) -> ModuleType:
    module_spec = spec_from_file_location("dev_of_a_test", checkout / "dev.py")
    assert module_spec
    assert module_spec.loader
    module = module_from_spec(module_spec)
    module_spec.loader.exec_module(module)
    return module


def test_old_python_can_parse_dev_py() -> None:
    tree = ast.parse((ROOT / "dev.py").read_text(encoding="utf-8"), feature_version=(3, 6))
    first_imports = [node for node in tree.body if isinstance(node, ast.Import)][:1]
    assert [alias.name for node in first_imports for alias in node.names] == ["sys"]
    version_check_index = next(
        index for index, node in enumerate(tree.body) if isinstance(node, ast.If)
    )
    later_import_indexes = [
        index for index, node in enumerate(tree.body) if isinstance(node, ast.ImportFrom)
    ]
    assert version_check_index < min(later_import_indexes)


def test_serve_passes_its_arguments_and_a_second_call_installs_nothing(
    checkout: Path,
) -> None:
    first_run = run_dev_py(checkout, "serve", "--port", "1234", "--data", "here")
    assert first_run.returncode == 0, first_run.stderr
    command, cwd, data, python = json.loads(first_run.stdout)
    assert command == ["serve", "--port", "1234", "--data", "here"]
    assert Path(cwd) == checkout
    assert Path(data) == checkout / "lodepost-data"
    assert Path(python).is_relative_to((checkout / ".venv").resolve())
    modification_times = {path: path.stat().st_mtime_ns for path in checkout.rglob("*")}
    second_run = run_dev_py(checkout, "serve")
    assert (second_run.returncode, second_run.stderr) == (0, "")
    assert {path: path.stat().st_mtime_ns for path in checkout.rglob("*")} == modification_times


def test_lodepost_command_runs_in_the_current_folder_with_the_code_of_dev_py(
    checkout: Path, tmp_path: Path
) -> None:
    other_folder = tmp_path / "elsewhere"
    (other_folder / "webapp").mkdir(parents=True)
    (other_folder / "webapp" / "cli.py").write_text("raise SystemExit(3)", encoding="utf-8")
    completed_process = run_dev_py(checkout, "lodepost", "backup", "x.backup", cwd=other_folder)
    assert completed_process.returncode == 0, completed_process.stderr
    command, cwd, data, _ = json.loads(completed_process.stdout)
    assert command == ["backup", "x.backup"]
    assert Path(cwd) == other_folder
    assert Path(data) == checkout / "lodepost-data"


def start_server(checkout: Path) -> tuple[subprocess.Popen[str], Path]:
    """Start the fake server, and return it with the folder of its environment."""
    server = subprocess.Popen(
        [sys.executable, str(checkout / "dev.py"), "lodepost", "serve-until-eof"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout
    python = json.loads(server.stdout.readline())[3]
    return server, Path(python).parents[1]


def test_changed_lock_leaves_the_environment_of_a_running_server_alone(checkout: Path) -> None:
    server, folder = start_server(checkout)
    files = sorted(folder.rglob("*"))
    change_lock(checkout)
    assert "installing requirements.lock" in run_dev_py(checkout, "lodepost", "doctor").stderr
    assert run_dev_py(checkout, "lodepost", "doctor").stderr == ""
    assert sorted(folder.rglob("*")) == files
    assert (checkout / ".venv").resolve() != folder
    server.communicate()
    run_dev_py(checkout, "lodepost", "doctor")
    assert environments(checkout) == [(checkout / ".venv").resolve()]


def test_another_python_is_refused_while_a_server_runs(checkout: Path) -> None:
    server, folder = start_server(checkout)
    stamp_file = folder / "lodepost.json"
    stamp_file.write_text(stamp_file.read_text().replace('"3.', '"4.'), encoding="utf-8")
    refused_run = run_dev_py(checkout, "lodepost", "doctor")
    assert refused_run.returncode == 1
    assert refused_run.stderr.startswith("dev.py: a server or a test runs from .venv with Python 4")
    assert refused_run.stderr.count("\n") == 1
    assert environments(checkout) == [folder]
    server.communicate()
    assert run_dev_py(checkout, "lodepost", "doctor").returncode == 0
    assert environments(checkout) == [(checkout / ".venv").resolve()] != [folder]


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="needs /proc")
def test_folder_that_dev_py_did_not_make_is_replaced_unless_a_server_runs_from_it(
    checkout: Path,
) -> None:
    python = checkout / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    server = subprocess.Popen(
        [python, "-c", "input()", "-m", "webapp.cli", "web"], stdin=subprocess.PIPE
    )
    refused_run = run_dev_py(checkout, "lodepost", "doctor")
    assert "a server runs from .venv, which dev.py did not make" in refused_run.stderr
    assert python.exists()
    server.communicate(b"\n")
    assert run_dev_py(checkout, "lodepost", "doctor").returncode == 0
    assert environments(checkout) == [(checkout / ".venv").resolve()]


def test_damaged_environment_is_replaced(checkout: Path) -> None:
    run_dev_py(checkout, "serve")
    (checkout / ".venv" / "lodepost.json").write_text('{"python": ', encoding="utf-8")
    assert run_dev_py(checkout, "serve").returncode == 0
    (checkout / ".venv" / "bin" / "python").unlink()
    assert run_dev_py(checkout, "serve").returncode == 0
    assert environments(checkout) == [(checkout / ".venv").resolve()]


@pytest.fixture
def hanging_setup(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[subprocess.Popen[str]]:
    """A set-up whose pip has begun and does not end before it can open the pipe ``end``."""
    os.mkfifo(checkout / "begun")
    os.mkfifo(checkout / "end")
    # A shell that starts pytest in the background lets it ignore Ctrl-C, and so its children.
    previous_handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    with monkeypatch.context() as patch:
        patch.setenv("ON_INSTALL", "echo >begun; read line <end; touch late")
        process = subprocess.Popen(
            [sys.executable, str(checkout / "dev.py"), "serve"],
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
    (checkout / "begun").read_text(encoding="utf-8")
    yield process
    signal.signal(signal.SIGINT, previous_handler)


def test_set_up_is_repeated_while_the_pip_of_a_killed_one_continues(
    checkout: Path, hanging_setup: subprocess.Popen[str]
) -> None:
    hanging_setup.kill()
    hanging_setup.wait()
    (abandoned_folder,) = environments(checkout)
    repeated_run = run_dev_py(checkout, "serve")
    assert repeated_run.returncode == 0
    assert repeated_run.stderr.count("\n") == 1
    assert abandoned_folder in environments(checkout)
    (checkout / "end").write_text("\n", encoding="utf-8")
    # Its output is closed when the pip has ended too.
    hanging_setup.communicate()
    run_dev_py(checkout, "serve")
    assert environments(checkout) == [(checkout / ".venv").resolve()]


def test_ctrl_c_during_set_up_is_one_line_and_leaves_nothing(
    checkout: Path, hanging_setup: subprocess.Popen[str]
) -> None:
    os.killpg(hanging_setup.pid, signal.SIGINT)
    _, messages = hanging_setup.communicate()
    assert messages.splitlines()[1:] == ["dev.py: interrupted"]
    assert hanging_setup.returncode == 130
    assert environments(checkout) == []


def test_simultaneous_setups_wait_for_each_other(checkout: Path) -> None:
    command = [sys.executable, str(checkout / "dev.py"), "serve"]
    setup_processes = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    outputs = [process.communicate() for process in setup_processes]
    assert [process.returncode for process in setup_processes] == [0, 0]
    assert sum("installing requirements.lock" in errors for _, errors in outputs) == 1


def test_failed_set_up_names_its_cause_and_keeps_the_old_environment(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_dev_py(checkout, "serve")
    old_environments = environments(checkout)
    change_lock(checkout)
    monkeypatch.setenv("ON_INSTALL", "echo error: No space left on device; exit 2")
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    dev_py = import_dev_py(checkout)
    with pytest.raises(SystemExit, match="apt-get install python3-venv"):
        dev_py.set_up(dev_py.SERVING_LOCKS)
    assert (checkout / ".venv").resolve() == old_environments[0]
    assert environments(checkout) == old_environments


@pytest.mark.parametrize(
    "output, sentence",
    [
        (
            "WARNING: Retrying after connection broken by 'NewConnectionError(...)'\nERROR: none for click\n",
            "the package index cannot be reached (ERROR: none for click)",
        ),
        (
            "error: Failed to fetch: `click`\n  Caused by: dns error\n",
            "the package index cannot be reached (error: Failed to fetch: `click`)",
        ),
        (
            "Traceback (most recent call last):\nOSError: [Errno 28] No space left on device\n",
            "the disk is full (OSError: [Errno 28] No space left on device)",
        ),
        (
            "Error: [Errno 13] Permission denied: '/srv'\n",
            "a file may not be written (Error: [Errno 13] Permission denied: '/srv')",
        ),
    ],
)
def test_usual_causes_are_one_line(
    output: str, sentence: str, checkout: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert import_dev_py(checkout).cause_in(output, "it ended with status 1") == sentence
    assert capfd.readouterr() == ("", "")


def build_wheel(folder: Path, name: str, version: str, *metadata: str) -> str:
    """Build a wheel with one module that says its version, and return its line in a lock."""
    info = f"{name}-{version}.dist-info"
    contents = {
        f"{name}.py": f"VERSION = {version!r}\n",
        f"{info}/METADATA": "\n".join(
            ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", *metadata, ""]
        ),
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": "",
    }
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in contents.items():
            archive.writestr(path, text)
    return f"{name}=={version} --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"


def test_lock_is_installed_with_the_bundled_pip_although_the_index_has_a_newer_extra(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = tmp_path / "index"
    index.mkdir()
    locked = build_wheel(index, "report", "1.0", "Provides-Extra: toml")
    build_wheel(index, "report", "2.0", "Provides-Extra: toml")
    locked += build_wheel(index, "plugin", "1.0", "Requires-Dist: report[toml]>=1")
    (checkout / "requirements.lock").write_text(locked, encoding="utf-8")
    monkeypatch.setenv("PATH", str(checkout))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_FIND_LINKS", index.as_uri())
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    dev_py = import_dev_py(checkout)
    assert dev_py.set_up(dev_py.SERVING_LOCKS) == 0
    python = checkout / ".venv" / "bin" / "python"
    command = [python, "-c", "import plugin, report; print(report.VERSION)"]
    assert subprocess.check_output(command, text=True) == "1.0\n"
    # Also newer pips would take what is missing in a lock from the index, or refuse the lock, without --no-deps.
    incomplete = build_wheel(index, "broken", "1.0", "Requires-Dist: absent")
    (checkout / "requirements.lock").write_text(incomplete, encoding="utf-8")
    with pytest.raises(dev_py.SetupError, match=r"not complete: broken 1\.0 requires absent"):
        dev_py.install(["requirements.lock"], 2, [python, "-I", "-m", "pip"], [])


@pytest.mark.parametrize("arguments", [[], ["help"], ["--help"]])
def test_usage_lists_every_command(arguments: list[str]) -> None:
    completed_process = run_dev_py(ROOT, *arguments)
    assert completed_process.returncode == 0
    for command in (
        "serve",
        "lodepost",
        "test",
        "check",
        "bench",
        "chaos",
        "year",
        "setup",
        "lock",
    ):
        assert re.search(rf"^  {command}\b", completed_process.stdout, re.MULTILINE)


def test_unknown_command_family_and_argument_are_reported() -> None:
    assert "there is no command 'dig'" in run_dev_py(ROOT, "dig").stderr
    # Not through dev.py, which would install the benchmark libraries in the environment of this test.
    command = [sys.executable, "-P", "-m", "bench", "marble"]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    completed_process = subprocess.run(
        command, env=environ, capture_output=True, text=True, check=False
    )
    assert "no family marble; there are " in completed_process.stderr
    assert "unexpected arguments: gold" in run_dev_py(ROOT, "check", "gold").stderr


FAKE_PYTEST = """
import os, pathlib, sys
called = [os.environ["LODEPOST_TEST_POSTGRES"], *sys.argv[1:]]
pathlib.Path("called").write_text(" ".join(called), encoding="utf-8")
sys.exit(1 if "LODEPOST_TEST_DATABASE_URL" in os.environ else 0)
"""


def test_second_pass_runs_the_listed_tests_on_the_system_postgres(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (checkout / "pytest.py").write_text(FAKE_PYTEST, encoding="utf-8")
    # The function changes these variables; monkeypatch restores them.
    monkeypatch.setenv("LODEPOST_TEST_POSTGRES", "embedded")
    monkeypatch.setenv("LODEPOST_TEST_DATABASE_URL", "postgresql://127.0.0.1:1/none")
    dev_py = import_dev_py(checkout)
    dev_py.PYTHON = Path(sys.executable)
    assert dev_py.run_on_system_postgres() == []
    recorded_arguments = (checkout / "called").read_text(encoding="utf-8").split()
    assert recorded_arguments[0] == "system"
    listed = "tests/support/system_postgres.txt"
    assert f"@{listed}" in recorded_arguments
    paths = (ROOT / listed).read_text(encoding="utf-8").split()
    assert paths
    assert all((ROOT / path).exists() for path in paths)


def test_quick_tests_select_and_ignore_existing_paths() -> None:
    listed = (ROOT / "tests" / "support" / "quick_tests.txt").read_text(encoding="utf-8").split()
    paths = [line.removeprefix("--ignore=") for line in listed]
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_failure_on_the_system_postgres_fails_the_run(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (checkout / "pytest.py").write_text("raise SystemExit(1)", encoding="utf-8")
    monkeypatch.setenv("LODEPOST_TEST_POSTGRES", "embedded")
    dev_py = import_dev_py(checkout)
    dev_py.PYTHON = Path(sys.executable)
    assert dev_py.run_on_system_postgres() == ["pytest --quiet @tests/support/system_postgres.txt"]


def test_chaos_receives_its_arguments_and_sets_the_exit_status() -> None:
    failed_run = run_dev_py(ROOT, "chaos", "--seconds", "soon")
    assert failed_run.returncode == 2
    assert "--seed" in failed_run.stderr
    assert "'soon'" in failed_run.stderr


@pytest.mark.parametrize("count", ["0", "many"])
def test_year_receives_its_arguments_and_sets_the_exit_status(count: str) -> None:
    failed_run = run_dev_py(ROOT, "year", "--games", count)
    assert failed_run.returncode == 2
    assert "--seed" in failed_run.stderr
    assert f"expected a number from 1 up, not '{count}'" in failed_run.stderr


def test_bench_runs_families_or_the_report_on_roles(checkout: Path) -> None:
    dev_py = import_dev_py(checkout)
    called: list[object] = []
    dev_py.set_up = called.append
    dev_py.run_module = lambda name, arguments: called.append((name, arguments))
    dev_py.bench(["roles", "--players", "3"])
    dev_py.bench(["engine", "--json"])
    assert called == [
        dev_py.BENCH_LOCKS,
        ("bench.roles", ["--players", "3"]),
        dev_py.BENCH_LOCKS,
        ("bench", ["engine", "--json"]),
    ]
