"""All that a process prints on standard error is one JSON object per line, also while it crashes."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def printed_lines(kind: str, **environ: str) -> tuple[int, list[dict[str, Any]]]:
    """Return the exit status of a printing process, and its standard error."""
    completed_process = subprocess.run(
        [sys.executable, "-m", "tests.logs.printing_process", kind],
        cwd=ROOT,
        env={**os.environ, **environ},
        capture_output=True,
        check=False,
    )
    assert completed_process.stdout == b""
    lines = completed_process.stderr.decode("ascii").splitlines()
    return completed_process.returncode, [json.loads(line) for line in lines]


def test_everything_that_a_process_prints_is_log_lines() -> None:
    status, lines = printed_lines("many", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert status == 1
    assert all({"at", "level", "logger", "message"} <= line.keys() for line in lines)
    messages = "\n".join(line["message"] for line in lines)
    for text in (
        "First line\u2028and ąž",
        "A library warns.",
        "a warning",
        "another\nwarning",
        "A thread ends because of an unexpected error.",
        "Text of a library.",
        "ZeroDivisionError",
        "Bytes of a C library: \N{REPLACEMENT CHARACTER}",
        "It was [hidden].",
        "The process ends because of an unexpected error.",
    ):
        assert text in messages
    assert "not logged" not in messages
    errors = [line["error"] for line in lines if line.get("event") == "uncaught-error"]
    assert len(errors) == 3
    for error in errors:
        assert "ValueError: two\nlines about /invitations/[hidden]" in error


def test_crash_of_the_interpreter_is_one_log_line() -> None:
    status, lines = printed_lines("crash")
    assert status == -signal.SIGSEGV
    (line,) = lines
    assert (line["event"], line["level"]) == ("other-output", "warning")
    assert "Segmentation fault" in line["message"]
    assert "printing_process.py" in line["message"]
