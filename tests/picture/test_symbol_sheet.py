"""The drawings that a page defines once: all to which its pictures refer, and no others."""

import re

import pytest

from engine.cards import ACTION_CARDS, GOALS, PATH_CARDS, TOOLS, Card, Goal, Role
from tests.support.views import view_of
from webapp.kernel.i18n import language_for
from webapp.picture.cards import (
    draw_card,
    draw_goal,
    draw_gold,
    draw_portrait,
    draw_role,
    draw_tool,
)
from webapp.picture.mine import draw_mine
from webapp.picture.palette import LIGHT_PALETTE, PAGE_PALETTE
from webapp.picture.places import Place
from webapp.picture.symbol_sheet import with_symbols

ENGLISH = language_for("en")
ROLES: tuple[Role, ...] = ("digger", "saboteur")


def defined_ids(markup: str) -> list[str]:
    return re.findall(r'\bid="([^"]*)"', markup)


def missing_ids(markup: str) -> set[str]:
    """Return what is referred to and not defined."""
    return set(re.findall(r'href="#([^"]*)"', markup)) - set(defined_ids(markup))


def pictures_of_everything() -> str:
    places = [
        Place("G8", "Lay it", "?cell=G8"),
        Place("E3", "Remove it", "?cell=E3"),
        Place("H5", "Lay it", "?cell=H5", chosen=True),
    ]
    view = view_of(goals=("stone-tl", "treasure", None))
    goals: tuple[Goal | None, ...] = (None, *GOALS)
    return "".join(
        [
            draw_mine(view, PAGE_PALETTE, language=ENGLISH, places=places),
            *(
                draw_card(card, PAGE_PALETTE, language=ENGLISH, turned=turned)
                for card in (*PATH_CARDS, *ACTION_CARDS)
                for turned in (False, True)
            ),
            *(draw_goal(goal, PAGE_PALETTE, language=ENGLISH) for goal in goals),
            *(draw_gold(nuggets, PAGE_PALETTE, language=ENGLISH) for nuggets in (1, 2, 3)),
            *(
                draw(role, PAGE_PALETTE, language=ENGLISH)
                for role in ROLES
                for draw in (draw_role, draw_portrait)
            ),
            *(
                draw_tool(tool, PAGE_PALETTE, language=ENGLISH, broken=broken)
                for tool in TOOLS
                for broken in (False, True)
            ),
        ]
    )


def test_every_reference_of_a_picture_is_defined_once() -> None:
    page = with_symbols(pictures_of_everything())
    assert not missing_ids(page)
    ids = defined_ids(page)
    assert len(ids) == len(set(ids))


def test_page_without_pictures_has_no_sheet() -> None:
    assert with_symbols("<p>Rules</p>") == "<p>Rules</p>"


def test_sheet_has_only_what_the_page_shows() -> None:
    page = with_symbols(draw_goal(None, PAGE_PALETTE, language=ENGLISH))
    assert defined_ids(page) == ["symbols", "art-goal-back"]


def test_sheet_does_not_depend_on_the_order_of_pictures() -> None:
    cards: tuple[Card, ...] = ("map", "path-rl")
    first, second = (str(draw_card(card, PAGE_PALETTE, language=ENGLISH)) for card in cards)
    sheets = {
        str(with_symbols(pictures)).partition('<svg class="symbols"')[2]
        for pictures in (first + second, second + first)
    }
    assert len(sheets) == 1


def test_texts_of_players_define_nothing() -> None:
    assert "<svg" not in with_symbols("&lt;use href=&#34;#art-role-saboteur&#34;/&gt;")


@pytest.mark.parametrize("card", ["map", "path-trbl", "dead-tb", "break-cart"])
def test_picture_in_plain_colours_is_complete_in_itself(card: Card) -> None:
    assert "<use" not in draw_card(card, LIGHT_PALETTE, language=ENGLISH)


def test_mine_in_plain_colours_refers_only_to_itself() -> None:
    assert not missing_ids(draw_mine(view_of(), LIGHT_PALETTE, language=ENGLISH))
