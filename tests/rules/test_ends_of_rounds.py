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
from tests.support.engine.drawn_positions import drawn_state
from tests.support.engine.logged_game import LoggedGame
from tests.support.engine.positions import at, events_of, events_of_type, gold_held, menu, play
from tests.support.engine.random_players import mostly_digging_action
from tests.support.engine.seeded_random import SeededRng
from tests.support.rulebook_groups import MUST_CONTINUE_PATH, PASSES_END_ROUND, every_rulebook

circling = pytest.mark.parametrize("rulebook", PASSES_END_ROUND)
DISCARD = Discard("map")


def last_cards(rulebook: str, cards: int = 1, roles: str = "dds", **changes: object) -> State:
    """The deck is empty and everybody holds a few maps; seat 0 is on turn."""
    hands = {seat: ["map"] * cards for seat in range(len(roles))}
    return drawn_state("S", rulebook, hands=hands, deck=[], roles=roles, **changes)  # type: ignore[arg-type]


def endings(state: State, *actions: Discard | Lay) -> list[str]:
    for action in actions[:-1]:
        state = play(state, action)
    return [event.ending for event in events_of_type(events_of(state, actions[-1]), RoundEnded)]


@every_rulebook
def test_round_ends_when_deck_and_all_hands_are_empty_r32(rulebook: str) -> None:
    state = last_cards(rulebook)
    assert endings(state, DISCARD, DISCARD) == []
    assert endings(state, DISCARD, DISCARD, DISCARD) == ["exhausted"]


@pytest.mark.parametrize("rulebook", MUST_CONTINUE_PATH)
def test_circle_of_passes_does_not_end_a_round_that_needs_empty_hands_r32(rulebook: str) -> None:
    assert endings(last_cards(rulebook, cards=3), *[DISCARD] * 5) == []
    assert endings(last_cards(rulebook, cards=3), *[DISCARD] * 9) == ["exhausted"]


@circling
def test_full_circle_of_passes_ends_the_round_r32_e13(rulebook: str) -> None:
    assert endings(last_cards(rulebook, cards=3), DISCARD, DISCARD) == []
    assert endings(last_cards(rulebook, cards=3), *[DISCARD] * 3) == ["circle-of-passes"]


def last_turns(rulebook: str, played: str, **changes: object) -> list[Event]:
    """What the last turn brings when each seat spends its last card: ``c`` plays a map, ``p`` discards it."""
    moves = {"c": Look(GOAL_CELLS[0]), "p": DISCARD}
    state = last_cards(rulebook, **changes)  # type: ignore[arg-type]
    for move in played[:-1]:
        state = play(state, moves[move])
    return list(events_of(state, moves[played[-1]]))


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
    assert events_of_type(events, Passed) == [Passed(seat) for seat in passers]
    assert events_of_type(events, TurnBegan) == []
    (ended,) = events_of_type(events, RoundEnded)
    assert (ended.ending, ended.ended_by) == ("exhausted", ended_by)
    assert [event.starter for event in events_of_type(events, Dealt)] == [(ended_by + 1) % 3]


@pytest.mark.parametrize("rulebook", [key for key in RULEBOOKS if key != "et-2007"])
@pytest.mark.parametrize("played", ["ccc", "ccp", "cpp", "ppp"])
def test_elsewhere_the_round_ends_at_once_and_no_empty_hand_passes_r12_e13(
    rulebook: str, played: str
) -> None:
    events = last_turns(rulebook, played)
    assert events_of_type(events, Passed) == []
    (ended,) = events_of_type(events, RoundEnded)
    assert (ended.ending, ended.ended_by) == ("exhausted", 2)


@pytest.mark.parametrize("rulebook,order", [("et-2007", [4, 0, 2]), ("uk-2017", [0, 2, 4])])
def test_pay_begins_left_of_the_seat_that_completes_the_circle_e13_e2(
    rulebook: str, order: list[int]
) -> None:
    paid = events_of_type(last_turns(rulebook, "cccpp", roles="sdsds"), GoldPaid)
    assert [event.seat for event in paid] == order


def test_treasure_ends_the_round_before_any_automatic_pass_r31_e13() -> None:
    hands: dict[int, list[str]] = {0: ["path-rl"], 1: [], 2: []}
    state = drawn_state("S──────.$", "et-2007", hands=hands, deck=[])
    events = events_of(state, Lay("path-rl", at(7, 0)))
    assert events_of_type(events, Passed) == []
    assert [event.ended_by for event in events_of_type(events, RoundEnded)] == [0]


def test_automatic_passes_are_stored_and_heard_by_all_seats_e13() -> None:
    events = last_turns("et-2007", "ccc")
    assert decode_events(encode_events(tuple(events))) == tuple(events)
    for seat in (0, 1, 2, None):
        lines = [line for event in events for line in narrate(event, seat)]
        assert [line.seat for line in lines if line.key == LineKey.PASSED] == [0, 1, 2]


@circling
def test_any_card_played_restarts_the_circle_of_passes_e13(rulebook: str) -> None:
    hands = {0: ["map"] * 3, 1: ["map"] * 3, 2: ["path-rl", "map", "map"]}
    state = drawn_state("S", rulebook, hands=hands, deck=[])
    lay = Lay("path-rl", at(1, 0))
    assert endings(state, DISCARD, DISCARD, lay, DISCARD, DISCARD) == []
    assert endings(state, DISCARD, DISCARD, lay, *[DISCARD] * 3) == ["circle-of-passes"]


@circling
def test_only_passes_with_an_empty_deck_count_for_the_circle_e13(rulebook: str) -> None:
    hands = {seat: ["map"] * 3 for seat in range(3)}
    state = drawn_state("S", rulebook, hands=hands, deck=["map"])
    assert endings(state, *[DISCARD] * 3) == []
    assert endings(state, *[DISCARD] * 4) == ["circle-of-passes"]


@circling
def test_discarding_a_playable_card_counts_as_a_pass_e13(rulebook: str) -> None:
    hands = {seat: ["path-trbl", "path-trbl"] for seat in range(3)}
    state = drawn_state("S", rulebook, hands=hands, deck=[])
    assert Lay("path-trbl", at(1, 0)) in menu(state)
    assert endings(state, *[Discard("path-trbl")] * 3) == ["circle-of-passes"]


@every_rulebook
def test_round_continues_when_the_treasure_is_walled_off_e14(rulebook: str) -> None:
    drawing = """
........━
S────┘.━$━
........━
"""
    state = drawn_state(drawing, rulebook, hand=["map"])
    assert events_of_type(events_of(state, DISCARD), TurnBegan) == [TurnBegan(1)]


@every_rulebook
@pytest.mark.parametrize(
    "roles,side", [("dds", "saboteurs"), ("ddd", "nobody"), ("sddds", "saboteurs")]
)
def test_saboteurs_win_an_exhausted_round_if_there_are_any_r34_r35(
    rulebook: str, roles: str, side: str
) -> None:
    state = last_cards(rulebook, roles=roles, aside="saboteur")
    for _ in roles[1:]:
        state = play(state, DISCARD)
    (ended,) = events_of_type(events_of(state, DISCARD), RoundEnded)
    assert ended.winners == side


@every_rulebook
def test_round_without_saboteurs_and_treasure_pays_no_one_r35(rulebook: str) -> None:
    state = play(last_cards(rulebook, roles="ddd"), DISCARD, DISCARD)
    events = events_of(state, DISCARD)
    assert not events_of_type(events, GoldPaid)
    assert not events_of_type(events, GoldDrawn)
    assert play(state, DISCARD).gold == ((), (), ())


@every_rulebook
def test_diggers_win_when_a_path_joins_the_start_to_the_treasure_r34(rulebook: str) -> None:
    state = drawn_state("S──────.$", rulebook, hand=["path-rl"])
    (ended,) = events_of_type(events_of(state, Lay("path-rl", at(7, 0))), RoundEnded)
    assert (ended.ending, ended.winners, ended.ended_by) == ("treasure", "diggers", 0)


@every_rulebook
def test_reached_treasure_counts_face_down_except_in_two_rulebooks_r35_e5(
    rulebook: str,
) -> None:
    """Only where one goal a card is turned can a round end like this: there the treasure must show."""
    state = drawn_state("S───────$", rulebook)
    assert state.mine.reached_goals == {GOAL_CELLS[1]}
    wanted = rulebook not in {"et-2007", "uk-2017"}
    assert treasure_is_found(state, RULEBOOKS[rulebook]) is wanted


@pytest.mark.parametrize("rulebook", ["et-2007", "uk-2017"])
def test_saboteurs_win_when_the_reached_treasure_was_not_chosen_r35_e4(
    rulebook: str,
) -> None:
    hands = {seat: ["map"] for seat in range(3)}
    state = drawn_state("S───────$", rulebook, hands=hands, deck=[])
    state = play(state, DISCARD, DISCARD)
    (ended,) = events_of_type(events_of(state, DISCARD), RoundEnded)
    assert ended.winners == "saboteurs"


@every_rulebook
def test_roles_and_the_role_set_aside_are_shown_when_the_round_ends_r33_e30(rulebook: str) -> None:
    state = play(last_cards(rulebook, aside="saboteur"), DISCARD, DISCARD)
    (ended,) = events_of_type(events_of(state, DISCARD), RoundEnded)
    assert (ended.roles, ended.aside) == (("digger", "digger", "saboteur"), "saboteur")
    for seat in (0, 1, 2, None):
        (result,) = view_for(play(state, DISCARD), seat).results
        assert (result.roles, result.aside) == (ended.roles, "saboteur")


@every_rulebook
def test_seat_left_of_the_last_turn_starts_the_next_round_except_in_one_rulebook_r49_e28(
    rulebook: str,
) -> None:
    state = play(last_cards(rulebook, roles="ddds", turn=2), *[DISCARD] * 3)
    (ended,) = events_of_type(events_of(state, DISCARD), RoundEnded)
    assert ended.ended_by == 1
    dealt = events_of_type(events_of(state, DISCARD), Dealt)
    assert [event.starter for event in dealt] == [1 if rulebook == "sv-web" else 2]


@every_rulebook
def test_seat_left_of_the_finder_starts_the_next_round_r49(rulebook: str) -> None:
    state = drawn_state("S──────.$", rulebook, hand=["path-rl"], turn=2)
    state = play(state, Lay("path-rl", at(7, 0)))
    while state.choice is not None:
        state = play(state, menu(state)[0])
    assert state.turn == (1 if rulebook == "sv-web" else 0)


@pytest.mark.parametrize("starter", range(4))
def test_rounds_two_and_three_have_the_same_starter_in_one_rulebook_e28(starter: int) -> None:
    game, rng = LoggedGame("sv-web", seats=4, starter=starter), SeededRng(starter)
    starters: dict[int, int | None] = {}
    while not game.is_over:
        starters.setdefault(game.state.round, game.state.turn)
        game.play(mostly_digging_action(game.state, rng))
    assert starters == {1: starter, 2: (starter + 1) % 4, 3: (starter + 1) % 4}


@every_rulebook
def test_game_has_three_rounds_r47(rulebook: str) -> None:
    game, rng = LoggedGame(rulebook), SeededRng(0)
    while not game.is_over:
        game.play(mostly_digging_action(game.state, rng))
    assert [result.round for result in game.state.results] == [1, 2, 3]


def test_roles_are_shuffled_every_round_and_gold_is_kept_r48() -> None:
    game, rng = LoggedGame(seats=5), SeededRng(3)
    piles = []
    while not game.is_over:
        piles.append((*game.state.roles, game.state.aside))
        before = game.state.gold
        game.play(mostly_digging_action(game.state, rng))
        assert all(
            after[: len(held)] == held for held, after in zip(before, game.state.gold, strict=True)
        )
    assert {tuple(sorted(pile)) for pile in piles} == {("digger",) * 4 + ("saboteur",) * 2}
    assert len(set(piles)) > 1


def end_of_game(gold: tuple[tuple[int, ...], ...]) -> tuple[State, tuple[int, ...]]:
    state = last_cards("en-2004", roles="ddd", round=3, gold=gold)
    state = play(state, DISCARD, DISCARD)
    (ended,) = events_of_type(events_of(state, DISCARD), GameEnded)
    return play(state, DISCARD), ended.nuggets


@pytest.mark.parametrize(
    "gold,winners",
    [
        (((3,), (1, 1), (2,)), (0,)),
        (((3,), (1, 1), (2, 1)), (0, 2)),
        (((), (), ()), (0, 1, 2)),
    ],
)
def test_most_nuggets_win_and_ties_share_the_win_r50(
    gold: tuple[tuple[int, ...], ...], winners: tuple[int, ...]
) -> None:
    after, nuggets = end_of_game(gold)
    assert nuggets == tuple(map(sum, gold))
    assert after.winners == winners


def test_finished_game_waits_for_no_seat_and_shows_everything_r50() -> None:
    after, _ = end_of_game(((3,), (1, 1), (2,)))
    assert awaiting(after) is None
    for seat in (0, 1, 2, None):
        view = view_for(after, seat)
        assert view.goals == after.goals
        assert view.gold == after.gold
        assert view.roles == after.roles
        assert legal_actions(view) == ()


def test_next_round_is_dealt_after_the_last_gold_pick_r40_r48() -> None:
    state = play(drawn_state("S──────.$", hand=["path-rl"]), Lay("path-rl", at(7, 0)))
    assert (state.round, state.turn) == (1, None)
    assert view_for(state, 2).roles == state.roles
    while state.choice is not None:
        state = play(state, TakeGold(gold_held(state)[0]))
    assert state.round == 2


def test_shorter_game_ends_after_its_last_round_r47() -> None:
    for rounds in (1, 2, 3):
        game, rng = LoggedGame(house=HouseRules(rounds=rounds)), SeededRng(0)
        while not game.is_over:
            game.play(mostly_digging_action(game.state, rng))
        assert len(game.state.results) == rounds


@pytest.mark.parametrize("rounds", [-1, 0, 4, 100])
def test_house_rules_allow_one_to_three_rounds_r47(rounds: int) -> None:
    with pytest.raises(ValueError, match="one, two or three"):
        HouseRules(rounds=rounds)


def test_saboteur_with_the_last_turn_is_paid_last_e2() -> None:
    state = last_cards("en-2004", roles="sdsds")
    state = play(state, *[DISCARD] * 2)
    state = msgspec.structs.replace(state, passed=(3, 4, 0, 1))
    paid = events_of_type(events_of(state, DISCARD), GoldPaid)
    assert [event.seat for event in paid] == [4, 0, 2]
