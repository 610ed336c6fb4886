"""R31-R35, R47-R50, E2, E13, E14, E28, E30: when a round ends, who won it, who starts the next, who wins the game."""

import msgspec
import pytest

from engine.actions import Discard, Lay, Look, TakeGold
from engine.cells import GOAL_CELLS
from engine.events import (
    Dealt,
    Event,
    GameEnded,
    GoldDrawn,
    GoldPaid,
    Passed,
    RoundEnded,
    TurnBegan,
)
from engine.reaching import treasure_is_found
from engine.rulebook import HouseRules
from engine.rulebooks.catalogue import RULEBOOKS
from engine.state import State
from engine.story import LineKey, narrate
from engine.view import awaiting, legal_actions, view_for
from engine.wire import decode_events, encode_events
from tests.support.drawn_positions import drawn
from tests.support.positions import (
    CIRCLING,
    CONNECTING,
    Dice,
    Game,
    at,
    erring_action,
    every_rulebook,
    gold_held,
    happens,
    menu,
    play,
    told,
)

circling = pytest.mark.parametrize("rulebook", CIRCLING)
DISCARD = Discard("map")


def last_cards(rulebook: str, cards: int = 1, roles: str = "dds", **changes: object) -> State:
    """The deck is empty and everybody holds a few maps; seat 0 is on turn."""
    hands = {seat: ["map"] * cards for seat in range(len(roles))}
    return drawn("S", rulebook, hands=hands, deck=[], roles=roles, **changes)  # type: ignore[arg-type]


def endings(state: State, *actions: Discard | Lay) -> list[str]:
    for action in actions[:-1]:
        state = play(state, action)
    return [event.ending for event in told(happens(state, actions[-1]), RoundEnded)]


@every_rulebook
def test_the_round_ends_when_deck_and_all_hands_are_empty_r32(rulebook: str) -> None:
    state = last_cards(rulebook)
    assert endings(state, DISCARD, DISCARD) == []
    assert endings(state, DISCARD, DISCARD, DISCARD) == ["exhausted"]


@pytest.mark.parametrize("rulebook", CONNECTING)
def test_where_hands_must_be_empty_no_circle_of_passes_ends_the_round_r32(rulebook: str) -> None:
    assert endings(last_cards(rulebook, cards=3), *[DISCARD] * 5) == []
    assert endings(last_cards(rulebook, cards=3), *[DISCARD] * 9) == ["exhausted"]


@circling
def test_a_full_circle_of_passes_ends_the_round_r32_e13(rulebook: str) -> None:
    assert endings(last_cards(rulebook, cards=3), DISCARD, DISCARD) == []
    assert endings(last_cards(rulebook, cards=3), *[DISCARD] * 3) == ["circle-of-passes"]


def last_turns(rulebook: str, played: str, **changes: object) -> list[Event]:
    """What the last turn brings when each seat spends its last card: ``c`` plays a map, ``p`` discards it."""
    moves = {"c": Look(GOAL_CELLS[0]), "p": DISCARD}
    state = last_cards(rulebook, **changes)  # type: ignore[arg-type]
    for move in played[:-1]:
        state = play(state, moves[move])
    return list(happens(state, moves[played[-1]]))


@pytest.mark.parametrize(
    "played,passers,ended_by",
    [
        ("ccc", [0, 1, 2], 2),
        ("cpc", [0, 1, 2], 2),
        ("ccp", [0, 1], 1),
        ("pcp", [0, 1], 1),
        ("cpp", [0], 0),
        ("ppp", [], 2),
    ],
)
def test_empty_hands_pass_until_the_circle_is_complete_where_the_rulebook_says_r12_r32_e13(
    played: str, passers: list[int], ended_by: int
) -> None:
    events = last_turns("et-2007", played)
    assert told(events, Passed) == [Passed(seat) for seat in passers]
    assert told(events, TurnBegan) == []
    (ended,) = told(events, RoundEnded)
    assert (ended.ending, ended.ended_by) == ("exhausted", ended_by)
    assert [event.starter for event in told(events, Dealt)] == [(ended_by + 1) % 3]


@pytest.mark.parametrize("rulebook", [key for key in RULEBOOKS if key != "et-2007"])
@pytest.mark.parametrize("played", ["ccc", "ccp", "cpp", "ppp"])
def test_elsewhere_the_round_ends_at_once_and_no_empty_hand_passes_r12_e13(
    rulebook: str, played: str
) -> None:
    events = last_turns(rulebook, played)
    assert told(events, Passed) == []
    (ended,) = told(events, RoundEnded)
    assert (ended.ending, ended.ended_by) == ("exhausted", 2)


@pytest.mark.parametrize("rulebook,order", [("et-2007", [4, 0, 2]), ("uk-2017", [0, 2, 4])])
def test_pay_begins_left_of_the_seat_that_completes_the_circle_e13_e2(
    rulebook: str, order: list[int]
) -> None:
    paid = told(last_turns(rulebook, "cccpp", roles="sdsds"), GoldPaid)
    assert [event.seat for event in paid] == order


def test_the_treasure_ends_the_round_before_any_empty_hand_passes_r31_e13() -> None:
    hands: dict[int, list[str]] = {0: ["path-rl"], 1: [], 2: []}
    state = drawn("S──────.$", "et-2007", hands=hands, deck=[])
    events = happens(state, Lay("path-rl", at(7, 0)))
    assert told(events, Passed) == []
    assert [event.ended_by for event in told(events, RoundEnded)] == [0]


def test_automatic_passes_are_stored_and_heard_by_all_seats_e13() -> None:
    events = last_turns("et-2007", "ccc")
    assert decode_events(encode_events(tuple(events))) == tuple(events)
    for seat in (0, 1, 2, None):
        lines = [line for event in events for line in narrate(event, seat)]
        assert [line.seat for line in lines if line.key == LineKey.PASSED] == [0, 1, 2]


@circling
def test_any_card_played_begins_the_circle_anew_e13(rulebook: str) -> None:
    hands = {0: ["map"] * 3, 1: ["map"] * 3, 2: ["path-rl", "map", "map"]}
    state = drawn("S", rulebook, hands=hands, deck=[])
    lay = Lay("path-rl", at(1, 0))
    assert endings(state, DISCARD, DISCARD, lay, DISCARD, DISCARD) == []
    assert endings(state, DISCARD, DISCARD, lay, *[DISCARD] * 3) == ["circle-of-passes"]


@circling
def test_only_passes_begun_with_the_deck_empty_count_e13(rulebook: str) -> None:
    hands = {seat: ["map"] * 3 for seat in range(3)}
    state = drawn("S", rulebook, hands=hands, deck=["map"])
    assert endings(state, *[DISCARD] * 3) == []
    assert endings(state, *[DISCARD] * 4) == ["circle-of-passes"]


@circling
def test_the_reason_for_passing_is_not_asked_e13(rulebook: str) -> None:
    hands = {seat: ["path-trbl", "path-trbl"] for seat in range(3)}
    state = drawn("S", rulebook, hands=hands, deck=[])
    assert Lay("path-trbl", at(1, 0)) in menu(state)
    assert endings(state, *[Discard("path-trbl")] * 3) == ["circle-of-passes"]


@every_rulebook
def test_nobody_ends_a_round_whose_treasure_is_walled_off_e14(rulebook: str) -> None:
    drawing = """
........━
S────┘.━$━
........━
"""
    state = drawn(drawing, rulebook, hand=["map"])
    assert told(happens(state, DISCARD), TurnBegan) == [TurnBegan(1)]


@every_rulebook
@pytest.mark.parametrize(
    "roles,side", [("dds", "saboteurs"), ("ddd", "nobody"), ("sddds", "saboteurs")]
)
def test_without_the_treasure_saboteurs_win_if_there_are_any_r34_r35(
    rulebook: str, roles: str, side: str
) -> None:
    state = last_cards(rulebook, roles=roles, aside="saboteur")
    for _ in roles[1:]:
        state = play(state, DISCARD)
    (ended,) = told(happens(state, DISCARD), RoundEnded)
    assert ended.winners == side


@every_rulebook
def test_nobody_is_paid_where_there_was_neither_saboteur_nor_treasure_r35(rulebook: str) -> None:
    state = play(last_cards(rulebook, roles="ddd"), DISCARD, DISCARD)
    events = happens(state, DISCARD)
    assert not told(events, GoldPaid)
    assert not told(events, GoldDrawn)
    assert play(state, DISCARD).gold == ((), (), ())


@every_rulebook
def test_the_diggers_win_when_a_path_joins_the_start_to_the_treasure_r34(rulebook: str) -> None:
    state = drawn("S──────.$", rulebook, hand=["path-rl"])
    (ended,) = told(happens(state, Lay("path-rl", at(7, 0))), RoundEnded)
    assert (ended.ending, ended.winners, ended.ended_by) == ("treasure", "diggers", 0)


@every_rulebook
def test_a_treasure_reached_and_not_turned_over_counts_but_in_two_rulebooks_r35_e5(
    rulebook: str,
) -> None:
    """Only where one goal a card is turned can a round end like this: there the treasure must show."""
    state = drawn("S───────$", rulebook)
    assert state.mine.reached_goals == {GOAL_CELLS[1]}
    wanted = rulebook not in {"et-2007", "uk-2017"}
    assert treasure_is_found(state, RULEBOOKS[rulebook]) is wanted


@pytest.mark.parametrize("rulebook", ["et-2007", "uk-2017"])
def test_saboteurs_win_though_the_treasure_was_reached_when_another_goal_was_chosen_r35_e4(
    rulebook: str,
) -> None:
    hands = {seat: ["map"] for seat in range(3)}
    state = drawn("S───────$", rulebook, hands=hands, deck=[])
    state = play(state, DISCARD, DISCARD)
    (ended,) = told(happens(state, DISCARD), RoundEnded)
    assert ended.winners == "saboteurs"


@every_rulebook
def test_roles_and_the_card_aside_are_shown_when_the_round_ends_r33_e30(rulebook: str) -> None:
    state = play(last_cards(rulebook, aside="saboteur"), DISCARD, DISCARD)
    (ended,) = told(happens(state, DISCARD), RoundEnded)
    assert (ended.roles, ended.aside) == (("digger", "digger", "saboteur"), "saboteur")
    for seat in (0, 1, 2, None):
        (result,) = view_for(play(state, DISCARD), seat).results
        assert (result.roles, result.aside) == (ended.roles, "saboteur")


@every_rulebook
def test_left_of_the_last_turn_begins_the_next_round_but_in_one_rulebook_r49_e28(
    rulebook: str,
) -> None:
    state = play(last_cards(rulebook, roles="ddds", turn=2), *[DISCARD] * 3)
    (ended,) = told(happens(state, DISCARD), RoundEnded)
    assert ended.ended_by == 1
    dealt = told(happens(state, DISCARD), Dealt)
    assert [event.starter for event in dealt] == [1 if rulebook == "sv-web" else 2]


@every_rulebook
def test_left_of_him_who_found_the_treasure_begins_the_next_round_r49(rulebook: str) -> None:
    state = drawn("S──────.$", rulebook, hand=["path-rl"], turn=2)
    state = play(state, Lay("path-rl", at(7, 0)))
    while state.choice is not None:
        state = play(state, menu(state)[0])
    assert state.turn == (1 if rulebook == "sv-web" else 0)


@pytest.mark.parametrize("starter", range(4))
def test_in_one_rulebook_rounds_two_and_three_begin_alike_e28(starter: int) -> None:
    game, dice = Game("sv-web", seats=4, starter=starter), Dice(starter)
    starters: dict[int, int | None] = {}
    while not game.is_over:
        starters.setdefault(game.state.round, game.state.turn)
        game.play(erring_action(game.state, dice))
    assert starters == {1: starter, 2: (starter + 1) % 4, 3: (starter + 1) % 4}


@every_rulebook
def test_a_game_has_three_rounds_r47(rulebook: str) -> None:
    game, dice = Game(rulebook), Dice(0)
    while not game.is_over:
        game.play(erring_action(game.state, dice))
    assert [result.round for result in game.state.results] == [1, 2, 3]


def test_roles_are_dealt_anew_the_one_aside_included_and_gold_is_kept_r48() -> None:
    game, dice = Game(seats=5), Dice(3)
    piles = []
    while not game.is_over:
        piles.append((*game.state.roles, game.state.aside))
        before = game.state.gold
        game.play(erring_action(game.state, dice))
        assert all(
            after[: len(held)] == held for held, after in zip(before, game.state.gold, strict=True)
        )
    assert {tuple(sorted(pile)) for pile in piles} == {("digger",) * 4 + ("saboteur",) * 2}
    assert len(set(piles)) > 1


def end_of_game(gold: tuple[tuple[int, ...], ...]) -> tuple[State, tuple[int, ...]]:
    state = last_cards("en-2004", roles="ddd", round=3, gold=gold)
    state = play(state, DISCARD, DISCARD)
    (ended,) = told(happens(state, DISCARD), GameEnded)
    return play(state, DISCARD), ended.nuggets


@pytest.mark.parametrize(
    "gold,winners",
    [
        (((3,), (1, 1), (2,)), (0,)),
        (((3,), (1, 1), (2, 1)), (0, 2)),
        (((), (), ()), (0, 1, 2)),
    ],
)
def test_most_nuggets_win_and_ties_share_r50(
    gold: tuple[tuple[int, ...], ...], winners: tuple[int, ...]
) -> None:
    after, nuggets = end_of_game(gold)
    assert nuggets == tuple(map(sum, gold))
    assert after.winners == winners


def test_once_the_game_is_over_it_waits_for_nobody_and_everything_is_open_r50() -> None:
    after, _ = end_of_game(((3,), (1, 1), (2,)))
    assert awaiting(after) is None
    for seat in (0, 1, 2, None):
        view = view_for(after, seat)
        assert view.goals == after.goals
        assert view.gold == after.gold
        assert view.roles == after.roles
        assert legal_actions(view) == ()


def test_the_round_waits_for_the_gold_before_the_next_is_dealt_r40_r48() -> None:
    state = play(drawn("S──────.$", hand=["path-rl"]), Lay("path-rl", at(7, 0)))
    assert (state.round, state.turn) == (1, None)
    assert view_for(state, 2).roles == state.roles
    while state.choice is not None:
        state = play(state, TakeGold(gold_held(state)[0]))
    assert state.round == 2


def test_a_shorter_game_ends_after_its_last_round_r47() -> None:
    for rounds in (1, 2, 3):
        game, dice = Game(house=HouseRules(rounds=rounds)), Dice(0)
        while not game.is_over:
            game.play(erring_action(game.state, dice))
        assert len(game.state.results) == rounds


@pytest.mark.parametrize("rounds", [-1, 0, 4, 100])
def test_no_game_has_fewer_than_one_round_or_more_than_three_r47(rounds: int) -> None:
    with pytest.raises(ValueError, match="one, two or three"):
        HouseRules(rounds=rounds)


def test_saboteurs_who_are_last_on_turn_are_paid_last_e2() -> None:
    state = last_cards("en-2004", roles="sdsds")
    state = play(state, *[DISCARD] * 2)
    state = msgspec.structs.replace(state, passed=(3, 4, 0, 1))
    paid = told(happens(state, DISCARD), GoldPaid)
    assert [event.seat for event in paid] == [4, 0, 2]
