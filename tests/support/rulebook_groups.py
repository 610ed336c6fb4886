"""The rulebooks grouped by the rules in which they differ, and marks that run a test under each rulebook of a group.

The groups are written out by hand, so that they check both the engine's switches and the reference model's table.
"""

from typing import Final

import pytest

ALL_RULEBOOKS: Final = ("en-2004", "lv-2009", "et-2007", "sv-web", "lt-2009", "uk-2017")
MUST_CONTINUE_PATH_RULEBOOKS: Final = ("lv-2009", "sv-web", "lt-2009")
"""A path card must continue a path from the start (R13), and only empty hands end a round (R32)."""
ANY_NEIGHBOUR_RULEBOOKS: Final = ("et-2007", "uk-2017", "en-2004")
"""A path card may be laid beside any laid card (E23)."""
PASSES_END_ROUND_RULEBOOKS: Final = ANY_NEIGHBOUR_RULEBOOKS
"""A full circle of passes ends the round (R32)."""
ONE_GOAL_RULEBOOKS: Final = ("et-2007", "uk-2017")
"""A path card turns over one reached goal, chosen by the player (R28)."""
ALL_GOALS_RULEBOOKS: Final = ("lv-2009", "sv-web", "lt-2009", "en-2004")
"""A path card turns over every reached goal (R28)."""

every_rulebook = pytest.mark.parametrize("rulebook", ALL_RULEBOOKS)
must_continue_path_rulebooks = pytest.mark.parametrize("rulebook", MUST_CONTINUE_PATH_RULEBOOKS)
any_neighbour_rulebooks = pytest.mark.parametrize("rulebook", ANY_NEIGHBOUR_RULEBOOKS)
passes_end_round_rulebooks = pytest.mark.parametrize("rulebook", PASSES_END_ROUND_RULEBOOKS)
one_goal_rulebooks = pytest.mark.parametrize("rulebook", ONE_GOAL_RULEBOOKS)
all_goals_rulebooks = pytest.mark.parametrize("rulebook", ALL_GOALS_RULEBOOKS)
every_number_of_seats = pytest.mark.parametrize("seats", range(3, 11))
