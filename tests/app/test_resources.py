import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from webapp.kernel.resources import _folder_of, migrations_folder, templates_folder

ROOT = Path(__file__).parents[2]


def test_checkout_has_its_folders_beside_the_packages() -> None:
    assert templates_folder() == ROOT / "templates"
    assert migrations_folder() == ROOT / "migrations"


def test_wheel_has_its_folders_inside_the_package(tmp_path: Path) -> None:
    package = tmp_path / "webapp"
    (package / "templates").mkdir(parents=True)
    _copy_module(tmp_path)
    code = "from webapp.kernel.resources import templates_folder; print(templates_folder())"
    output = subprocess.check_output([sys.executable, "-c", code], cwd=tmp_path, text=True)
    assert Path(output.strip()) == package / "templates"


def test_checkout_that_is_not_installed_knows_its_version(tmp_path: Path) -> None:
    _copy_module(tmp_path)
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "7.8.9"\n', encoding="utf-8")
    code = "from webapp.kernel.resources import lodepost_version; print(lodepost_version())"
    output = subprocess.check_output([sys.executable, "-c", code], cwd=tmp_path, text=True)
    assert output.strip() == "7.8.9"


def _copy_module(folder: Path) -> None:
    """Copy the module into a folder that has nothing else of Lodepost."""
    place = Path("webapp", "kernel", "resources.py")
    (folder / place.parent).mkdir(parents=True)
    for package in (place.parent, place.parent.parent):
        (folder / package / "__init__.py").touch()
    shutil.copy(ROOT / place, folder / place)


def test_incomplete_installation_is_reported() -> None:
    with pytest.raises(FileNotFoundError, match="incomplete: found neither"):
        _folder_of("pictures-of-dwarfs")
