"""What an action shows to the table: its kind, its target and what it did to the path."""

import pytest

from engine.bots.evidence import role_weights_after, suspicions_after
from engine.bots.public_actions import PublicAction, public_actions
from engine.mine import Mine
from engine.narration import Line, LineKey

MINE = Mine(continue_path=False, build_from_goal_alone=True)
DEALT = Line(key=LineKey.ROUND_DEALT, round=1, seat=0)


def laid(card: str, cell: str, *, turned: bool = False) -> Line:
    return Line(key=LineKey.CARD_LAID, seat=0, card=card, cell=cell, turned=turned)


def actions_in(*lines: Line) -> list[PublicAction]:
    return list(public_actions([DEALT, *lines], MINE))


def test_card_toward_the_goals_makes_progress_and_a_dead_end_does_not() -> None:
    straight, dead_end = actions_in(laid("path-rl", "B5"), laid("dead-rl", "C5"))
    assert straight.gain == pytest.approx(1)
    assert not straight.is_dead_end
    assert dead_end.gain < 0
    assert dead_end.is_dead_end


def test_rockfall_on_the_path_loses_the_progress_of_the_removed_card() -> None:
    laid_card, removed_card = actions_in(
        laid("path-rl", "B5"), Line(key=LineKey.ROCK_FELL, seat=1, card="path-rl", cell="B5")
    )
    assert (removed_card.kind, removed_card.seat) == ("rockfall", 1)
    assert removed_card.gain == pytest.approx(-laid_card.gain)


def test_card_that_closes_a_gap_gains_the_progress_of_the_path_behind_it() -> None:
    path = [laid("path-rl", f"{column}5") for column in "BCDE"]
    rockfall = Line(key=LineKey.ROCK_FELL, seat=1, card="path-rl", cell="C5")
    removed_card, repaired_path = actions_in(*path, rockfall, laid("path-rl", "C5"))[-2:]
    assert removed_card.gain < -1
    assert repaired_path.gain == pytest.approx(-removed_card.gain)


def test_broken_tool_is_remembered_until_it_is_repaired() -> None:
    lines = (
        Line(key=LineKey.TOOL_BROKEN, seat=1, target=2, tool="cart"),
        Line(key=LineKey.DISCARDED, seat=2),
        Line(key=LineKey.OWN_TOOL_REPAIRED, seat=2, tool="cart", card="repair-cart"),
        Line(key=LineKey.PASSED, seat=2),
    )
    tool_break, discard, repair, pass_action = actions_in(*lines)
    assert (tool_break.kind, tool_break.target) == ("break", 2)
    assert (discard.kind, discard.had_broken_tool) == ("discard", True)
    assert (repair.kind, repair.target, repair.had_broken_tool) == ("repair-own", 2, True)
    assert (pass_action.kind, pass_action.had_broken_tool) == ("pass", False)


def test_stone_that_lies_face_up_is_no_longer_a_destination() -> None:
    stone = Line(key=LineKey.STONE_TURNED, seat=0, cell="I5", goal="stone-tl")
    action_before_stone, action_after_stone = (
        actions_in(*lines, Line(key=LineKey.DISCARDED, seat=1))[-1] for lines in ((), (stone,))
    )
    assert action_after_stone.cards_needed > action_before_stone.cards_needed


def test_laid_cards_are_no_evidence_after_a_rewind_and_broken_tools_still_are() -> None:
    lines = [
        DEALT,
        laid("path-rl", "B5"),
        Line(key=LineKey.REWOUND, to_seq=0),
        laid("dead-rl", "B5"),
        Line(key=LineKey.STONE_TURNED, seat=0, cell="I5", goal="stone-tl"),
        Line(key=LineKey.TOOL_BROKEN, seat=1, target=2, tool="cart"),
    ]
    lay, attack = public_actions(lines, MINE)
    assert (lay.gain, lay.cards_needed) == (0, 0)
    assert attack.target == 2


def test_history_of_earlier_rounds_does_not_count() -> None:
    lines = [DEALT, laid("path-rl", "B5"), DEALT, Line(key=LineKey.DISCARDED, seat=1)]
    assert [action.kind for action in public_actions(lines, MINE)] == ["discard"]


@pytest.mark.parametrize(
    "helpful_line,harmful_line",
    [
        (laid("path-rl", "B5"), laid("dead-rl", "B5")),
        (
            Line(key=LineKey.TOOL_REPAIRED, seat=0, target=2, tool="cart", card="repair-cart"),
            Line(key=LineKey.TOOL_BROKEN, seat=0, target=2, tool="cart"),
        ),
        (Line(key=LineKey.GOAL_LOOKED_AT, seat=0, cell="I5"), Line(key=LineKey.DISCARDED, seat=0)),
    ],
)
def test_harmful_action_is_more_suspicious_than_a_helpful_one(
    helpful_line: Line, harmful_line: Line
) -> None:
    lower_suspicion, higher_suspicion = (
        suspicions_after(actions_in(line), 3)[0] for line in (helpful_line, harmful_line)
    )
    assert lower_suspicion < higher_suspicion


def test_rockfall_is_judged_by_what_it_removed() -> None:
    rockfall_on_path = Line(key=LineKey.ROCK_FELL, seat=1, card="path-rl", cell="B5")
    rockfall_on_dead_end = Line(key=LineKey.ROCK_FELL, seat=1, card="dead-rl", cell="B5")
    rockfall_on_island = Line(key=LineKey.ROCK_FELL, seat=1, card="path-tb", cell="A6")
    suspicion_after_damage = suspicions_after(
        actions_in(laid("path-rl", "B5"), rockfall_on_path), 3
    )[1]
    suspicion_after_clearing = suspicions_after(
        actions_in(laid("dead-rl", "B5"), rockfall_on_dead_end), 3
    )[1]
    suspicion_after_harmless_rockfall = suspicions_after(
        actions_in(laid("path-tb", "A6"), rockfall_on_island), 3
    )[1]
    assert suspicion_after_clearing < 0 < suspicion_after_harmless_rockfall < suspicion_after_damage


def test_detour_is_less_suspicious_than_a_useless_dead_end() -> None:
    detour_suspicion = suspicions_after(
        actions_in(laid("path-rl", "B5"), laid("path-tb", "A6")), 3
    )[0]
    dead_end_suspicion = suspicions_after(
        actions_in(laid("path-rl", "B5"), laid("dead-tb", "A6")), 3
    )[0]
    assert detour_suspicion < dead_end_suspicion


def test_weight_of_repeated_evidence_is_limited() -> None:
    attack = Line(key=LineKey.TOOL_BROKEN, seat=0, target=1, tool="cart")
    [weight, *_] = role_weights_after(actions_in(*[attack] * 100), 3)
    assert 100 < weight < 1000


def test_actions_after_the_treasure_is_face_up_are_not_observed() -> None:
    treasure = Line(key=LineKey.TREASURE_TURNED, seat=0, cell="I5", goal="treasure")
    assert [action.kind for action in actions_in(laid("path-rl", "B5"), treasure)] == ["lay"]
