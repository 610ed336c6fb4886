"""Checks on the tracked source itself: banned words and the sizes of modules, files and functions.

Run `python -m tests.whole_tree.source_rules [PATH ...]` for the whole tree or some of its files and folders.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Final

from tests.whole_tree.banned_words import BANNED_WORDS, EXEMPTIONS, SKIPPED_FILES

ROOT: Final = Path(__file__).parents[2]
MOST_LINES_OF_A_FILE: Final = 300
MOST_LINES_OF_A_FUNCTION: Final = 40
FEWEST_LINES_OF_A_MODULE: Final = 30
REASON_FOR_A_SHORT_MODULE: Final = "own module"
"""A short module has this phrase and the reason in its docstring ("Its own module because ...")."""
_COUNTED_SUFFIXES: Final = frozenset({".py", ".html", ".js"})
_WORD_BOUNDARY_PATTERN: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_'’-]+")  # noqa: RUF001 - an apostrophe in texts
_ANY_BANNED_WORD_PATTERN: Final = re.compile(
    r"\b(?:"
    + "|".join(f"(?P<w{n}>{word.pattern})" for n, word in enumerate(BANNED_WORDS))
    + r")\b",
    re.IGNORECASE,
)


def tracked_files(places: Sequence[str] = (), *, root: Path = ROOT) -> list[str]:
    """Return the names of all files that git tracks under ``places``, relative to ``root``."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *places]
    listed_files = subprocess.check_output(command, cwd=root, text=True)
    return sorted(name for name in listed_files.split("\0") if name and (root / name).is_file())


def problems_in(names: Iterable[str], *, root: Path = ROOT) -> Iterator[str]:
    """Yield one line for every violation, as `file:line: message`."""
    for name in names:
        yield from word_problems(name, name)
        if any(fnmatch(name, skipped_pattern) for skipped_pattern in SKIPPED_FILES):
            continue
        text = (root / name).read_text(encoding="utf-8")
        yield from word_problems(name, text)
        yield from size_problems(name, text)


def word_problems(name: str, text: str) -> Iterator[str]:
    """Yield a line for every banned word in a text, with what to write instead."""
    for number, line in enumerate(text.splitlines(), 1):
        for banned_match in _ANY_BANNED_WORD_PATTERN.finditer(_plain_words(name, line)):
            replacement = BANNED_WORDS[int(str(banned_match.lastgroup)[1:])].replacement
            yield f"{name}:{number}: {banned_match[0]!r}: write {replacement}"


def size_problems(name: str, text: str) -> Iterator[str]:
    """Yield a line where a file or a function is too long, or a module too short."""
    path, lines = Path(name), text.count("\n")
    # Alembic gives a revision one function in one file, however many tables it creates.
    is_revision = path.parts[0] == "migrations"
    if path.suffix in _COUNTED_SUFFIXES and lines > MOST_LINES_OF_A_FILE and not is_revision:
        yield f"{name}:1: {lines} lines, at most {MOST_LINES_OF_A_FILE}: split the file"
    if path.suffix == ".py":
        tree = ast.parse(text)
        if not is_revision:
            yield from _long_functions(name, tree)
        if _is_counted_module(path) and lines < FEWEST_LINES_OF_A_MODULE:
            yield from _short_module_problems(name, lines, ast.get_docstring(tree) or "")


def _plain_words(name: str, line: str) -> str:
    for pattern in _exempt_patterns(name):
        line = pattern.sub(" ", line)
    return _WORD_BOUNDARY_PATTERN.sub(" ", line)


@cache
def _exempt_patterns(name: str) -> tuple[re.Pattern[str], ...]:
    return tuple(
        re.compile(exemption.pattern) for exemption in EXEMPTIONS if fnmatch(name, exemption.files)
    )


def _long_functions(name: str, tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > MOST_LINES_OF_A_FUNCTION:
                yield (
                    f"{name}:{node.lineno}: {node.name} has {lines} lines, "
                    f"at most {MOST_LINES_OF_A_FUNCTION}: split it"
                )


def _is_counted_module(path: Path) -> bool:
    """Skip empty packages, entry points, and test files, which mirror the module that they test."""
    return path.stem not in {"__init__", "__main__", "conftest"} and not path.stem.startswith(
        "test_"
    )


def _short_module_problems(name: str, lines: int, docstring: str) -> Iterator[str]:
    if REASON_FOR_A_SHORT_MODULE not in docstring:
        yield (
            f"{name}:1: {lines} lines, fewer than {FEWEST_LINES_OF_A_MODULE}: merge it, or give the "
            f'reason in its docstring ("Its {REASON_FOR_A_SHORT_MODULE} because ...")'
        )


def main(places: Sequence[str]) -> int:
    """Print every violation; return 0 if there are none, 1 otherwise."""
    problems = list(problems_in(tracked_files(places)))
    for problem in problems:
        print(problem)  # noqa: T201 - the result of the command
    print(f"{len(problems)} problems", file=sys.stderr)  # noqa: T201 - as above
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
