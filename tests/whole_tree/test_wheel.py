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


def test_wheel_contains_only_the_three_packages(wheel: zipfile.ZipFile) -> None:
    top_folders = {name.split("/")[0] for name in wheel.namelist()}
    assert {top for top in top_folders if not top.endswith(".dist-info")} == {
        "engine",
        "webapp",
        "tasks",
    }


@pytest.mark.parametrize("folder", ["templates", "migrations"])
def test_wheel_contains_templates_and_migrations(wheel: zipfile.ZipFile, folder: str) -> None:
    expected = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    contained_paths = {name.removeprefix("webapp/") for name in wheel.namelist()}
    assert expected
    assert expected <= contained_paths


def test_wheel_contains_styles_and_translations(wheel: zipfile.ZipFile) -> None:
    for folder in ("webapp/static", "webapp/translations"):
        expected = {
            path.relative_to(ROOT).as_posix()
            for path in (ROOT / folder).rglob("*")
            if path.is_file()
        }
        assert expected <= set(wheel.namelist())


def test_wheel_is_marked_as_private(wheel: zipfile.ZipFile) -> None:
    (metadata_file,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    assert b"Classifier: Private :: Do Not Upload" in wheel.read(metadata_file)
