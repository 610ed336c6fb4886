"""The rules of the Swedish web article, with its translation errors corrected."""

from typing import Final

from engine.rulebook import Rulebook

SV_WEB: Final = Rulebook(
    key="sv-web",
    continue_path=True,
    build_from_goal_alone=False,
    reveal_all_goals=True,
    circle_of_passes=False,
    pass_with_empty_hand=False,
    treasure_must_be_turned=False,
    gold_per_digger=False,
    nine_gold_cards_for_ten=True,
    leftovers_go_round=True,
    first_starter="agreed",
    next_starter="left-of-first-starter",
    gold_secrecy="must",
)
