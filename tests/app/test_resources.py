import subprocess
import sys
from pathlib import Path

import pytest

from webapp.resources import _folder_of, migrations_folder, templates_folder

ROOT = Path(__file__).parents[2]


def test_checkout_has_its_folders_beside_the_packages() -> None:
    assert templates_folder() == ROOT / "templates"
    assert migrations_folder() == ROOT / "migrations"


def test_wheel_has_its_folders_inside_the_package(tmp_path: Path) -> None:
    package = tmp_path / "webapp"
    (package / "templates").mkdir(parents=True)
    (package / "__init__.py").touch()
    source = (ROOT / "webapp" / "resources.py").read_text(encoding="utf-8")
    (package / "resources.py").write_text(source, encoding="utf-8")
    code = "from webapp.resources import templates_folder; print(templates_folder())"
    output = subprocess.check_output([sys.executable, "-c", code], cwd=tmp_path, text=True)
    assert Path(output.strip()) == package / "templates"


def test_checkout_that_is_not_installed_knows_its_version(tmp_path: Path) -> None:
    (tmp_path / "webapp").mkdir()
    (tmp_path / "webapp" / "__init__.py").touch()
    source = (ROOT / "webapp" / "resources.py").read_text(encoding="utf-8")
    (tmp_path / "webapp" / "resources.py").write_text(source, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "7.8.9"\n', encoding="utf-8")
    code = "from webapp.resources import lodepost_version; print(lodepost_version())"
    output = subprocess.check_output([sys.executable, "-c", code], cwd=tmp_path, text=True)
    assert output.strip() == "7.8.9"


def test_incomplete_installation_is_reported() -> None:
    with pytest.raises(FileNotFoundError, match="incomplete: found neither"):
        _folder_of("pictures-of-dwarfs")
