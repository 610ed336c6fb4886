"""Every rule and edge case of the rulebooks is cited where the engine implements it, and in the name of a test."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import engine
from engine.errors import Reason

RULE_TESTS_FOLDER = Path(__file__).parent
ENGINE_FOLDER = Path(engine.__file__ or "").parent

RULE_NUMBERS = (*range(2, 51), 52)
EDGE_CASE_NUMBERS = (*range(1, 26), *range(27, 37))
ALL_RULES = (
    *(f"R{number}" for number in RULE_NUMBERS),
    *(f"E{number}" for number in EDGE_CASE_NUMBERS),
)
"""All rules and edge cases of the rulebooks; the missing numbers were merged into others."""

_CITATION_PATTERN = re.compile(r"\b([RE])(\d+)(?:-\1(\d+))?\b")
_RULE_IN_NAME_PATTERN = re.compile(r"_([re]\d+)(?=_|\b)")


def cited_numbers(text: str) -> set[str]:
    """Return the numbers cited in a text; ``R13-R16`` cites four."""
    return {
        f"{kind}{number}"
        for kind, first_number, last_number in _CITATION_PATTERN.findall(text)
        for number in range(int(first_number), int(last_number or first_number) + 1)
    }


def docstrings_and_comments(folder: Path) -> Iterator[str]:
    """Yield the comments and docstrings but not those of modules, which do not show where a rule is implemented."""
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        yield from re.findall(r"# .*", text)
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                yield "" if node is tree.body[0] else str(node.value.value)


def names_of_tests(folder: Path) -> Iterator[str]:
    for path in sorted(folder.glob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield node.name


RULES_CITED_IN_ENGINE = set().union(*map(cited_numbers, docstrings_and_comments(ENGINE_FOLDER)))
RULES_NAMED_IN_TESTS = {
    number.upper()
    for name in names_of_tests(RULE_TESTS_FOLDER)
    for number in _RULE_IN_NAME_PATTERN.findall(name)
}


def test_every_rule_is_cited_where_it_is_implemented() -> None:
    assert [number for number in ALL_RULES if number not in RULES_CITED_IN_ENGINE] == []


def test_every_rule_is_named_by_a_test() -> None:
    assert [number for number in ALL_RULES if number not in RULES_NAMED_IN_TESTS] == []


def test_every_cited_rule_exists() -> None:
    assert set(ALL_RULES) >= RULES_CITED_IN_ENGINE
    assert set(ALL_RULES) >= RULES_NAMED_IN_TESTS
    assert set(ALL_RULES) >= {reason.rule for reason in Reason}
