import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    return zipfile.ZipFile(next(folder.glob("lodepost-*.whl")))


def test_a_wheel_holds_the_three_packages_and_nothing_beside(wheel: zipfile.ZipFile) -> None:
    tops = {name.split("/")[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"engine", "webapp", "tasks"}


@pytest.mark.parametrize("folder", ["templates", "migrations"])
def test_a_wheel_carries_what_is_not_python(wheel: zipfile.ZipFile, folder: str) -> None:
    here = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    there = {name.removeprefix("webapp/") for name in wheel.namelist()}
    assert here
    assert here <= there


def test_a_wheel_carries_styles_and_translations(wheel: zipfile.ZipFile) -> None:
    for folder in ("webapp/static", "webapp/translations"):
        here = {
            path.relative_to(ROOT).as_posix()
            for path in (ROOT / folder).rglob("*")
            if path.is_file()
        }
        assert here <= set(wheel.namelist())


def test_no_index_may_take_the_wheel(wheel: zipfile.ZipFile) -> None:
    (metadata,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    assert b"Classifier: Private :: Do Not Upload" in wheel.read(metadata)
