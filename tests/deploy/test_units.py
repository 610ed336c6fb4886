"""The systemd units, as systemd itself reads them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.required_programs import systemd_analyze

UNIT_FILES = sorted((Path(__file__).parents[2] / "deploy" / "systemd").iterdir())
SERVICES = [unit for unit in UNIT_FILES if unit.suffix == ".service"]
MOST_EXPOSURE = 20
"""In tenths of the points of `systemd-analyze security`, where 10 points are a service without any protection."""


def verify(folder: Path, changes: dict[str, str] | None = None) -> str:
    """Return what systemd says about the units, with the Python of this test and with changes of their text."""
    for unit in UNIT_FILES:
        text = unit.read_text(encoding="utf-8")
        for old, new in {
            "/opt/lodepost/.venv/bin/python": sys.executable,
            **(changes or {}),
        }.items():
            text = text.replace(old, new)
        (folder / unit.name).write_text(text, encoding="utf-8")
    paths = [str(folder / unit.name) for unit in UNIT_FILES]
    output = subprocess.run(
        [systemd_analyze(), "verify", "--man=no", *paths],
        capture_output=True,
        text=True,
        check=False,
    )
    # Units of the machine that these refer to may have faults of their own.
    return "\n".join(line for line in output.stderr.splitlines() if "lodepost" in line)


def test_systemd_finds_no_fault_in_the_units(tmp_path: Path) -> None:
    assert verify(tmp_path) == ""


def test_systemd_reports_a_setting_that_does_not_exist(tmp_path: Path) -> None:
    assert "ProtectHouse" in verify(tmp_path, {"ProtectHome": "ProtectHouse"})


@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.name)
def test_services_are_well_protected(unit: Path) -> None:
    command = [systemd_analyze(), "security", "--offline=true", f"--threshold={MOST_EXPOSURE}"]
    report = subprocess.run(
        [*command, "--no-pager", str(unit)], capture_output=True, text=True, check=False
    )
    assert report.returncode == 0, report.stdout


@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.name)
def test_services_start_with_the_right_time_and_without_each_other(unit: Path) -> None:
    text = unit.read_text(encoding="utf-8")
    for name in ("After", "Wants"):
        assert "time-sync.target" in re.findall(rf"^{name}=(.*)$", text, re.MULTILINE)[0].split()
    # A unit that requires the migration would be restarted with it, at the same moment as all others.
    assert "Requires=" not in text
