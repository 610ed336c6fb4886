"""The English first edition (AMIGO, 2004): the default for groups that own none of the other five."""

from typing import Final

from engine.rulebook import Rulebook

EN_2004: Final = Rulebook(
    key="en-2004",
    continue_path=False,
    build_from_goal_alone=True,
    reveal_all_goals=True,
    circle_of_passes=True,
    pass_with_empty_hand=False,
    treasure_must_be_turned=False,
    gold_per_digger=False,
    nine_gold_cards_for_ten=True,
    leftovers_go_round=True,
    first_starter="youngest",
    next_starter="left-of-last-turn",
    gold_secrecy="should",
)
