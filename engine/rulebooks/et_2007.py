"""The Estonian rules (Brain Games, 2007)."""

from typing import Final

from engine.rulebook import Rulebook

ET_2007: Final = Rulebook(
    key="et-2007",
    continue_path=False,
    build_from_goal_alone=True,
    reveal_all_goals=False,
    circle_of_passes=True,
    pass_with_empty_hand=True,
    treasure_must_be_turned=True,
    gold_per_digger=False,
    nine_gold_cards_for_ten=True,
    leftovers_go_round=True,
    first_starter="anyone",
    next_starter="left-of-last-turn",
    gold_secrecy="recommended",
)
