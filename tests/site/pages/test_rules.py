"""A page per rulebook says what is in force there, and every refusal finds its rule on it."""

import re
from typing import Any

import msgspec
import pytest

from engine.cards import ACTION_CARDS, PATH_CARDS
from engine.errors import Reason
from engine.rulebook import Rulebook
from engine.rulebooks.catalogue import RULEBOOKS
from tests.support.rendering import ENGLISH, rendered, template_environment
from webapp.rules_text.comparison_table import comparison
from webapp.rules_text.pages import chapters
from webapp.wording.tables import rulebook_name, rulebook_summary

ALL_BOOKS = list(RULEBOOKS.values())
RULES_OF_EVERY_BOOK = {
    *(f"R{number}" for number in range(2, 51)),
    "R52",
    *[
        "E1",
        "E2",
        "E3",
        "E6",
        "E7",
        "E8",
        "E9",
        "E10",
        "E11",
        "E12",
        "E14",
        "E15",
        "E16",
        "E18",
        "E19",
        "E20",
        "E21",
        "E22",
        "E27",
        "E29",
        "E30",
        "E31",
        "E32",
        "E35",
    ],
}
CONDITIONAL_RULES = {
    "E4": lambda book: not book.reveal_all_goals,
    "E5": lambda book: not book.reveal_all_goals,
    "E13": lambda book: book.circle_of_passes,
    "E17": lambda book: book.gold_per_digger,
    "E23": lambda book: not book.continue_path,
    "E24": lambda book: book.continue_path,
    "E25": lambda book: not book.build_from_goal_alone,
    "E28": lambda book: book.next_starter == "left-of-first-starter",
    "E33": lambda book: book.key == "sv-web",
    "E34": lambda book: book.key == "lt-2009",
    "E36": lambda book: book.key in {"et-2007", "uk-2017"},
}


def anchors_of(book: Rulebook) -> list[str]:
    return [
        id_ for chapter in chapters(book, ENGLISH) for rule in chapter.rules for id_ in rule.ids
    ]


def text_of(book: Rulebook, number: str) -> str:
    (rule,) = (
        rule for chapter in chapters(book, ENGLISH) for rule in chapter.rules if number in rule.ids
    )
    return " ".join(rule.text)


@pytest.mark.parametrize("book", ALL_BOOKS, ids=list(RULEBOOKS))
def test_page_has_one_anchor_for_each_rule_in_force(book: Rulebook) -> None:
    anchors = anchors_of(book)
    assert len(anchors) == len(set(anchors))
    rules_in_force = {
        number for number, is_in_force in CONDITIONAL_RULES.items() if is_in_force(book)
    }
    assert set(anchors) == RULES_OF_EVERY_BOOK | rules_in_force


@pytest.mark.parametrize("book", ALL_BOOKS, ids=list(RULEBOOKS))
def test_every_refusal_links_to_an_existing_anchor(book: Rulebook) -> None:
    assert {reason.rule for reason in Reason} <= set(anchors_of(book))


@pytest.mark.parametrize("book", ALL_BOOKS, ids=list(RULEBOOKS))
def test_every_rule_text_is_whole_sentences(book: Rulebook) -> None:
    for chapter in chapters(book, ENGLISH):
        assert chapter.title
        for rule in chapter.rules:
            assert rule.text
            assert all(re.fullmatch(r"[A-Z].*\.", text, re.DOTALL) for text in rule.text)
            assert set(rule.cards) <= set(PATH_CARDS) | set(ACTION_CARDS)


def test_rulebook_pages_differ() -> None:
    pages = {chapters(book, ENGLISH) for book in ALL_BOOKS}
    assert len(pages) == len(ALL_BOOKS)


SWITCHES = {
    "continue_path": ("R13", True, False),
    "build_from_goal_alone": ("R14", True, False),
    "reveal_all_goals": ("R28", True, False),
    "circle_of_passes": ("R32", True, False),
    "pass_with_empty_hand": ("R12", True, False),
    "treasure_must_be_turned": ("R35", True, False),
    "gold_per_digger": ("R36", True, False),
    "nine_gold_cards_for_ten": ("R37", True, False),
    "leftovers_go_round": ("R40", True, False),
    "first_starter": ("R6", "agreed", "anyone", "youngest"),
    "next_starter": ("R49", "left-of-last-turn", "left-of-first-starter"),
    "gold_secrecy": ("R46", "must", "should", "recommended", "table-may-choose"),
}


def test_every_switch_of_a_rulebook_is_tested() -> None:
    assert set(SWITCHES) == set(Rulebook.__struct_fields__) - {"key"}


@pytest.mark.parametrize("switch", SWITCHES)
def test_rulebook_page_depends_on_each_switch(switch: str) -> None:
    number, *values = SWITCHES[switch]
    plain_rulebook = msgspec.structs.replace(RULEBOOKS["lv-2009"], gold_per_digger=False)
    texts = {
        text_of(msgspec.structs.replace(plain_rulebook, **{switch: value}), number)
        for value in values
    }
    assert len(texts) == len(values)


@pytest.mark.parametrize("switch", sorted(SWITCHES.keys() - {"next_starter"}))
def test_comparison_answers_differ_exactly_where_a_switch_does(switch: str) -> None:
    number, *_ = SWITCHES[switch]
    (row,) = (row for row in comparison(ENGLISH).rows if number in row.rules)
    values = [getattr(book, switch) for book in ALL_BOOKS]
    answers = [answer.text for answer in row.answers]
    for value, answer in zip(values, answers, strict=True):
        for other_value, other_answer in zip(values, answers, strict=True):
            assert (value == other_value) == (answer == other_answer)


def test_comparison_says_who_starts_the_next_rounds_as_the_engine_does_r49() -> None:
    """Two switches decide: with passes to the full circle, the one who completes it ends the round."""
    table = comparison(ENGLISH)
    (row,) = (row for row in table.rows if row.rules == ("R49",))
    answers = {
        column.key: answer.text for column, answer in zip(table.columns, row.answers, strict=True)
    }
    assert "completed the circle of passes" in answers["et-2007"]
    assert answers["sv-web"] == "left of the player who started round one"
    assert {answers[key] for key in ("en-2004", "lv-2009", "lt-2009", "uk-2017")} == {
        "the player to the left of the one who had the last turn"
    }


def test_comparison_marks_uncommon_answers() -> None:
    table = comparison(ENGLISH)
    (row,) = (row for row in table.rows if row.rules == ("R36",))
    rulebooks_with_marked_answers = [
        column.key
        for column, answer in zip(table.columns, row.answers, strict=True)
        if answer.is_unusual
    ]
    assert rulebooks_with_marked_answers == ["uk-2017"]


def test_rulebook_pages_match_the_printed_rules() -> None:
    assert "one of its tunnels has to meet" in text_of(RULEBOOKS["lt-2009"], "R13")
    assert "doesn't have to connect" in text_of(RULEBOOKS["en-2004"], "R25")
    assert "with ten players, nine cards" in text_of(RULEBOOKS["et-2007"], "R37")
    assert "no exception for ten" in text_of(RULEBOOKS["uk-2017"], "R37")
    assert "youngest" in text_of(RULEBOOKS["uk-2017"], "R6")
    assert "can't build on from goals alone" in text_of(RULEBOOKS["sv-web"], "E25")


def test_rulebook_pages_explain_the_circle_of_passes() -> None:
    """R12, R32, R49, E2, E13: one rulebook lets empty hands pass, the two others with a circle of passes do not."""
    et_2007, uk_2017, en_2004 = (RULEBOOKS[key] for key in ("et-2007", "uk-2017", "en-2004"))
    assert "without giving up a card" in text_of(et_2007, "R12")
    assert "completes the circle has ended the round" in text_of(et_2007, "R32")
    assert "completing the circle of passes" in text_of(et_2007, "R49")
    assert "the player who ended the round" in text_of(et_2007, "E2")
    for book in (uk_2017, en_2004):
        assert "you can't pass without giving one up" in text_of(book, "R12")
        assert "the round ends right away" in text_of(book, "R32")
        assert "had the last turn" in text_of(book, "R49")
        assert "had the last turn" in text_of(book, "E2")


def test_rulebook_pages_explain_the_readings_of_the_engine() -> None:
    assert "a lone saboteur is paid" in text_of(RULEBOOKS["sv-web"], "E33")
    assert "closes a gap further back" in text_of(RULEBOOKS["lt-2009"], "E34")
    for key in ("et-2007", "uk-2017"):
        assert "a card beside nothing but a face-down goal" in text_of(RULEBOOKS[key], "E36")
        assert "is our choice" in text_of(RULEBOOKS[key], "E2")
        assert "is our choice" in text_of(RULEBOOKS[key], "E4")
        assert "because no one has a playable card" in text_of(RULEBOOKS[key], "R32")
    assert "recommend" in text_of(RULEBOOKS["et-2007"], "R46")
    assert "don't say" in text_of(RULEBOOKS["uk-2017"], "R46")
    assert "doesn't matter" in text_of(RULEBOOKS["et-2007"], "R6")
    for book in ALL_BOOKS:
        assert "after a seat was given up" not in text_of(book, "R12")
        assert "recorded as printed" in text_of(book, "E35")


def render_template(name: str, /, **values: Any) -> str:
    return rendered(template_environment().get_template(name), **values)


@pytest.mark.parametrize("key", RULEBOOKS)
def test_rulebook_page_has_an_anchor_for_every_rule(
    key: str,
) -> None:
    book = RULEBOOKS[key]
    page = render_template(
        "site/rules/rulebook.html",
        rulebook=book,
        chapters=chapters(book, ENGLISH),
        name=rulebook_name(key, ENGLISH),
        summary=rulebook_summary(key, ENGLISH),
        others=[
            (other_value, rulebook_name(other_value, ENGLISH), f"/rules/{other_value}")
            for other_value in RULEBOOKS
        ],
        compare_href="/rules",
    )
    ids = re.findall(r'\sid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert set(anchors_of(book)) <= set(ids)
    assert {chapter.key for chapter in chapters(book, ENGLISH)} <= set(ids)
    links = set(re.findall(r'href="#([^"]+)"', page))
    assert links <= set(ids)
    assert page.count("<figure>") == sum(
        len(rule.cards) for chapter in chapters(book, ENGLISH) for rule in chapter.rules
    )
    assert "style=" not in page


def test_comparison_links_every_answer_to_its_rule() -> None:
    table = comparison(ENGLISH)
    page = render_template(
        "site/rules/compare.html",
        comparison=table,
        hrefs={key: f"/rules/{key}" for key in RULEBOOKS},
    )
    for key, book in RULEBOOKS.items():
        anchors = re.findall(rf'href="/rules/{key}#([^"]+)"', page)
        assert len(anchors) == len(table.rows)
        assert set(anchors) <= set(anchors_of(book))


def test_every_rule_page_says_how_quickly_bots_answer() -> None:
    for book in ALL_BOOKS:
        [chapter] = [chapter for chapter in chapters(book, ENGLISH) if chapter.key == "bots"]
        assert "answer almost at once" in str(chapter.rules)
