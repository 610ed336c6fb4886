"""docs/sbom.cdx.json agrees with requirements.lock, so that its readers know what is installed."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SBOM_FILE = ROOT / "docs" / "sbom.cdx.json"
ADVICE = "run .venv/bin/python deploy/sbom.py"

NEEDED_NOWHERE_HERE = {"async-timeout"}
"""Libraries for other versions of Python, whose licence cannot be read where they are not installed."""


def locked_hashes() -> dict[tuple[str, str], set[str]]:
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    entries = re.findall(
        r"^([a-z0-9.-]+)==([^\s;]+)(.*?)(?=^[a-z]|\Z)", text, re.MULTILINE | re.DOTALL
    )
    return {
        (name, version): set(re.findall(r"sha256:([0-9a-f]{64})", rest))
        for name, version, rest in entries
    }


def test_sbom_lists_every_locked_library_with_its_hashes() -> None:
    components = json.loads(SBOM_FILE.read_text(encoding="utf-8"))["components"]
    listed = {
        (component["name"], component["version"]): {
            file_hash["content"]
            for reference in component["externalReferences"]
            for file_hash in reference["hashes"]
        }
        for component in components
    }
    assert listed == locked_hashes(), ADVICE


def test_sbom_states_the_licence_of_every_library() -> None:
    components = json.loads(SBOM_FILE.read_text(encoding="utf-8"))["components"]
    without_licence = {
        component["name"] for component in components if not component.get("licenses")
    }
    assert without_licence <= NEEDED_NOWHERE_HERE, ADVICE


def test_sbom_is_valid_cyclonedx() -> None:
    # Importing the validator takes a quarter of the time in which all tests are collected.
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    text = SBOM_FILE.read_text(encoding="utf-8")
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
