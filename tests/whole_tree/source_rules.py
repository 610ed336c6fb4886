"""Checks the words of the tracked source, and reports its longest files and functions.

Run `python -m tests.whole_tree.source_rules [PATH ...]` for the whole tree or some of its files and folders.
A banned word is a problem; a size is advice, a question to answer in review.
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
LINES_OF_A_LONG_FILE: Final = 500
LINES_OF_A_LONG_FUNCTION: Final = 50
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
    """Yield one line for every banned word in a name or a text, as `file:line: message`."""
    for name in names:
        yield from word_problems(name, name)
        if not _is_skipped(name):
            yield from word_problems(name, (root / name).read_text(encoding="utf-8"))


def long_parts_in(names: Iterable[str], *, root: Path = ROOT) -> Iterator[str]:
    """Yield one line for every long file and every long function, as `file:line: message`."""
    for name in names:
        if not _is_skipped(name):
            yield from long_parts_of(name, (root / name).read_text(encoding="utf-8"))


def word_problems(name: str, text: str) -> Iterator[str]:
    """Yield a line for every banned word in a text, with what to write instead."""
    for number, line in enumerate(text.splitlines(), 1):
        for banned_match in _ANY_BANNED_WORD_PATTERN.finditer(_plain_words(name, line)):
            replacement = BANNED_WORDS[int(str(banned_match.lastgroup)[1:])].replacement
            yield f"{name}:{number}: {banned_match[0]!r}: write {replacement}"


def long_parts_of(name: str, text: str) -> Iterator[str]:
    """Yield a line if the file is long, and for every long function in it."""
    path, lines = Path(name), text.count("\n")
    # Alembic gives a revision one function in one file, however many tables it creates.
    if path.parts[0] == "migrations":
        return
    if path.suffix in _COUNTED_SUFFIXES and lines > LINES_OF_A_LONG_FILE:
        yield f"{name}:1: {lines} lines"
    if path.suffix == ".py":
        yield from _long_functions(name, ast.parse(text))


def _is_skipped(name: str) -> bool:
    return any(fnmatch(name, skipped_pattern) for skipped_pattern in SKIPPED_FILES)


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
            if lines > LINES_OF_A_LONG_FUNCTION:
                yield f"{name}:{node.lineno}: {node.name} has {lines} lines"


def main(places: Sequence[str]) -> int:
    """Print long files and functions, then every banned word; return 1 if there is such a word, otherwise 0."""
    names = tracked_files(places)
    long_parts, problems = list(long_parts_in(names)), list(problems_in(names))
    for line in long_parts + problems:
        print(line)  # noqa: T201 - the result of the command
    print(  # noqa: T201 - as above
        f"{len(long_parts)} files or functions are long, {len(problems)} words are banned",
        file=sys.stderr,
    )
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
