"""What must stand in no file at all, and what must stand in every lock."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOCKS = ("requirements.lock", "requirements-dev.lock", "requirements-bench.lock")

# Put together here, because this file is looked at too.
HOSTS = (
    "pypi" + ".org",
    "files." + "pythonhosted",
    "registry.npmjs" + ".org",
    "deb.debian" + ".org",
)
MACHINE = ("/work" + "/main", "/work" + "/shared", "/root" + "/.")


def tracked_files() -> list[Path]:
    listed = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True)
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


@pytest.mark.parametrize("words", [*HOSTS, *MACHINE])
def test_no_file_names_a_registry_or_a_place_of_one_machine(words: str) -> None:
    files = [path for path in tracked_files() if words.encode() in path.read_bytes()]
    assert files == []


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_pins_everything_by_hash_and_names_no_place(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    assert "://" not in text
    assert "--index" not in text
    assert "--find-links" not in text
    entries = re.split(r"\n(?=[a-z])", text)[1:]
    assert entries
    for entry in entries:
        assert re.match(r"[a-z0-9.-]+==\S+", entry), entry
        assert "--hash=sha256:" in entry


@pytest.mark.parametrize("lock", LOCKS[1:])
def test_the_locks_agree_on_what_they_share(lock: str) -> None:
    def pins(name: str) -> set[str]:
        text = (ROOT / name).read_text(encoding="utf-8")
        return set(re.findall(r"^[a-z0-9.-]+==[^\s\\]+(?: ;[^\\]+)?", text, re.MULTILINE))

    assert pins(LOCKS[0]) <= pins(lock)


def test_the_locks_hold_what_the_project_asks_for() -> None:
    import tomllib

    from packaging.requirements import Requirement

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = {
        LOCKS[0]: project["dependencies"],
        LOCKS[1]: project["optional-dependencies"]["dev"],
        LOCKS[2]: project["optional-dependencies"]["bench"],
    }
    for lock, requirements in asked.items():
        text = (ROOT / lock).read_text(encoding="utf-8")
        for requirement in map(Requirement, requirements):
            found = re.search(rf"^{requirement.name}==([^\s;\\]+)", text, re.MULTILINE)
            assert found, f"{lock}: {requirement} is missing; python3 dev.py lock"
            assert found[1] in requirement.specifier, f"{lock}: {requirement} and {found[0]}"


def test_every_folder_of_tests_is_a_package() -> None:
    # Without it, two files of the same name would be taken for one.
    folders = {path.parent for path in (ROOT / "tests").rglob("*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []
