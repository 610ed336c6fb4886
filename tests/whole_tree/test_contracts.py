"""The import contracts hold, and each of them would notice."""

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
NOT_FOR_THE_ENGINE = {"time", "datetime", "os", "random", "logging", "secrets"}
VIOLATIONS = {
    "webapp: a layer knows only those below it": ("webapp/store/leak.py", "import webapp.services"),
    "webapp: a layer knows": ("webapp/helpers.py", ""),
    "engine: what judges": ("engine/view.py", "import engine.rules"),
    "engine: what judges stands above what folds": ("engine/helpers.py", ""),
    "engine: no web, no clock": ("engine/leak.py", "import time"),
    "webapp: never imports tasks": ("webapp/services/leak.py", "import tasks"),
    "Flask: only webapp.app, webapp.web and webapp.pages": ("tasks/leak.py", "import flask"),
    "words and pictures": ("webapp/wording/leak.py", "import sqlalchemy"),
    "secrets: states and events": ("webapp/wording/leak.py", "import engine.state"),
    "SQL: only webapp.store": ("tasks/leak.py", "import webapp.store.database"),
    "no cycles": ("engine/cards.py", "import engine.game"),
}


def lint_imports(tree: Path) -> tuple[int, str]:
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, re.sub(r"\s+", " ", done.stdout)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in PACKAGES:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("*.pyc"))
    shutil.copy(ROOT / ".importlinter", tmp_path)
    return tmp_path


def test_every_contract_is_kept() -> None:
    status, told = lint_imports(ROOT)
    assert status == 0, told


@pytest.mark.parametrize("contract", VIOLATIONS)
def test_a_contract_notices_what_it_forbids(contract: str, copy: Path) -> None:
    place, code = VIOLATIONS[contract]
    with (copy / place).open("a", encoding="utf-8") as module:
        module.write(f"\n{code}\n")
    status, told = lint_imports(copy)
    verdict = re.search(rf"{re.escape(contract)}.*?\b(KEPT|BROKEN)\b", told)
    assert verdict, told
    assert (status, verdict[1]) == (1, "BROKEN")


def test_the_engine_imports_the_standard_library_and_msgspec_alone() -> None:
    graph = grimp.build_graph("engine", include_external_packages=True, cache_dir=None)
    outside = {name.split(".")[0] for name in graph.modules} - {"engine"}
    assert outside - set(sys.stdlib_module_names) <= {"msgspec"}
    assert not outside & NOT_FOR_THE_ENGINE


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_says_nothing_in_its_init(package: str) -> None:
    # A re-export there would let a secret pass by its second name.
    inits = sorted((ROOT / package).rglob("__init__.py"))
    assert inits
    assert [init for init in inits if init.read_text(encoding="utf-8").strip()] == []
