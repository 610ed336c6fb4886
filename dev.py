#!/usr/bin/env python3
"""Set up, serve, test and measure Lodepost with nothing but Python 3.11 or newer.

This file uses only syntax that an old Python can parse, so that one which is too old prints a message and not a traceback.
"""

import sys

OLDEST_PYTHON = (3, 11)
if sys.version_info < OLDEST_PYTHON:
    sys.exit(
        "Lodepost needs Python 3.11 or newer; this is Python %d.%d (%s).\n"
        "Try again with a newer one, for example: python3.13 dev.py"
        % (sys.version_info[:2] + (sys.executable,))
    )

import contextlib
import fcntl
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP_FILE = VENV / "lodepost.json"
SERVING_LOCKS = ("requirements.lock",)
TEST_LOCKS = ("requirements-dev.lock",)
BENCH_LOCKS = (*TEST_LOCKS, "requirements-bench.lock")

NO_VENV_MESSAGE = """This Python has no working `venv` module, which Lodepost needs for its libraries.
On Debian and Ubuntu:  apt-get install python3-venv
On Fedora:             dnf install python3-pip
Anywhere:              install uv, and dev.py will use it instead."""

USAGE = """usage: python3 dev.py COMMAND ...

  serve [--port N] [--data DIR]    run Lodepost and print its address
  lodepost COMMAND ...             run any other command of Lodepost: backup, doctor, verify ...
  test [--quick | --full]          check and test everything; --quick: rules, some of services and pages
  test PYTEST-ARGUMENTS            run the tests that pytest selects
  check                            run the linters, types, import contracts and source checks
  check --words [PATH ...]         check words and sizes only, of the whole tree or of some paths
  bench [FAMILY ...] [--json]      measure: every bench/*.py, or those named
  chaos [--seconds N] [--seed S]   break parts of the server while people play, and count losses
  setup                            install the libraries, which every other command does too
  lock                             update the requirements*.lock files (needs uv)"""

CHECK_COMMANDS = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("mypy",),
    ("lint-imports",),
    ("djlint", "templates", "--check", "--lint"),
    ("vulture",),
    ("python", "-m", "tests.whole_tree.source_rules"),
)
COVERAGE_GATES = (("--include=engine/*", "--fail-under=100"), ("--fail-under=95",))
LOCK_FILES_AND_OPTIONS = (
    ("requirements.lock",),
    ("requirements-dev.lock", "--extra", "dev", "--constraint", "requirements.lock"),
    ("requirements-bench.lock", "--extra", "bench", "--constraint", "requirements.lock"),
)
# Tests that `check` runs too, because they check the migrations and the message catalogue.
CHECKING_TESTS = ("tests/whole_tree/test_migrations.py", "tests/wording/test_translations.py")


def main():
    commands = {
        "serve": lambda arguments: lodepost(["serve", *arguments]),
        "lodepost": lodepost,
        "test": test,
        "check": check,
        "bench": lambda arguments: set_up(BENCH_LOCKS) or run_module("bench", arguments),
        "chaos": lambda arguments: set_up(TEST_LOCKS) or run_module("tests.chaos", arguments),
        "setup": lambda _: set_up(TEST_LOCKS),
        "lock": lock,
    }
    name, arguments = (sys.argv[1], sys.argv[2:]) if len(sys.argv) > 1 else ("--help", [])
    if name in {"-h", "--help", "help"}:
        print(USAGE)
        return 0
    if name not in commands:
        print("dev.py: there is no command " + repr(name) + "\n" + USAGE, file=sys.stderr)
        return 2
    return commands[name](arguments)


def lodepost(arguments):
    """Replace this process by that command, which then receives signals and sets the exit status."""
    set_up(SERVING_LOCKS)
    os.environ["PYTHONPATH"] = str(ROOT)
    os.environ.setdefault("DATA_DIR", str(ROOT / "lodepost-data"))
    # -P: nothing in the current folder may be imported as part of Lodepost.
    os.execv(str(PYTHON), [str(PYTHON), "-P", "-m", "webapp.cli", *arguments])


def test(arguments):
    """Run everything with its coverage gates, or only the tests that pytest's arguments select."""
    test_sizes = {"--quick": "quick", "--full": "full"}
    size = next((test_sizes[argument] for argument in arguments if argument in test_sizes), "usual")
    os.environ["LODEPOST_TEST_SIZES"] = size
    os.environ.setdefault("PYTEST_TIMEOUT", "3600" if size == "full" else "300")
    pytest_arguments = [argument for argument in arguments if argument not in test_sizes]
    set_up(TEST_LOCKS)
    if pytest_arguments:
        return run_command(PYTHON, "-m", "pytest", *pytest_arguments)
    if size == "quick":
        return report(run_suite("--quiet", "@tests/support/quick_tests.txt"))
    # Prints which programs are missing; as root, installs them.
    run_command(PYTHON, "-m", "tests.support.programs")
    run_tests = run_suite if size == "full" else run_suite_with_gates
    run_second_pass = run_on_system_postgres if size == "full" or os.environ.get("CI") else list
    return report([*run_checks(), *run_tests(), *run_second_pass()])


def check(arguments):
    if arguments[:1] == ["--words"]:
        return set_up(TEST_LOCKS) or run_module("tests.whole_tree.source_rules", arguments[1:])
    if arguments:
        sys.exit("dev.py: unexpected arguments: " + " ".join(arguments) + "\n" + USAGE)
    set_up(TEST_LOCKS)
    tests_status = run_command(PYTHON, "-m", "pytest", "--quiet", *CHECKING_TESTS)
    return report([*run_checks(), *(CHECKING_TESTS if tests_status else ())])


def run_module(name, arguments):
    os.environ["PYTHONPATH"] = str(ROOT)
    # -P: a script beside engine.py must not be imported instead of the package.
    return run_command(PYTHON, "-P", "-m", name, *arguments)


def lock(arguments):
    if arguments or not working_uv():
        sys.exit("dev.py lock takes no arguments and needs uv")
    for name, *options in LOCK_FILES_AND_OPTIONS:
        # The files contain only names and hashes, never an index or the address of a wheel.
        status = run_command(
            *(working_uv(), "pip", "compile", "--quiet", "--no-config", "--universal", "--upgrade"),
            *("--python-version", "3.11", "--generate-hashes", "--no-annotate"),
            *("--no-emit-index-url", "--no-emit-find-links"),
            *("--custom-compile-command", "python3 dev.py lock"),
            *("pyproject.toml", *options, "--output-file", name),
        )
        if status != 0:
            sys.exit("dev.py lock: " + name + " could not be written, see above")
    return 0


def run_checks():
    failed_names = []
    for tool, *options in CHECK_COMMANDS:
        name = " ".join([tool, *options])
        print_message(name)
        if run_command(VENV / "bin" / tool, *options) != 0:
            failed_names.append(name)
    return failed_names


def run_suite(*options):
    name = " ".join(["pytest", *options])
    print_message(name)
    # Some tests are long: a process that has finished its share takes tests from the other.
    parallel_options = ("-n", "2", "--dist", "worksteal", "--durations=20")
    return [name] if run_command(PYTHON, "-m", "pytest", *parallel_options, *options) != 0 else []


def run_suite_with_gates():
    """Run the suite and, if it passes, the coverage gates; `--full` leaves them out to save time."""
    failed_names = run_suite("--cov", "--cov-report=")
    coverage_command = (PYTHON, "-m", "coverage", "report")
    gates = () if failed_names else COVERAGE_GATES
    failed_gates = [gate for gate in gates if run_command(*coverage_command, *gate) != 0]
    return failed_names + ["coverage " + " ".join(gate) for gate in failed_gates]


def run_on_system_postgres():
    """Run the tests that depend on the database again, with the Postgres that is installed on this machine."""
    os.environ["LODEPOST_TEST_POSTGRES"] = "system"
    os.environ.pop("LODEPOST_TEST_DATABASE_URL", None)
    size = os.environ["LODEPOST_TEST_SIZES"]
    return run_suite("--quiet", "@tests/support/system_postgres_" + size + ".txt")


def report(failed_names):
    for name in failed_names:
        print_message("FAILED: " + name)
    return 1 if failed_names else 0


def set_up(locks):
    """Bring .venv up to date with the locks; takes milliseconds if it is."""
    with setup_lock():
        stamp = read_stamp()
        if stamp.get("python") != python_identity() or not PYTHON.exists():
            stamp = make_venv()
        for name in locks:
            if stamp["locks"].get(name) != digest_of(name):
                install(name)
                write_stamp(stamp, name)
    return 0


@contextlib.contextmanager
def setup_lock():
    """Hold a lock on this file, which the system releases even if the process is killed."""
    with Path(__file__).open() as locked_file:
        try:
            fcntl.flock(locked_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print_message("waiting for another dev.py that is setting up")
            fcntl.flock(locked_file, fcntl.LOCK_EX)
        yield


def read_stamp():
    try:
        stamp = json.loads(STAMP_FILE.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) and isinstance(stamp.get("locks"), dict) else {}


def write_stamp(stamp, lock):
    stamp["locks"][lock] = digest_of(lock)
    if lock == "requirements-dev.lock":
        # It contains the smaller lock at the same versions.
        stamp["locks"]["requirements.lock"] = digest_of("requirements.lock")
    draft_file = STAMP_FILE.with_suffix(".draft")
    draft_file.write_text(json.dumps(stamp), encoding="utf-8")
    draft_file.replace(STAMP_FILE)


def python_identity():
    return "%s %s" % (sys.version, os.path.realpath(sys.executable))


def digest_of(lock):
    """Return a digest of everything that an installation depends on: the lock and the project's metadata."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    metadata = json.dumps([settings["project"], settings["build-system"]], sort_keys=True)
    return hashlib.sha256((ROOT / lock).read_bytes() + metadata.encode()).hexdigest()


def make_venv():
    print_message("creating .venv")
    options = ("venv", "--quiet", "--clear", "--no-python-downloads", "--python", sys.executable)
    if not working_uv() or run_command(working_uv(), *options, VENV) != 0:
        make_venv_without_uv()
    return {"python": python_identity(), "locks": {}}


def make_venv_without_uv():
    has_venv = importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip")
    if not has_venv or run_command(sys.executable, "-m", "venv", "--clear", VENV) != 0:
        sys.exit(NO_VENV_MESSAGE)


def install(lock):
    print_message("installing " + lock)
    if working_uv() and install_with([working_uv(), "pip", "install", "--python", PYTHON], lock):
        return
    if not (VENV / "bin" / "pip").exists():
        make_venv_without_uv()
    if not install_with([PYTHON, "-m", "pip", "install"], lock):
        sys.exit("dev.py: " + lock + " could not be installed, see above")


def install_with(pip_command, lock):
    # The locks are complete. Without --no-deps, pips older than 23.3 install the newest release of a library that
    # another asks for with an extra, and not the one in the lock.
    lock_options = ("--quiet", "--no-deps", "--require-hashes", "--requirement", lock)
    succeeded = run_command(*pip_command, *lock_options) == 0
    if succeeded and lock == "requirements-dev.lock":
        project_options = ("--quiet", "--no-deps", "--no-build-isolation", "--editable", ".")
        succeeded = run_command(*pip_command, *project_options) == 0
    return succeeded


def working_uv():
    """Return the uv command if it works (it may be a placeholder), otherwise None."""
    uv_path = shutil.which("uv")
    return uv_path if uv_path and run_command(uv_path, "--version", quiet=True) == 0 else None


def run_command(*command, quiet=False):
    """Run a command in the checkout without standard input, and return its status."""
    output = subprocess.DEVNULL if quiet else None
    word_list = [str(word) for word in command]
    return subprocess.call(word_list, cwd=str(ROOT), stdin=subprocess.DEVNULL, stdout=output)


def print_message(message):
    print("dev.py: " + message, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
