"""dev.py in a small checkout with empty locks and a server that prints how it was called."""

import ast
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from tests.support.sampled_tests import OPTION

ROOT = Path(__file__).parents[2]
PROJECT_FILE = """
[build-system]
requires = []
[project]
name = "sample"
"""
FAKE_SERVER = """
import json, os, sys
print(json.dumps([sys.argv[1:], os.getcwd(), os.environ["DATA_DIR"], sys.executable]))
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "check out"
    (folder / "webapp").mkdir(parents=True)
    shutil.copy(ROOT / "dev.py", folder)
    (folder / "pyproject.toml").write_text(PROJECT_FILE, encoding="utf-8")
    (folder / "requirements.lock").write_text("# nothing\n", encoding="utf-8")
    (folder / "webapp" / "cli.py").write_text(FAKE_SERVER, encoding="utf-8")
    return folder


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
    command, cwd, data, python_version = json.loads(first_run.stdout)
    assert command == ["serve", "--port", "1234", "--data", "here"]
    assert Path(cwd) == checkout
    assert Path(data) == checkout / "lodepost-data"
    assert Path(python_version).is_relative_to(checkout / ".venv")
    modification_times = {path: path.stat().st_mtime_ns for path in (checkout / ".venv").rglob("*")}
    second_run = run_dev_py(checkout, "serve")
    assert (second_run.returncode, second_run.stderr) == (0, "")
    assert {
        path: path.stat().st_mtime_ns for path in (checkout / ".venv").rglob("*")
    } == modification_times


def test_lodepost_command_runs_in_the_current_folder(checkout: Path, tmp_path: Path) -> None:
    completed_process = run_dev_py(checkout, "lodepost", "backup", "here.backup", cwd=tmp_path)
    assert completed_process.returncode == 0, completed_process.stderr
    command, cwd, data, _ = json.loads(completed_process.stdout)
    assert command == ["backup", "here.backup"]
    assert Path(cwd) == tmp_path
    assert Path(data) == checkout / "lodepost-data"


def test_dev_py_works_from_any_folder(checkout: Path, tmp_path: Path) -> None:
    other_folder = tmp_path / "elsewhere"
    (other_folder / "webapp").mkdir(parents=True)
    (other_folder / "webapp" / "cli.py").write_text("raise SystemExit(3)", encoding="utf-8")
    completed_process = run_dev_py(checkout, "serve", "--data", "here", cwd=other_folder)
    _, cwd, data, _ = json.loads(completed_process.stdout)
    assert Path(cwd) == other_folder
    assert Path(data) == checkout / "lodepost-data"


def test_changed_lock_is_installed_again(checkout: Path) -> None:
    run_dev_py(checkout, "serve")
    (checkout / "requirements.lock").write_text("# nothing else\n", encoding="utf-8")
    assert "installing requirements.lock" in run_dev_py(checkout, "serve").stderr
    assert run_dev_py(checkout, "serve").stderr == ""


def test_aborted_setup_is_repeated(checkout: Path) -> None:
    run_dev_py(checkout, "serve")
    (checkout / ".venv" / "lodepost.json").write_text('{"python": ', encoding="utf-8")
    rubbish_file = checkout / ".venv" / "rubbish"
    rubbish_file.touch()
    completed_process = run_dev_py(checkout, "serve")
    assert completed_process.returncode == 0
    assert not rubbish_file.exists()


def test_killed_setup_does_not_block_the_next(checkout: Path) -> None:
    command = [sys.executable, str(checkout / "dev.py"), "serve"]
    killed_process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert killed_process.stderr
    killed_process.stderr.readline()
    killed_process.send_signal(signal.SIGKILL)
    killed_process.communicate()
    assert run_dev_py(checkout, "serve").returncode == 0


def test_simultaneous_setups_wait_for_each_other(checkout: Path) -> None:
    command = [sys.executable, str(checkout / "dev.py"), "serve"]
    setup_processes = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    outputs = [process.communicate(timeout=60) for process in setup_processes]
    assert [process.returncode for process in setup_processes] == [0, 0]
    assert sum("creating .venv" in errors for _, errors in outputs) == 1


def test_missing_venv_module_is_reported(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    with pytest.raises(SystemExit, match="apt-get install python3-venv"):
        import_dev_py(checkout).make_venv_without_uv()


def test_setup_works_without_uv(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(checkout))
    completed_process = run_dev_py(checkout, "serve")
    assert completed_process.returncode == 0, completed_process.stderr
    assert (checkout / ".venv" / "bin" / "pip").exists()


@pytest.mark.parametrize("arguments", [[], ["help"], ["--help"]])
def test_usage_lists_every_command(arguments: list[str]) -> None:
    completed_process = run_dev_py(ROOT, *arguments)
    assert completed_process.returncode == 0
    for command in ("serve", "lodepost", "test", "check", "bench", "chaos", "setup", "lock"):
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


@pytest.mark.parametrize("size", ["usual", "full"])
def test_second_pass_runs_the_listed_tests_on_the_system_postgres(
    size: str, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (checkout / "pytest.py").write_text(FAKE_PYTEST, encoding="utf-8")
    # The function changes these variables; monkeypatch restores them.
    monkeypatch.setenv("LODEPOST_TEST_POSTGRES", "embedded")
    monkeypatch.setenv("LODEPOST_TEST_SIZES", size)
    monkeypatch.setenv("LODEPOST_TEST_DATABASE_URL", "postgresql://127.0.0.1:1/none")
    dev_py = import_dev_py(checkout)
    dev_py.PYTHON = Path(sys.executable)
    assert dev_py.run_on_system_postgres() == []
    recorded_arguments = (checkout / "called").read_text(encoding="utf-8").split()
    assert recorded_arguments[0] == "system"
    listed = f"tests/support/system_postgres_{size}.txt"
    assert f"@{listed}" in recorded_arguments
    paths = (ROOT / listed).read_text(encoding="utf-8").split()
    assert paths
    assert all((ROOT / path).exists() for path in paths)


def test_quick_tests_select_and_ignore_existing_paths() -> None:
    listed = (ROOT / "tests" / "support" / "quick_tests.txt").read_text(encoding="utf-8").split()
    paths = [line.removeprefix("--ignore=") for line in listed if OPTION not in line]
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_failure_on_the_system_postgres_fails_the_run(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (checkout / "pytest.py").write_text("raise SystemExit(1)", encoding="utf-8")
    monkeypatch.setenv("LODEPOST_TEST_POSTGRES", "embedded")
    monkeypatch.setenv("LODEPOST_TEST_SIZES", "usual")
    dev_py = import_dev_py(checkout)
    dev_py.PYTHON = Path(sys.executable)
    assert dev_py.run_on_system_postgres() == [
        "pytest --quiet @tests/support/system_postgres_usual.txt"
    ]


def test_chaos_receives_its_arguments_and_sets_the_exit_status() -> None:
    help_output = run_dev_py(ROOT, "chaos", "--help")
    assert help_output.returncode == 0
    assert "--seed" in help_output.stdout
    failed_run = run_dev_py(ROOT, "chaos", "--seconds", "soon")
    assert failed_run.returncode == 2
    assert "'soon'" in failed_run.stderr
