"""The Ukrainian rules (Igromag, 2017)."""

from typing import Final

from engine.rulebook import Rulebook

UK_2017: Final = Rulebook(
    key="uk-2017",
    continue_path=False,
    build_from_goal_alone=True,
    reveal_all_goals=False,
    circle_of_passes=True,
    pass_with_empty_hand=False,
    treasure_must_be_turned=True,
    gold_per_digger=True,
    nine_gold_cards_for_ten=False,
    leftovers_go_round=False,
    first_starter="youngest",
    next_starter="left-of-last-turn",
    gold_secrecy="table-may-choose",
)
