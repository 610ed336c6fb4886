"""Finds classes in templates that the style sheet does not know, and classes of the style sheet that nothing has.

Run `python -m tests.whole_tree.style_classes`.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
HOOKS: Final = frozenset({"option", "turn"})
"""Classes without a style, by which tests find a part of a page."""
_COMMENT_PATTERN: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_SELECTOR_PATTERN: Final = re.compile(r"([^{}]+)\{")
_CLASS_PATTERN: Final = re.compile(r"\.([A-Za-z_][\w-]*)")
_ATTRIBUTE_PATTERN: Final = re.compile(r'class="((?:\{[{%].*?[%}]\}|[^"])*)"', re.DOTALL)
_VALUE_PATTERN: Final = re.compile(r"\{\{?[^{}%]+\}\}?")
_TAG_PATTERN: Final = re.compile(r"\{%.*?%\}", re.DOTALL)
_VALUE_MARK: Final = "\0"


def classes_of_style_sheet(text: str) -> set[str]:
    selectors = _SELECTOR_PATTERN.findall(_COMMENT_PATTERN.sub("", text))
    return {name for selector in selectors for name in _CLASS_PATTERN.findall(selector)}


def classes_in(markup: str) -> Iterator[str]:
    """Yield the names in the class attributes of a template, or of Python that makes HTML; with a mark where a value stands."""
    for attribute in _ATTRIBUTE_PATTERN.findall(markup):
        yield from _VALUE_PATTERN.sub(_VALUE_MARK, _TAG_PATTERN.sub(" ", attribute)).split()


def unknown_classes(markup: str, style_classes: set[str]) -> Iterator[str]:
    """Yield the classes of a template without a style; one with a value in its name only if no class begins like it."""
    for name in sorted(set(classes_in(markup))):
        beginning = name.partition(_VALUE_MARK)[0]
        is_known = (
            any(style_class.startswith(beginning) for style_class in style_classes)
            if _VALUE_MARK in name
            else name in style_classes | HOOKS
        )
        if not is_known:
            yield name.replace(_VALUE_MARK, "...")


def unused_classes(style_classes: set[str], sources: Iterable[str]) -> list[str]:
    """Return the classes of the style sheet whose names, or beginnings with a value after them, no source contains."""
    text = "\n".join(sources)
    names = set(re.findall(r"[A-Za-z_][\w-]*", text))
    beginnings = tuple(re.findall(r"([A-Za-z_][\w-]*--)\{", text))
    return sorted(
        name for name in style_classes if name not in names and not name.startswith(beginnings)
    )


def problems(root: Path = ROOT) -> Iterator[str]:
    """Yield a line for each class that only the templates or only the style sheet have."""
    sheet = root / "webapp/static/lodepost.css"
    style_classes = classes_of_style_sheet(sheet.read_text(encoding="utf-8"))
    # Emails have their styles inline.
    templates = [path for path in root.glob("templates/*/**/*.html") if "email" not in path.parts]
    for path in sorted(templates):
        for name in unknown_classes(path.read_text(encoding="utf-8"), style_classes):
            yield f"{path.relative_to(root)}: the style sheet does not know the class {name}"
    others = [*root.glob("webapp/**/*.py"), *root.glob("webapp/static/*.js")]
    sources = (path.read_text(encoding="utf-8") for path in [*templates, *others])
    for name in unused_classes(style_classes, sources):
        yield f"{sheet.relative_to(root)}: nothing has the class {name}"


def main() -> int:
    found_problems = list(problems())
    for problem in found_problems:
        print(problem)  # noqa: T201 - the result of the command
    return 1 if found_problems else 0


if __name__ == "__main__":
    sys.exit(main())
