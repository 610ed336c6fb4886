"""The documents name only modules, functions and files that exist."""

import importlib
import re
from functools import reduce
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = (
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "docs/decisions.md",
    "docs/email.md",
    "docs/operating.md",
    "docs/security.md",
    "deploy/README.md",
)
PACKAGES = ("engine", "webapp", "tasks", "migrations")


def quoted_texts_in(document: str) -> list[str]:
    text = (ROOT / document).read_text(encoding="utf-8")
    # Text in a code block is a diagram or a command, not a name.
    return re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))


def is_existing_name(name: str) -> bool:
    """Return whether a dotted name is a module, or something in one."""
    name_parts = name.split(".")
    for end in range(len(name_parts), 0, -1):
        try:
            module = importlib.import_module(".".join(name_parts[:end]))
        except ModuleNotFoundError:
            continue
        missing_marker = object()
        return (
            reduce(
                lambda owner, part: getattr(owner, part, missing_marker), name_parts[end:], module
            )
            is not missing_marker
        )
    return False


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_dotted_name_in_a_document_exists(document: str) -> None:
    names = [
        quoted_text.removesuffix("()")
        for quoted_text in quoted_texts_in(document)
        if re.fullmatch(r"(engine|webapp|tasks)(\.\w+)+(\(\))?", quoted_text)
    ]
    assert [name for name in names if not is_existing_name(name)] == []


def test_every_test_that_is_named_as_holding_a_promise_exists() -> None:
    names = [text for text in quoted_texts_in("docs/email.md") if "::" in text]
    assert len(names) > 30
    for name in names:
        path, _, function = name.partition("::")
        source = (ROOT / "tests" / path).read_text(encoding="utf-8")
        assert re.search(rf"^def {function}\(", source, re.MULTILINE), name


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_path_in_a_document_exists(document: str) -> None:
    top_level_names = {path.name for path in ROOT.iterdir()}
    paths = [
        quoted_text
        for quoted_text in quoted_texts_in(document)
        if re.fullmatch(r"[\w.*{}<>,-]+(/[\w.*{}<>,-]*)+", quoted_text)
        and quoted_text.split("/")[0] in top_level_names
    ]
    plain_paths = [path for path in paths if not set(path) & set("*{}<>")]
    globs = [re.sub(r"[{<][^}>]*[}>]", "*", path) for path in set(paths) - set(plain_paths)]
    assert [path for path in plain_paths if not (ROOT / path).exists()] == []
    assert [path for path in globs if not list(ROOT.glob(path))] == []


def test_contents_of_the_decisions_list_every_heading_in_order() -> None:
    text = (ROOT / "docs/decisions.md").read_text(encoding="utf-8")
    contents = re.findall(r"^ *- \[(.+)\]\(#(.+)\)$", text, re.MULTILINE)
    headings = re.findall(r"^##+ (.+)$", text, re.MULTILINE)
    assert [heading for heading, _ in contents] == headings
    assert [anchor for _, anchor in contents] == [
        re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings
    ]


def test_readme_of_the_engine_lists_every_module_once() -> None:
    folder = ROOT / "engine"
    rows = re.findall(r"^\|.*", (folder / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    listed = [name for row in rows for name in re.findall(r"`(\w+(?:\.py|/))`", row)]
    modules = {path.name for path in folder.glob("[!_]*.py")}
    assert sorted(listed) == sorted(modules | {"bots/", "rulebooks/"})


@pytest.mark.parametrize("schema", sorted((ROOT / "webapp").glob("*/schema.py")))
def test_readme_of_a_subject_lists_every_module_of_its_folder_once(schema: Path) -> None:
    folder = schema.parent
    rows = re.findall(
        r"^\|(.*?)\|", (folder / "README.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    listed = [name for row in rows for name in re.findall(r"`(\w+\.py)`", row)]
    assert sorted(listed) == sorted(path.name for path in folder.glob("[!_]*.py"))


@pytest.mark.parametrize(
    "folder", sorted({path.parent for top in PACKAGES for path in (ROOT / top).rglob("README.md")})
)
def test_every_module_named_in_the_readme_of_a_package_exists(folder: Path) -> None:
    names = re.findall(r"[\w/]+\.py\b", (folder / "README.md").read_text(encoding="utf-8"))
    places = (folder, *(parent for parent in folder.parents if parent.is_relative_to(ROOT)))
    assert [name for name in names if not any((place / name).exists() for place in places)] == []
