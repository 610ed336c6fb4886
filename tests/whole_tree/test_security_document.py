"""docs/security.md answers every requirement of OWASP ASVS 5.0, levels 1 and 2, and names only files and tests that exist."""

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "security.md"
_COUNTS = """
1.1:2 1.2:9 1.3:11 1.4:3 1.5:2
2.1:3 2.2:3 2.3:4 2.4:1
3.2:2 3.3:4 3.4:6 3.5:5 3.7:2
4.1:3 4.2:1 4.3:2 4.4:4
5.1:1 5.2:3 5.3:2 5.4:3
6.1:3 6.2:12 6.3:4 6.4:4 6.5:5 6.6:3 6.8:4
7.1:3 7.2:4 7.3:2 7.4:5 7.5:2 7.6:2
8.1:2 8.2:3 8.3:1 8.4:1
9.1:3 9.2:4
10.1:2 10.2:2 10.3:4 10.4:11 10.5:5 10.6:2 10.7:3
11.1:2 11.2:3 11.3:3 11.4:4 11.5:1 11.6:1
12.1:3 12.2:2 12.3:4
13.1:1 13.2:5 13.3:2 13.4:5
14.1:2 14.2:4 14.3:3
15.1:3 15.2:3 15.3:7
16.1:1 16.2:5 16.3:4 16.4:3 16.5:3
17.1:1 17.2:4 17.3:2
"""
REQUIREMENTS_BY_SECTION = {
    section: int(count) for section, count in (pair.split(":") for pair in _COUNTS.split())
}
"""How many requirements of levels 1 and 2 each section has. The standard lists them first, so they are numbered from 1."""
ANSWERS = ("met", "in part", "not met", "operator", "not applicable")
"""How an answer begins. Only the first two must name what meets the requirement."""


def rows() -> list[tuple[str, str]]:
    """Return numbers and answer of each row."""
    lines = DOCUMENT.read_text(encoding="utf-8").splitlines()
    cells = [line.strip("|").split(" | ") for line in lines if line.startswith("| V")]
    assert all(len(row) == 3 for row in cells)
    return [(row[0].strip(), row[2].strip()) for row in cells]


def numbers_in(text: str) -> list[str]:
    """Return the requirements that ``V1.2.1-3, V1.3.1`` names."""
    numbers = []
    for part in text.split(", "):
        match = re.fullmatch(r"V(\d+\.\d+)\.(\d+)(?:-(\d+))?", part)
        assert match, part
        first = int(match[2])
        numbers += [f"{match[1]}.{number}" for number in range(first, int(match[3] or first) + 1)]
    return numbers


def quoted_files() -> list[str]:
    return re.findall(r"`([\w./-]+\.\w+(?:::\w+)?)`", DOCUMENT.read_text(encoding="utf-8"))


def test_every_requirement_is_answered_once() -> None:
    counts = Counter(number for numbers, _ in rows() for number in numbers_in(numbers))
    expected = [
        f"{section}.{number}"
        for section, count in REQUIREMENTS_BY_SECTION.items()
        for number in range(1, count + 1)
    ]
    assert counts == Counter(expected)


def test_standard_has_253_requirements_of_levels_1_and_2() -> None:
    assert sum(REQUIREMENTS_BY_SECTION.values()) == 253


@pytest.mark.parametrize("numbers, answer", rows())
def test_answer_says_what_meets_the_requirement(numbers: str, answer: str) -> None:
    kind, _, text = answer.partition(": ")
    assert kind in ANSWERS
    assert text.endswith("."), numbers
    if kind in ANSWERS[:2]:
        assert re.search(r"`[\w./-]+\.\w+|\[[^]]+\]\(#", text), numbers


def test_files_and_tests_that_are_named_exist() -> None:
    named = [name for name in quoted_files() if name.split("/")[0] in top_level_names()]
    assert len(named) > 100
    missing = [name for name in named if not is_existing(*name.partition("::")[::2])]
    assert missing == []


def test_links_within_the_document_lead_to_a_heading() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    headings = {
        re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-")
        for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= headings


def top_level_names() -> set[str]:
    return {path.name for path in ROOT.iterdir()}


def is_existing(path: str, test_name: str) -> bool:
    file = ROOT / path
    return file.is_file() and (
        not test_name or f"def {test_name}(" in file.read_text(encoding="utf-8")
    )
