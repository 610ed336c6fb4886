"""A mine is an immutable value: equality, growth and the ways to lay a card."""

import pytest

from engine.cards import PATH_CARDS
from engine.mine import Mine


def mine_with(**laid: str) -> Mine:
    cards = {"A5": "start"} | laid
    return Mine(continue_path=False, build_from_goal_alone=True, laid=cards)


def test_mine_grown_card_by_card_equals_one_built_at_once() -> None:
    extended_mine = mine_with().with_card("B5", "path-rl")
    assert extended_mine == mine_with(B5="path-rl")
    assert len({extended_mine, mine_with(B5="path-rl"), mine_with(B5="path-trbl")}) == 2


def test_mine_shows_its_cards_and_equals_no_other_type() -> None:
    assert repr(mine_with(B5="path-rl")) == "<Mine {'A5': 'start', 'B5': 'path-rl'}>"
    assert mine_with() != "mine"


def test_laying_a_card_leaves_the_original_mine_unchanged() -> None:
    empty_mine = mine_with()
    places = dict(empty_mine.open_cells)
    empty_mine.with_card("B5", "path-trbl")
    assert empty_mine == mine_with()
    assert empty_mine.open_cells == places


def test_ways_to_lay_a_card_are_indexed_from_zero() -> None:
    extended_mine = mine_with().with_card("B5", "path-trb")
    for card in PATH_CARDS:
        placements = extended_mine.placements(card)
        assert [extended_mine.placement(card, number) for number in range(len(placements))] == [
            *placements
        ]
        with pytest.raises(IndexError):
            extended_mine.placement(card, len(placements))
