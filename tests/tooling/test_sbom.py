"""deploy/sbom.py lists what requirements.lock installs, so that readers of a release know its libraries and their licences."""

import json
import re
import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def sbom_text(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("sbom") / "sbom.cdx.json"
    subprocess.run([sys.executable, ROOT / "deploy" / "sbom.py", file], check=True)
    return file.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def components(sbom_text: str) -> list[dict[str, Any]]:
    listed_components: list[dict[str, Any]] = json.loads(sbom_text)["components"]
    return listed_components


def locked_hashes() -> dict[tuple[str, str], set[str]]:
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    entries = re.findall(
        r"^([a-z0-9.-]+)==([^\s;]+)(.*?)(?=^[a-z]|\Z)", text, re.MULTILINE | re.DOTALL
    )
    return {
        (name, version): set(re.findall(r"sha256:([0-9a-f]{64})", rest))
        for name, version, rest in entries
    }


def test_sbom_lists_every_locked_library_with_its_hashes(components: list[dict[str, Any]]) -> None:
    listed = {
        (component["name"], component["version"]): {
            file_hash["content"]
            for reference in component["externalReferences"]
            for file_hash in reference["hashes"]
        }
        for component in components
    }
    assert listed == locked_hashes()


def test_sbom_states_the_licence_of_every_installed_library(
    components: list[dict[str, Any]],
) -> None:
    without_licence = {
        component["name"] for component in components if not component.get("licenses")
    }
    # A library for another Python has no metadata here.
    installed = {
        re.sub(r"[-_.]+", "-", distribution.name).lower() for distribution in distributions()
    }
    assert without_licence & installed == set()
    assert len(without_licence) < len(components) / 10


def test_sbom_is_valid_cyclonedx(sbom_text: str) -> None:
    # Importing the validator takes a quarter of the time in which all tests are collected.
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(sbom_text) is None
