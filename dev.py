#!/usr/bin/env python3
"""Set up, serve, test and measure Lodepost with nothing but Python 3.11 or newer.

This file keeps to words that an old Python can still parse, so that one which is too old gets
told so in a sentence and not in a traceback.
"""

import sys

OLDEST = (3, 11)
if sys.version_info < OLDEST:
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
STAMP = VENV / "lodepost.json"

TO_SERVE = ["requirements.lock"]
TO_TEST = ["requirements-dev.lock"]
TO_BENCH = [*TO_TEST, "requirements-bench.lock"]

NO_VENV = """\
This Python has no working `venv` module, which Lodepost needs to keep its libraries apart.
On Debian and Ubuntu:  apt-get install python3-venv
On Fedora:             dnf install python3-pip
Anywhere:              install uv, and dev.py will use it instead."""

USAGE = """\
usage: python3 dev.py VERB ...

  serve [--port N] [--data DIR]    set up, then run Lodepost and print where to go
  lodepost COMMAND ...             set up, then any other command of Lodepost: backup, doctor, verify ...
  test [--full] [PYTEST-WORDS]     set up, then check and test everything (or what pytest is told)
  check [--words [PATH ...]]       set up, then only the linters, types and import contracts, or banned words
  bench [FAMILY ...] [--json]      set up, then measure: every bench/*.py, or those named
  chaos [--seconds N] [--seed S]   set up, then break what can break while people play, and count losses
  setup                            set up alone
  lock                             write the requirements*.lock files anew (needs uv)"""

CHECKS = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("mypy",),
    ("lint-imports",),
    ("djlint", "templates", "--check", "--lint"),
)
GATES = (("--include=engine/*", "--fail-under=100"), ("--fail-under=95",))
LOCKS = (
    ("requirements.lock",),
    ("requirements-dev.lock", "--extra", "dev", "--constraint", "requirements.lock"),
    ("requirements-bench.lock", "--extra", "bench", "--constraint", "requirements.lock"),
)
# The whole suite holds these; `check` has them stand for the models and the catalogue.
CHECKING_TESTS = ("tests/whole_tree/test_migrations.py", "tests/wording/test_translations.py")


def main():
    verbs = {
        "serve": lambda words: lodepost(["serve", *words]),
        "lodepost": lodepost,
        "test": test,
        "check": check,
        "bench": lambda words: set_up(TO_BENCH) or run_module("bench", words),
        "chaos": lambda words: set_up(TO_TEST) or run_module("tests.chaos", words),
        "setup": lambda _: set_up(TO_TEST),
        "lock": lock,
    }
    name, words = (sys.argv[1], sys.argv[2:]) if len(sys.argv) > 1 else ("--help", [])
    if name in {"-h", "--help", "help"}:
        print(USAGE)
        return 0
    if name not in verbs:
        print("dev.py: there is no verb " + repr(name) + "\n" + USAGE, file=sys.stderr)
        return 2
    return verbs[name](words)


def lodepost(words):
    """Become that command: signals and the exit status are then its own."""
    set_up(TO_SERVE)
    os.environ["PYTHONPATH"] = str(ROOT)
    os.environ.setdefault("DATA_DIR", str(ROOT / "lodepost-data"))
    # -P: nothing in the folder where somebody stands may be taken for a part of Lodepost.
    os.execv(str(PYTHON), [str(PYTHON), "-P", "-m", "webapp.cli", *words])


def test(words):
    """Run everything with its coverage gates, or, where pytest is told what, that alone."""
    full = "--full" in words
    os.environ["LODEPOST_TEST_SIZES"] = "full" if full else "small"
    if full:
        os.environ.setdefault("PYTEST_TIMEOUT", "3600")
    selection = [word for word in words if word != "--full"]
    set_up(TO_TEST)
    if selection:
        return call(PYTHON, "-m", "pytest", *selection)
    # Says what the machine lacks; as root, brings it.
    call(PYTHON, "-m", "tests.support.programs")
    suite = run_suite if full else run_suite_with_gates
    return report([*run_checks(), *suite(), *run_on_systems_postgres()])


def check(words):
    if words[:1] == ["--words"]:
        return set_up(TO_TEST) or run_module("tests.whole_tree.source_rules", words[1:])
    no_words(words)
    set_up(TO_TEST)
    tests = call(PYTHON, "-m", "pytest", "--quiet", *CHECKING_TESTS)
    return report([*run_checks(), *(CHECKING_TESTS if tests else ())])


def run_module(name, words):
    os.environ["PYTHONPATH"] = str(ROOT)
    # -P: a script beside engine.py must not find it in place of the package.
    return call(PYTHON, "-P", "-m", name, *words)


def lock(words):
    no_words(words)
    if not uv():
        sys.exit("dev.py lock: this needs uv, which is not here")
    for name, *options in LOCKS:
        # Neither the index nor the place of a wheel is written down: only names and hashes are.
        run(
            *(uv(), "pip", "compile", "--quiet", "--no-config", "--universal", "--upgrade"),
            *("--python-version", "3.11", "--generate-hashes", "--no-annotate"),
            *("--no-emit-index-url", "--no-emit-find-links"),
            *("--custom-compile-command", "python3 dev.py lock"),
            *("pyproject.toml", *options, "--output-file", name),
        )
    return 0


def no_words(words):
    if words:
        sys.exit("dev.py: what is meant by " + " ".join(words) + "?\n" + USAGE)


def run_checks():
    failed = []
    for tool, *words in CHECKS:
        say(" ".join([tool, *words]))
        if call(VENV / "bin" / tool, *words) != 0:
            failed.append(" ".join([tool, *words]))
    return failed


def run_suite(*options):
    name = " ".join(["pytest", *options])
    say(name)
    # Some tests are long: a worker that has done its share takes of the other's.
    words = ("-n", "2", "--dist", "worksteal", "--durations=20", *options)
    return [name] if call(PYTHON, "-m", "pytest", *words) != 0 else []


def run_suite_with_gates():
    """A gate says something only about a whole run, and slows the thorough one for nothing new."""
    failed = run_suite("--cov", "--cov-report=")
    coverage = (PYTHON, "-m", "coverage", "report")
    gates = () if failed else GATES
    return failed + ["coverage " + " ".join(gate) for gate in gates if call(*coverage, *gate) != 0]


def run_on_systems_postgres():
    """Run what leans on the database once more, on the Postgres that is installed here."""
    os.environ["LODEPOST_TEST_POSTGRES"] = "system"
    os.environ.pop("LODEPOST_TEST_DATABASE_URL", None)
    size = os.environ["LODEPOST_TEST_SIZES"]
    return run_suite("--quiet", "@tests/support/system_postgres_" + size + ".txt")


def report(failed):
    for name in failed:
        say("FAILED: " + name)
    return 1 if failed else 0


def set_up(locks):
    """Bring .venv to what the locks say; costs a few milliseconds when it is there already."""
    with only_one_at_a_time():
        stamp = read_stamp()
        if stamp.get("python") != this_python() or not PYTHON.exists():
            stamp = make_venv()
        for name in locks:
            if stamp["locks"].get(name) != digest_of(name):
                install(name)
                write_stamp(stamp, name)
    return 0


@contextlib.contextmanager
def only_one_at_a_time():
    """Hold a lock on this very file: it is freed by the system however the holder dies."""
    with Path(__file__).open() as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another dev.py is setting up; waiting for it")
            fcntl.flock(held, fcntl.LOCK_EX)
        yield


def read_stamp():
    try:
        stamp = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) and isinstance(stamp.get("locks"), dict) else {}


def write_stamp(stamp, lock):
    stamp["locks"][lock] = digest_of(lock)
    if lock == "requirements-dev.lock":
        # It holds all of the smaller one, at the same versions.
        stamp["locks"]["requirements.lock"] = digest_of("requirements.lock")
    draft = STAMP.with_suffix(".draft")
    draft.write_text(json.dumps(stamp), encoding="utf-8")
    draft.replace(STAMP)


def this_python():
    return "%s %s" % (sys.version, os.path.realpath(sys.executable))


def digest_of(lock):
    """What an installation depends on: the lock, and what the project says of itself."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    itself = json.dumps([settings["project"], settings["build-system"]], sort_keys=True)
    return hashlib.sha256((ROOT / lock).read_bytes() + itself.encode()).hexdigest()


def make_venv():
    say("making .venv")
    words = ("venv", "--quiet", "--clear", "--no-python-downloads", "--python", sys.executable)
    if not uv() or call(uv(), *words, VENV) != 0:
        make_venv_without_uv()
    return {"python": this_python(), "locks": {}}


def make_venv_without_uv():
    if not (importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip")):
        sys.exit(NO_VENV)
    if call(sys.executable, "-m", "venv", "--clear", VENV) != 0:
        sys.exit(NO_VENV)


def install(lock):
    say("installing " + lock)
    if uv() and install_with([uv(), "pip", "install", "--python", PYTHON], lock):
        return
    if not (VENV / "bin" / "pip").exists():
        make_venv_without_uv()
    if not install_with([PYTHON, "-m", "pip", "install"], lock):
        sys.exit("dev.py: " + lock + " could not be installed, see above")


def install_with(pip, lock):
    done = call(*pip, "--quiet", "--require-hashes", "--requirement", lock) == 0
    if done and lock == "requirements-dev.lock":
        itself = ("--quiet", "--no-deps", "--no-build-isolation", "--editable", ".")
        done = call(*pip, *itself) == 0
    return done


def uv():
    """The uv command if there is one that works (a shim may stand for nothing)."""
    found = shutil.which("uv")
    return found if found and call(found, "--version", quiet=True) == 0 else None


def call(*command, quiet=False):
    """Run a command in the checkout and return its status; nobody is asked anything."""
    words = [str(word) for word in command]
    output = subprocess.DEVNULL if quiet else None
    return subprocess.run(
        words, cwd=str(ROOT), stdin=subprocess.DEVNULL, stdout=output, check=False
    ).returncode


def run(*command):
    if call(*command) != 0:
        sys.exit("dev.py: this failed, see above: " + " ".join(str(word) for word in command))


def say(words):
    print("dev.py: " + words, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
