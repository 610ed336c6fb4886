import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.machine import chromium_program, postgres_programs
from tests.support.machine_parts import system_postgres

ROOT = Path(__file__).parents[2]


def test_what_is_missing_is_named_with_its_package(tmp_path: Path) -> None:
    # An empty PATH hides apt-get too: nothing can be brought, and nothing fails.
    environ = {"PATH": str(tmp_path), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.machine"],
        env=environ,
        capture_output=True,
        text=True,
        check=True,
    )
    assert (
        "there is no Chromium (chromium): the tests that drive a browser are skipped" in done.stderr
    )
    assert "there is no Redis (redis-server): " in done.stderr


def test_a_chromium_may_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LODEPOST_TEST_CHROMIUM", "/opt/chromium")
    assert chromium_program() == "/opt/chromium"


def postgres_of_a_test(folder: Path, major: int) -> None:
    folder.mkdir(parents=True)
    (folder / "initdb").touch()
    (folder / "postgres").write_text(f"#!/bin/sh\necho 'postgres (PostgreSQL) {major}.2'\n")
    (folder / "postgres").chmod(0o755)


def test_the_oldest_postgres_that_will_do_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.defpath)
    for major in (14, 16, 17):
        postgres_of_a_test(tmp_path / str(major) / "bin", major)
    assert postgres_programs(tmp_path) == (16, tmp_path / "16" / "bin")
    installation = system_postgres(tmp_path)
    assert (installation.major, installation.programs) == ("16", tmp_path / "16" / "bin")


def test_without_a_postgres_the_tests_on_it_are_skipped_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    postgres_of_a_test(tmp_path / "14" / "bin", 14)
    with pytest.raises(pytest.skip.Exception, match="apt-get install postgresql"):
        system_postgres(tmp_path)
