from tests.reference_model.cards import (
    BREAKS,
    DECK,
    DIGGER_COUNTS,
    GOAL_CELLS,
    GOLD,
    HAND_SIZES,
    PATH_CARD_COUNTS,
    REPAIRS,
    SABOTEUR_COUNTS,
    START,
    edges_of,
    is_joined,
    orientations,
    recorded_orientation,
    tools_of,
)
from tests.reference_model.sketch import read_sketch


def test_deck_has_forty_path_and_twenty_seven_action_cards() -> None:
    assert sum(PATH_CARD_COUNTS.values()) == 40
    assert sum(DECK.values()) == 67
    assert sum(BREAKS.values()) == sum(REPAIRS.values()) == 9


def test_gold_is_forty_four_nuggets_on_twenty_eight_cards() -> None:
    assert sum(GOLD.values()) == 28
    assert sum(value * count for value, count in GOLD.items()) == 44


def test_role_pile_has_one_card_more_than_players() -> None:
    assert all(
        SABOTEUR_COUNTS[player_count] + DIGGER_COUNTS[player_count] == player_count + 1
        for player_count in range(3, 11)
    )


def test_deck_after_the_deal_lasts_the_expected_number_of_turns() -> None:
    turns = [67 - player_count * HAND_SIZES[player_count] for player_count in range(3, 11)]
    assert turns == [49, 43, 37, 37, 32, 35, 31, 27]


def test_turned_card_has_its_edges_rotated_by_half_a_circle_r16() -> None:
    assert edges_of("path-tr", turned=True) == {"B", "L"}
    assert edges_of("path-rb", turned=True) == {"T", "L"}
    assert edges_of("path-trb", turned=True) == {"T", "B", "L"}
    assert edges_of("path-rbl", turned=True) == {"T", "R", "L"}
    assert edges_of("dead-b", turned=True) == {"T"}
    assert edges_of("dead-l", turned=True) == {"R"}
    assert edges_of("stone-tl", turned=True) == {"R", "B"}
    assert edges_of("stone-tr", turned=True) == {"B", "L"}


def test_six_kinds_of_path_cards_look_alike_when_turned() -> None:
    symmetric_cards = {code for code in PATH_CARD_COUNTS if orientations(code) == (False,)}
    assert symmetric_cards == {"path-trbl", "path-tb", "path-rl", "dead-tb", "dead-rl", "dead-trbl"}


def test_symmetric_card_is_recorded_as_printed_e35() -> None:
    assert recorded_orientation("path-rl", turned=True) is False
    assert recorded_orientation("path-tr", turned=True) is True
    assert not any(recorded_orientation(code, turned=False) for code in PATH_CARD_COUNTS)


def test_edges_of_a_dead_end_are_not_joined() -> None:
    assert {code for code in PATH_CARD_COUNTS if not is_joined(code)} == {
        code for code in PATH_CARD_COUNTS if code.startswith("dead-")
    }
    assert sum(PATH_CARD_COUNTS[code] for code in PATH_CARD_COUNTS if not is_joined(code)) == 9


def test_double_repair_names_two_tools() -> None:
    assert tools_of("repair-lantern-cart") == ("lantern", "cart")
    assert tools_of("break-pickaxe") == ("pickaxe",)


def test_mine_begins_with_the_start_and_three_goals_face_down_r4() -> None:
    mine = read_sketch("""
........a
.........
S.......$
.........
........b
""")
    assert mine.laid == [START]
    assert set(mine.face_down) == set(GOAL_CELLS)
