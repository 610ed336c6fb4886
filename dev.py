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
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent
# A link to one of the folders .venv.py3.11-...: each is built once, and never changes after that.
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP_NAME = "lodepost.json"
PYTHON_VERSION = "%d.%d" % sys.version_info[:2]
SERVING_LOCKS = ("requirements.lock",)
TEST_LOCKS = ("requirements-dev.lock",)
BENCH_LOCKS = (*TEST_LOCKS, "requirements-bench.lock")

NO_VENV_MESSAGE = """This Python has no working `venv` module, which Lodepost needs for its libraries.
On Debian and Ubuntu:  apt-get install python3-venv
On Fedora:             dnf install python3-pip
Anywhere:              install uv, and dev.py will use it instead."""

# What pip, uv and Python print, and what it means.
CAUSES = (
    ("no space left", "the disk is full"),
    ("quota exceeded", "the disk quota is used up"),
    ("read-only file system", "the disk is read-only"),
    ("permission denied", "a file may not be written"),
    ("connection broken", "the package index cannot be reached"),
    ("connectionpool", "the package index cannot be reached"),
    ("error sending request", "the package index cannot be reached"),
    ("failed to fetch", "the package index cannot be reached"),
)

USAGE = """usage: python3 dev.py COMMAND ...

  serve [--port N] [--data DIR]    run Lodepost and print its address
  lodepost COMMAND ...             run any other command of Lodepost: backup, doctor, verify ...
  test [--quick | --full]          check and test everything; CONTRIBUTING.md says what runs where
  test PYTEST-ARGUMENTS            run the tests that pytest selects
  check                            run the linters, types, import contracts and source checks
  check --words [PATH ...]         check words and sizes only, of the whole tree or of some paths
  bench [FAMILY ...] [--json]      measure: every bench/*.py, or those named
  bench roles [--evidence] ...     measure how well bots win, and how well they hide their roles
  chaos [--seconds N] [--seed S]   break parts of the server while people play, and count losses
  year [--games N] [--seed S]      let simulated people play for a year, and check what the clock did
  setup                            install the libraries, which every other command does too
  lock                             update the requirements*.lock files (needs uv)"""

CHECK_COMMANDS = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("mypy",),
    ("lint-imports",),
    ("djlint", "templates", "--check", "--lint"),
    ("python", "-m", "tests.whole_tree.source_rules"),
    ("python", "-m", "tests.whole_tree.style_classes"),
    ("python", "-m", "tests.whole_tree.unused_code"),
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
        "bench": bench,
        "chaos": lambda arguments: set_up(TEST_LOCKS) or run_module("tests.chaos", arguments),
        "year": lambda arguments: (
            set_up(TEST_LOCKS) or run_module("tests.simulated_year", arguments)
        ),
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
    # Not through the link .venv, which may lead to another environment while the command runs.
    python = str(held_environment(SERVING_LOCKS) / "bin" / "python")
    os.environ["PYTHONPATH"] = str(ROOT)
    os.environ.setdefault("DATA_DIR", str(ROOT / "lodepost-data"))
    # -P: nothing in the current folder may be imported as part of Lodepost.
    os.execv(python, [python, "-P", "-m", "webapp.cli", *arguments])


def test(arguments):
    """Run the suite with its checks, or only the tests that pytest's arguments select."""
    test_sizes = {"--quick": "quick", "--full": "full"}
    size = next((test_sizes[argument] for argument in arguments if argument in test_sizes), "usual")
    pytest_arguments = [argument for argument in arguments if argument not in test_sizes]
    os.environ["LODEPOST_TEST_SIZES"] = size
    if size == "full":
        os.environ.setdefault("PYTEST_TIMEOUT", "3600")
    if pytest_arguments:
        set_up(TEST_LOCKS)
        return run_command(PYTHON, "-m", "pytest", *pytest_arguments)
    if size == "quick":
        set_up(TEST_LOCKS)
        return report(run_suite("--quiet", "@tests/support/quick_tests.txt"))
    with programs_being_installed():
        set_up(TEST_LOCKS)
        failed_names = run_suite_beside_checks()
    if size == "full":
        failed_names += [*run_covered_tests(), *run_on_system_postgres()]
    return report(failed_names)


def check(arguments):
    if arguments[:1] == ["--words"]:
        return set_up(TEST_LOCKS) or run_module("tests.whole_tree.source_rules", arguments[1:])
    if arguments:
        sys.exit("dev.py: unexpected arguments: " + " ".join(arguments) + "\n" + USAGE)
    set_up(TEST_LOCKS)
    tests_status = run_command(PYTHON, "-m", "pytest", "--quiet", *CHECKING_TESTS)
    return report([*run_checks(), *(CHECKING_TESTS if tests_status else ())])


def bench(arguments):
    set_up(BENCH_LOCKS)
    if arguments[:1] == ["roles"]:
        return run_module("bench.roles", arguments[1:])
    return run_module("bench", arguments)


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


def run_checks(output=None):
    failed_names = []
    for tool, *options in CHECK_COMMANDS:
        name = " ".join([tool, *options])
        print_message(name)
        if run_command(VENV / "bin" / tool, *options, output=output) != 0:
            failed_names.append(name)
    return failed_names


@contextlib.contextmanager
def programs_being_installed():
    """Print which programs are missing or, as root, install them; a test that needs one waits for the lock on that file."""
    path = ROOT / "tests/support/programs.py"
    with path.open() as locked_file, ThreadPoolExecutor(max_workers=1) as executor:
        fcntl.flock(locked_file, fcntl.LOCK_EX)
        installation = executor.submit(run_command, sys.executable, "-P", path)
        installation.add_done_callback(lambda _: fcntl.flock(locked_file, fcntl.LOCK_UN))
        yield


def run_suite_beside_checks():
    """Run all tests and, beside them, the checks, for which tests that wait leave time; print the checks' output last."""
    with tempfile.TemporaryFile() as output, ThreadPoolExecutor(max_workers=1) as executor:
        checks = executor.submit(run_checks, output)
        failed_names = run_suite()
        failed_names += checks.result()
        output.seek(0)
        sys.stdout.write(output.read().decode(errors="replace"))
    return failed_names


def run_suite(*options):
    name = " ".join(["pytest", *options])
    print_message(name)
    # One process more than cores, because many tests wait for servers and browsers; with two more, each with a Postgres and
    # scenes of its own, all take a sixth longer. Some tests are long: a process that has finished its share takes tests
    # from the others.
    processes = str((os.cpu_count() or 1) + 1)
    parallel_options = ("-n", processes, "--dist", "worksteal", "--durations=20")
    return [name] if run_command(PYTHON, "-m", "pytest", *parallel_options, *options) != 0 else []


def run_covered_tests():
    """Run the tests that coverage counts again, in the usual sizes, and compare the coverage with its gates."""
    os.environ["LODEPOST_TEST_SIZES"] = "usual"
    failed_names = run_suite("--quiet", "-m", "not no_cover", "--cov", "--cov-report=")
    coverage_command = (PYTHON, "-m", "coverage", "report")
    gates = () if failed_names else COVERAGE_GATES
    failed_gates = [gate for gate in gates if run_command(*coverage_command, *gate) != 0]
    os.environ["LODEPOST_TEST_SIZES"] = "full"
    return failed_names + ["coverage " + " ".join(gate) for gate in failed_gates]


def run_on_system_postgres():
    """Run the tests that depend on the database again, with the Postgres that is installed on this machine."""
    os.environ["LODEPOST_TEST_POSTGRES"] = "system"
    os.environ.pop("LODEPOST_TEST_DATABASE_URL", None)
    return run_suite("--quiet", "@tests/support/system_postgres.txt")


def report(failed_names):
    for name in failed_names:
        print_message("FAILED: " + name)
    return 1 if failed_names else 0


class SetupError(Exception):
    """A sentence that says which step of a set-up failed, and why."""


def set_up(locks):
    """Bring .venv up to date with the locks; takes milliseconds if it is."""
    held_environment(locks)
    return 0


def held_environment(locks):
    """Return the folder of an environment with the locks, which is kept until this process and those it becomes end."""
    try:
        with setup_lock():
            if not is_up_to_date(read_stamp(), locks):
                refuse_to_replace_used_environment()
                replace_environment(locks)
            folder = VENV.resolve()
            os.set_inheritable(hold(folder), True)  # noqa: FBT003 (it takes no keywords)
            remove_unused_environments()
    except SetupError as error:
        sys.exit("dev.py: %s" % error)
    except OSError as error:
        reason = "%s (%s)" % (error.strerror, error.filename)
        sys.exit("dev.py: the libraries could not be installed: " + reason)
    return folder


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
        stamp = json.loads((VENV / STAMP_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) and isinstance(stamp.get("locks"), dict) else {}


def is_up_to_date(stamp, locks):
    if stamp.get("python") != PYTHON_VERSION or not PYTHON.exists() or not VENV.is_symlink():
        return False
    return all(stamp["locks"].get(lock) == digest_of(lock) for lock in locks)


def digest_of(lock):
    """Return a digest of everything that an installation depends on: the lock and the project's metadata."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    metadata = json.dumps([settings["project"], settings["build-system"]], sort_keys=True)
    return hashlib.sha256((ROOT / lock).read_bytes() + metadata.encode()).hexdigest()


def refuse_to_replace_used_environment():
    """Exit if another environment would disturb a server that runs from .venv."""
    if VENV.is_dir() and not VENV.is_symlink() and server_runs_from_folder():
        sys.exit("dev.py: a server runs from .venv, which dev.py did not make; stop it first")
    version = read_stamp().get("python", PYTHON_VERSION)
    if version != PYTHON_VERSION and is_held(VENV):
        sys.exit(
            "dev.py: a server or a test runs from .venv with Python %s; "
            "stop it before you use Python %s here, or use python%s"
            % (version, PYTHON_VERSION, version)
        )


def server_runs_from_folder():
    """Return whether Linux knows a server of .venv, which holds no lock if dev.py did not start it."""
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            command = file.read_bytes()
            if command.startswith(os.fsencode(VENV / "bin") + b"/") and b"webapp.cli" in command:
                return True
    return False


def hold(folder):
    """Keep that environment from being removed until the descriptor that is returned is closed."""
    descriptor = os.open(str(folder), os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    return descriptor


def is_held(folder):
    try:
        descriptor = os.open(str(folder), os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def remove_unused_environments():
    """Remove what was replaced or left half-made, unless a server runs from it or a pip still fills it."""
    for folder in ROOT.glob(".venv.py*"):
        if folder != VENV.resolve() and not is_held(folder):
            shutil.rmtree(str(folder), ignore_errors=True)


def replace_environment(locks):
    """Build an environment beside the old one, which stays as it is if that fails, and let .venv lead to it."""
    folder = ROOT / (".venv.py" + PYTHON_VERSION + "-" + os.urandom(4).hex())
    folder.mkdir()
    descriptor = hold(folder)
    try:
        build_environment(folder, locks, descriptor)
        swap_in(folder)
    finally:
        # Also after Ctrl-C; if this process is killed, the next one does it.
        if VENV.resolve() != folder:
            shutil.rmtree(str(folder), ignore_errors=True)


def build_environment(folder, locks, descriptor):
    stamp = {"python": PYTHON_VERSION, "locks": {lock: digest_of(lock) for lock in locks}}
    if "requirements-dev.lock" in locks:
        # It contains the smaller lock at the same versions.
        stamp["locks"]["requirements.lock"] = digest_of("requirements.lock")
    print_message("installing " + " and ".join(locks) + ", which can take some minutes")
    if not build_with_uv(folder, locks, descriptor):
        build_with_pip(folder, locks, descriptor)
    (folder / STAMP_NAME).write_text(json.dumps(stamp), encoding="utf-8")


def build_with_uv(folder, locks, descriptor):
    """Return whether there is a uv that can do it: it may lack what the configuration of pip says about the index."""
    uv = working_uv()
    python = folder / "bin" / "python"
    options = ("--quiet", "--allow-existing", "--no-python-downloads", "--python", sys.executable)
    try:
        if uv:
            run_step("the environment could not be made", descriptor, uv, "venv", *options, folder)
            install(locks, descriptor, [uv, "pip"], ["--python", python])
    except SetupError as error:
        print_message("uv failed, so pip is tried: %s" % error)
        return False
    return bool(uv)


def build_with_pip(folder, locks, descriptor):
    if not (importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip")):
        raise SetupError(NO_VENV_MESSAGE)
    # -I: neither the current folder nor PYTHONPATH offers libraries.
    python = (folder / "bin" / "python", "-I", "-m")
    options = ("--clear", "--without-pip")
    failure = "the environment could not be made"
    run_step(failure, descriptor, sys.executable, "-I", "-m", "venv", *options, folder)
    # Not by venv, which hides why this failed.
    run_step("pip could not be installed", descriptor, *python, "ensurepip", "--default-pip")
    install(locks, descriptor, [*python, "pip", "--disable-pip-version-check"], [])


def install(locks, descriptor, pip_command, options):
    # The locks are complete. Without --no-deps, pips older than 23.3 install the newest release of a library that
    # another asks for with an extra, and not the one in the lock.
    lock_options = ("--quiet", "--no-deps", "--require-hashes", "--requirement")
    project_options = ("--quiet", "--no-deps", "--no-build-isolation", "--editable", ".")
    # Python compiles the modules that it imports; to compile all of them takes a third of the installation.
    pip_install = [*pip_command, "install", "--no-compile", *options]
    for lock in locks:
        run_step(lock + " could not be installed", descriptor, *pip_install, *lock_options, lock)
    if "requirements-dev.lock" in locks:
        failure = "Lodepost could not be installed"
        run_step(failure, descriptor, *pip_install, *project_options)
    run_step("a lock is not complete", descriptor, *pip_command, "check", *options)


def swap_in(folder):
    """Let .venv lead to the folder, in one step if it is a link; otherwise move what it is out of the way."""
    if VENV.is_dir() and not VENV.is_symlink():
        VENV.rename(ROOT / (".venv.py-" + os.urandom(4).hex()))
    link = folder / "link"
    link.symlink_to(folder.name)
    link.replace(VENV)


def run_step(failure, descriptor, *command):
    """Run one command of a set-up, which holds the folder even if this process is killed. Raises why it failed."""
    completed_process = subprocess.run(
        [str(word) for word in command],
        cwd=str(ROOT),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=[descriptor],
        check=False,
        encoding="utf-8",
        errors="replace",
    )
    if completed_process.returncode != 0:
        status = "it ended with status %d" % completed_process.returncode
        raise SetupError(failure + ": " + cause_in(completed_process.stdout, status))


def cause_in(output, status):
    """Return the cause of a failure in one line, and print everything if it is not a usual one."""
    lines = [line.strip() for line in output.splitlines() if line.strip()] or [status]
    last_error = [line for line in lines if line.lower().startswith("error")] or lines
    for text, cause in CAUSES:
        if text in output.lower():
            return cause + " (" + last_error[-1] + ")"
    print(output, end="", file=sys.stderr)
    return last_error[-1]


def working_uv():
    """Return the uv command if it works (it may be a placeholder), otherwise None."""
    uv_path = shutil.which("uv")
    return (
        uv_path
        if uv_path and run_command(uv_path, "--version", output=subprocess.DEVNULL) == 0
        else None
    )


def run_command(*command, output=None):
    """Run a command in the checkout without standard input, and return its status.

    With a file as ``output`` it gets both what the command prints and its errors.
    """
    word_list = [str(word) for word in command]
    streams = {} if output is None else {"stdout": output, "stderr": subprocess.STDOUT}
    return subprocess.call(word_list, cwd=str(ROOT), stdin=subprocess.DEVNULL, **streams)


def print_message(message):
    print("dev.py: " + message, file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print_message("interrupted")
        sys.exit(130)
