"""Each of the import contracts detects a violation. `dev.py check` finds out whether they are kept."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import grimp
import pytest

from tests.support.sizes import is_full_run

ROOT = Path(__file__).parents[2]
PACKAGES = ("engine", "webapp", "tasks")
FORBIDDEN_IN_ENGINE = {"time", "datetime", "os", "random", "logging", "secrets"}
VIOLATIONS = {
    "webapp: every module has a layer": ("webapp/helpers.py", ""),
    "webapp: every module has a layer and imports only those below it": (
        "webapp/clubs/queries/leak.py",
        "import webapp.clubs.members",
    ),
    "webapp: every module has a layer and imports only": (
        "webapp/clock/absences.py",
        "import webapp.lobby.pages.lobby",
    ),
    "in every subject": ("webapp/play/access.py", "import webapp.lobby.seats"),
    "engine: rules are above": ("engine/view.py", "import engine.rules"),
    "engine: rules are above bookkeeping": ("engine/helpers.py", ""),
    "engine: no web, clock": ("engine/leak.py", "import time"),
    "clock: arithmetic on instants": ("webapp/clock/turn.py", "import webapp.kernel.system_time"),
    "clock: arithmetic": ("webapp/clock/pace/leak.py", "import webapp.clock.queries.absences"),
    "webapp: never imports tasks": ("webapp/clubs/leak.py", "import tasks"),
    "Flask: only in pages and": ("tasks/leak.py", "import flask"),
    "Flask: only in pages": ("webapp/moderation/acts/extend.py", "import flask"),
    "pages: loaded only by": ("webapp/doctor/leak.py", "import webapp.web.context"),
    "pages: loaded only": ("tasks/leak.py", "import webapp.play.pages.table"),
    "texts and pictures: made from": ("webapp/wording/leak.py", "import sqlalchemy"),
    "texts and pictures": ("webapp/picture/leak.py", "import webapp.play.access"),
    "secrets: only the use cases of play": ("webapp/wording/leak.py", "import engine.state"),
    "secrets: only the use cases": ("webapp/play/pages/leak.py", "import engine.events"),
    "SQL: only in the queries": ("webapp/clubs/leak.py", "import sqlalchemy"),
    "queries: used by use cases": ("tasks/leak.py", "import webapp.play.queries.games"),
    "pages and messages: no queries": (
        "webapp/play/pages/leak.py",
        "import webapp.play.queries.games",
    ),
    "pages and messages": ("webapp/mail/compose.py", "import webapp.mail.queries.outbox"),
    "moderation: no role": ("webapp/moderation/acts/extend.py", "import webapp.play.access"),
    "moderation: no role, hand": (
        "webapp/moderation/pages/leak.py",
        "import webapp.play.views.table_page",
    ),
    "peek: only its own page": ("webapp/moderation/leak.py", "import webapp.play.views.peek"),
    "show: only the operator's command": (
        "webapp/commands/leak.py",
        "import webapp.operations.stored_turn",
    ),
    "no cycles": ("engine/cards.py", "import engine.game"),
    "no cycles, at any depth": (
        "webapp/play/changes/acts.py",
        "import webapp.play.seats.seat_offers",
    ),
}
"""A module and a line in it that breaks the contract, by the beginning or the end of the name of the contract."""
_NAMES = tuple(VIOLATIONS)
GROUPS = [(name,) for name in _NAMES] if is_full_run() else [_NAMES[::2], _NAMES[1::2]]
"""Contracts that are broken together: in the full run each violation alone shows that no other one is what breaks its contract."""


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
    contract_file = Path("tests/whole_tree/subject_layers.py")
    (tmp_path / contract_file.parent).mkdir(parents=True)
    shutil.copy(ROOT / contract_file, tmp_path / contract_file)
    shutil.copy(ROOT / ".importlinter", tmp_path)
    return tmp_path


@pytest.mark.parametrize("contracts", GROUPS, ids=lambda contracts: f"{contracts[0]} ...")
def test_contracts_detect_violations(contracts: tuple[str, ...], tree_copy: Path) -> None:
    for place, code in map(VIOLATIONS.__getitem__, contracts):
        with (tree_copy / place).open("a", encoding="utf-8") as module:
            module.write(f"\n{code}\n")
    status, output = lint_imports(tree_copy)
    assert status == 1
    for contract in contracts:
        verdict_match = re.search(rf"{re.escape(contract)}.*?\b(KEPT|BROKEN)\b", output)
        assert verdict_match, output
        assert verdict_match[1] == "BROKEN", contract


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
