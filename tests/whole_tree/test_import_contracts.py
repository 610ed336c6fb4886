"""The import contracts are kept, and each of them detects a violation."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("engine", "webapp", "tasks")
FORBIDDEN_IN_ENGINE = {"time", "datetime", "os", "random", "logging", "secrets"}
VIOLATIONS = {
    "webapp: a layer imports only those below it": (
        "webapp/store/leak.py",
        "import webapp.services",
    ),
    "webapp: a layer imports": ("webapp/helpers.py", ""),
    "engine: rules are above": ("engine/view.py", "import engine.rules"),
    "engine: rules are above bookkeeping": ("engine/helpers.py", ""),
    "engine: no web, clock": ("engine/leak.py", "import time"),
    "webapp: never imports tasks": ("webapp/services/leak.py", "import tasks"),
    "Flask: only in webapp.app, webapp.web and webapp.pages": ("tasks/leak.py", "import flask"),
    "Flask: only in webapp.app": ("webapp/moderation/acts/extend.py", "import flask"),
    "moderation: no role": (
        "webapp/moderation/acts/extend.py",
        "import webapp.services.play.access",
    ),
    "texts and pictures": ("webapp/wording/leak.py", "import sqlalchemy"),
    "secrets: only services": ("webapp/wording/leak.py", "import engine.state"),
    "SQL: only in webapp.store": ("tasks/leak.py", "import webapp.store.database"),
    "no cycles": ("engine/cards.py", "import engine.game"),
}


def lint_imports(tree: Path) -> tuple[int, str]:
    finished_process = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
        check=False,
    )
    return finished_process.returncode, re.sub(r"\s+", " ", finished_process.stdout)


@pytest.fixture
def tree_copy(tmp_path: Path) -> Path:
    for name in PACKAGES:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("*.pyc"))
    shutil.copy(ROOT / ".importlinter", tmp_path)
    return tmp_path


def test_every_contract_is_kept() -> None:
    status, output = lint_imports(ROOT)
    assert status == 0, output


@pytest.mark.parametrize("contract", VIOLATIONS)
def test_contract_detects_a_violation(contract: str, tree_copy: Path) -> None:
    place, code = VIOLATIONS[contract]
    with (tree_copy / place).open("a", encoding="utf-8") as module:
        module.write(f"\n{code}\n")
    status, output = lint_imports(tree_copy)
    verdict_match = re.search(rf"{re.escape(contract)}.*?\b(KEPT|BROKEN)\b", output)
    assert verdict_match, output
    assert (status, verdict_match[1]) == (1, "BROKEN")


def test_engine_imports_only_the_standard_library_and_msgspec() -> None:
    graph = grimp.build_graph("engine", include_external_packages=True, cache_dir=None)
    outside_packages = {name.split(".")[0] for name in graph.modules} - {"engine"}
    assert outside_packages - set(sys.stdlib_module_names) <= {"msgspec"}
    assert not outside_packages & FORBIDDEN_IN_ENGINE


@pytest.mark.parametrize("package", PACKAGES)
def test_init_of_every_package_is_empty(package: str) -> None:
    # A re-export there would bypass the import contracts.
    init_files = sorted((ROOT / package).rglob("__init__.py"))
    assert init_files
    assert [
        init_file for init_file in init_files if init_file.read_text(encoding="utf-8").strip()
    ] == []
