import random  # noqa: TID251 - the model shares nothing with the engine, its shuffle included
from collections import Counter

import pytest

from tests.reference_model.cards import edges_of, is_joined
from tests.reference_model.differences import RULEBOOKS
from tests.reference_model.gold import winning_side
from tests.reference_model.random_rounds import RandomRound
from tests.reference_model.reaching import matches_neighbours
from tests.reference_model.turns import ModelAction
from tests.support.rulebook_groups import MUST_CONTINUE_PATH_RULEBOOKS, every_rulebook
from tests.support.sizes import case_count

SHORTEST_ROUND_TURN_COUNTS = {3: 52, 4: 47, 5: 42, 6: 43, 7: 39, 8: 43, 9: 40, 10: 37}


@pytest.mark.parametrize("players", [3, 5, 8, 10])
@every_rulebook
def test_random_round_lasts_as_long_as_the_rulebooks_say(rulebook: str, players: int) -> None:
    chance = random.Random(players)
    rounds = (RandomRound(rulebook, players=players, chance=chance) for _ in range(20))
    round_without_treasure = next(
        random_round for random_round in rounds if random_round.play() != {"treasure"}
    )
    turns = len(round_without_treasure.turns)
    assert (
        turns == 67
        if rulebook in MUST_CONTINUE_PATH_RULEBOOKS
        else SHORTEST_ROUND_TURN_COUNTS[players] <= turns <= 67
    )


@every_rulebook
def test_path_cards_match_their_neighbours_after_a_random_round(rulebook: str) -> None:
    random_round = RandomRound(rulebook, players=4, chance=random.Random(44))
    random_round.play()
    laid = [card for card in random_round.laid if card[4] != "goal"]
    assert len(laid) > 5
    assert all(matches_neighbours(laid, (x, y), edges) for x, y, edges, _, _ in laid)


def test_random_play_finds_the_treasure_in_less_than_one_percent_of_rounds() -> None:
    chance = random.Random(4)
    rounds = [
        RandomRound(RULEBOOKS[number % 6], players=3 + number % 8, chance=chance)
        for number in range(4 * case_count("reference_model_rounds"))
    ]
    assert sum(random_round.play() == {"treasure"} for random_round in rounds) <= 1


@every_rulebook
def test_both_sides_win_some_rounds_when_players_dig_eastward(
    rulebook: str,
) -> None:
    chance = random.Random(5)
    winner_counts = Counter(
        winning_side_of(
            RandomRound(rulebook, players=5, chance=chance, preference_of=eastward_preference)
        )
        for _ in range(case_count("reference_model_rounds"))
    )
    assert set(winner_counts) == {"diggers", "saboteurs"}


def eastward_preference(action: ModelAction) -> int:
    """Rank laying conducting cards that lead on eastwards, but not past the goals."""
    kind, code, x, _, turned = (*action, 0, 0, 0, 0)[:5]
    if kind != "lay" or not isinstance(x, int) or x > 8 or not is_joined(str(code)):
        return 0
    return 10 + x if "R" in edges_of(str(code), turned=bool(turned)) else 1


def winning_side_of(random_round: RandomRound) -> str:
    face_down_goals = dict(random_round.face_down)
    random_round.play()
    (treasure,) = [cell for cell, goal in face_down_goals.items() if goal == "treasure"]
    side = winning_side(
        random_round.rulebook, random_round.laid, treasure=treasure, roles={0: "saboteur"}
    )
    assert side == ("diggers" if random_round.treasure else "saboteurs")
    return side
