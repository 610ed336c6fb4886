"""The check of classes sees one that only a template has, and one that only the style sheet has."""

from tests.whole_tree.style_classes import (
    classes_of_style_sheet,
    problems,
    unknown_classes,
    unused_classes,
)

STYLE_CLASSES = classes_of_style_sheet(
    ".seat { top: .5rem } /* .gone {} */ @media print { .seat--late > .chip--bad { left: 0 } }"
)


def test_every_class_is_in_a_template_and_in_the_style_sheet() -> None:
    assert list(problems()) == []


def test_style_sheet_has_the_classes_of_its_selectors() -> None:
    assert {"seat", "seat--late", "chip--bad"} == STYLE_CLASSES


def test_class_without_a_style_is_found() -> None:
    markup = '<p class="seat{% if x %} seat--lost{% endif %}"><b class="chip chip--{{ kind }}">'
    assert list(unknown_classes(markup, STYLE_CLASSES)) == ["chip", "seat--lost"]
    assert list(unknown_classes('<b class="mark--{{ kind }}">', STYLE_CLASSES)) == ["mark--..."]


def test_style_without_a_place_is_found() -> None:
    assert unused_classes(STYLE_CLASSES, ['class="seat"', "f'chip--{kind}'"]) == ["seat--late"]
