"""The Lithuanian rules (Brain Games, 2009)."""

from typing import Final

from engine.rulebook import Rulebook

LT_2009: Final = Rulebook(
    key="lt-2009",
    continue_path=True,
    build_from_goal_alone=True,
    reveal_all_goals=True,
    circle_of_passes=False,
    pass_with_empty_hand=False,
    treasure_must_be_turned=False,
    gold_per_digger=False,
    nine_gold_cards_for_ten=True,
    leftovers_go_round=True,
    first_starter="agreed",
    next_starter="left-of-last-turn",
    gold_secrecy="should",
)
