"""No file contains a registry host or a machine path, and the locks are complete and consistent."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOCK_FILES = ("requirements.lock", "requirements-dev.lock", "requirements-bench.lock")

# Split, because this file is checked too.
PACKAGE_HOSTS = (
    "pypi" + ".org",
    "files." + "pythonhosted",
    "registry.npmjs" + ".org",
    "deb.debian" + ".org",
)
MACHINE_PATHS = ("/work" + "/main", "/work" + "/shared", "/root" + "/.")


def tracked_files() -> list[Path]:
    listed_files = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True)
    return [ROOT / name for name in listed_files.split("\0") if name and (ROOT / name).is_file()]


@pytest.mark.parametrize("text", [*PACKAGE_HOSTS, *MACHINE_PATHS])
def test_no_file_contains_a_registry_host_or_a_machine_path(text: str) -> None:
    files = [path for path in tracked_files() if text.encode() in path.read_bytes()]
    assert files == []


@pytest.mark.parametrize("lock", LOCK_FILES)
def test_lock_pins_every_library_by_hash_and_names_no_index(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    assert "://" not in text
    assert "--index" not in text
    assert "--find-links" not in text
    entries = re.split(r"\n(?=[a-z])", text)[1:]
    assert entries
    for entry in entries:
        assert re.match(r"[a-z0-9.-]+==\S+", entry), entry
        assert "--hash=sha256:" in entry


@pytest.mark.parametrize("lock", LOCK_FILES[1:])
def test_locks_have_the_same_versions_of_shared_libraries(lock: str) -> None:
    def pinned_packages(name: str) -> set[str]:
        text = (ROOT / name).read_text(encoding="utf-8")
        return set(re.findall(r"^[a-z0-9.-]+==[^\s\\]+(?: ;[^\\]+)?", text, re.MULTILINE))

    assert pinned_packages(LOCK_FILES[0]) <= pinned_packages(lock)


def test_locks_satisfy_the_requirements_of_the_project() -> None:
    import tomllib

    from packaging.requirements import Requirement

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    requirements_by_lock = {
        LOCK_FILES[0]: project["dependencies"],
        LOCK_FILES[1]: project["optional-dependencies"]["dev"],
        LOCK_FILES[2]: project["optional-dependencies"]["bench"],
    }
    for lock, requirements in requirements_by_lock.items():
        text = (ROOT / lock).read_text(encoding="utf-8")
        for requirement in map(Requirement, requirements):
            version_match = re.search(rf"^{requirement.name}==([^\s;\\]+)", text, re.MULTILINE)
            assert version_match, f"{lock}: {requirement} is missing; python3 dev.py lock"
            assert version_match[1] in requirement.specifier, (
                f"{lock}: {requirement} and {version_match[0]}"
            )


def test_every_folder_of_tests_is_a_package() -> None:
    # Otherwise two test files of the same name would conflict.
    folders = {path.parent for path in (ROOT / "tests").rglob("*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []
