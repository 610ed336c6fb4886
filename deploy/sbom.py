"""Writes docs/sbom.cdx.json: every library of requirements.lock with its hashes and licences, as CycloneDX.

Run `.venv/bin/python deploy/sbom.py [FILE]` at each release, which publishes the file. The tool cyclonedx-py makes one list from
the lock, which has the hashes, and one from what is installed, which has the licences and says what depends on what; this program
joins the two.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SBOM_FILE = ROOT / "docs" / "sbom.cdx.json"
LICENCES_READ_BY_PEOPLE = {"imapclient": "BSD-3-Clause", "resvg-py": "MIT"}
"""Of libraries that have the text of their licence, but do not name it in their metadata."""


def main() -> None:
    locked = _run_tool("requirements", str(ROOT / "requirements.lock"))
    installed = _run_tool("environment", sys.executable)
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else SBOM_FILE
    file.write_text(json.dumps(joined(locked, installed), indent=1) + "\n", encoding="utf-8")


def joined(locked: dict[str, Any], installed: dict[str, Any]) -> dict[str, Any]:
    """Return the list of the lock with the licences and dependencies of what is installed.

    Of a library that the lock has in two versions one is installed, and describes both; one that no supported machine here needs
    has no licence.
    """
    installed_by_name = {
        _plain(component["name"]): component for component in installed["components"]
    }
    components = [
        _component(component, installed_by_name.get(_plain(component["name"]), {}))
        for component in locked["components"]
    ]
    return {
        "$schema": locked["$schema"],
        "bomFormat": locked["bomFormat"],
        "specVersion": locked["specVersion"],
        "version": 1,
        "metadata": {
            "component": {"type": "application", "bom-ref": "lodepost", "name": "lodepost"}
        },
        "components": sorted(components, key=lambda component: component["purl"]),
        "dependencies": _dependencies(installed, {component["purl"] for component in components}),
    }


def _run_tool(kind: str, source: str) -> dict[str, Any]:
    tool = Path(sys.executable).with_name("cyclonedx-py")
    options = ("--no-validate", "--output-reproducible", "--short-PURLs", "--of", "JSON")
    output = subprocess.check_output([tool, kind, source, *options], cwd=ROOT)
    bill: dict[str, Any] = json.loads(output)
    return bill


def _component(locked: dict[str, Any], installed: dict[str, Any]) -> dict[str, Any]:
    url = locked["purl"]
    hashes = [
        file_hash
        for reference in locked["externalReferences"]
        for file_hash in reference.get("hashes", ())
    ]
    described = {name: installed[name] for name in ("description", "licenses") if name in installed}
    if licence := LICENCES_READ_BY_PEOPLE.get(_plain(locked["name"])):
        licences = [{"license": {"acknowledgement": "concluded", "id": licence}}]
        described.setdefault("licenses", licences)
    return {
        "type": "library",
        "bom-ref": url,
        "name": locked["name"],
        "version": locked["version"],
        "purl": url,
        **described,
        # Without the address of a package index, which is for each installation to choose.
        "externalReferences": [{"type": "distribution", "url": url, "hashes": hashes}],
    }


def _dependencies(installed: dict[str, Any], locked_urls: set[str]) -> list[dict[str, Any]]:
    """Return what each locked library depends on, without what only developers install."""
    url_by_ref = {
        component["bom-ref"]: component["purl"]
        for component in installed["components"]
        if component.get("purl") in locked_urls
    }
    dependencies = [
        {
            "ref": url_by_ref[entry["ref"]],
            "dependsOn": sorted(
                url_by_ref[ref] for ref in entry.get("dependsOn", ()) if ref in url_by_ref
            ),
        }
        for entry in installed["dependencies"]
        if entry["ref"] in url_by_ref
    ]
    return sorted(dependencies, key=lambda dependency: str(dependency["ref"]))


def _plain(name: str) -> str:
    """Return the name of a library as package indexes compare names."""
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    main()
