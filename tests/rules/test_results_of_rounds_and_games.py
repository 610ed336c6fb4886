"""R33-R35, R47-R50, E2, E28, E30: who wins a round, who starts the next one, and who wins the game."""

import msgspec
import pytest

from engine.actions import Discard, Lay, TakeGold
from engine.cells import GOAL_CELLS
from engine.events import Dealt, GameEnded, GoldDrawn, GoldPaid, RoundEnded
from engine.reached_goals import treasure_is_found
from engine.rulebook import HouseRules
from engine.rulebooks.catalogue import RULEBOOKS
from engine.state import State
from engine.view import awaiting, legal_actions, view_for
from tests.support.engine.drawn_positions import drawn_state, last_cards_state
from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.positions import cell_at, events_of_type, gold_held
from tests.support.engine.random_players import mostly_digging_action
from tests.support.engine.seeded_random import SeededRng
from tests.support.engine.vectors import events_of, offered_actions, play
from tests.support.rulebook_groups import every_rulebook

DISCARD = Discard("map")


@every_rulebook
@pytest.mark.parametrize(
    "roles,side", [("dds", "saboteurs"), ("ddd", "nobody"), ("sddds", "saboteurs")]
)
def test_saboteurs_win_an_exhausted_round_if_there_are_any_r34_r35(
    rulebook: str, roles: str, side: str
) -> None:
    state = last_cards_state(rulebook, roles=roles, aside="saboteur")
    for _ in roles[1:]:
        state = play(state, DISCARD)
    (round_ended,) = events_of_type(events_of(state, DISCARD), RoundEnded)
    assert round_ended.winners == side


@every_rulebook
def test_round_without_saboteurs_and_treasure_pays_no_one_r35(rulebook: str) -> None:
    state = play(last_cards_state(rulebook, roles="ddd"), DISCARD, DISCARD)
    events = events_of(state, DISCARD)
    assert not events_of_type(events, GoldPaid)
    assert not events_of_type(events, GoldDrawn)
    assert play(state, DISCARD).gold == ((), (), ())


@every_rulebook
def test_diggers_win_when_a_path_joins_the_start_to_the_treasure_r34(rulebook: str) -> None:
    state = drawn_state("S──────.$", rulebook, hand=["path-rl"])
    (round_ended,) = events_of_type(events_of(state, Lay("path-rl", cell_at(7, 0))), RoundEnded)
    assert (round_ended.ending, round_ended.winners, round_ended.ended_by) == (
        "treasure",
        "diggers",
        0,
    )


@every_rulebook
def test_reached_treasure_counts_face_down_except_in_two_rulebooks_r35_e5(
    rulebook: str,
) -> None:
    """Only where a card turns one goal can a round end like this, and there the treasure must be face up."""
    state = drawn_state("S───────$", rulebook)
    assert state.mine.reached_goals == {GOAL_CELLS[1]}
    expected = rulebook not in {"et-2007", "uk-2017"}
    assert treasure_is_found(state, RULEBOOKS[rulebook]) is expected


@pytest.mark.parametrize("rulebook", ["et-2007", "uk-2017"])
def test_saboteurs_win_when_the_reached_treasure_was_not_chosen_r35_e4(
    rulebook: str,
) -> None:
    hands = {seat: ["map"] for seat in range(3)}
    state = drawn_state("S───────$", rulebook, hands=hands, deck=[])
    state = play(state, DISCARD, DISCARD)
    (round_ended,) = events_of_type(events_of(state, DISCARD), RoundEnded)
    assert round_ended.winners == "saboteurs"


@every_rulebook
def test_roles_and_the_role_set_aside_are_shown_when_the_round_ends_r33_e30(rulebook: str) -> None:
    state = play(last_cards_state(rulebook, aside="saboteur"), DISCARD, DISCARD)
    (round_ended,) = events_of_type(events_of(state, DISCARD), RoundEnded)
    assert (round_ended.roles, round_ended.aside) == (("digger", "digger", "saboteur"), "saboteur")
    for seat in (0, 1, 2, None):
        (result,) = view_for(play(state, DISCARD), seat).results
        assert (result.roles, result.aside) == (round_ended.roles, "saboteur")


@every_rulebook
def test_seat_left_of_the_last_turn_starts_the_next_round_except_in_one_rulebook_r49_e28(
    rulebook: str,
) -> None:
    state = play(last_cards_state(rulebook, roles="ddds", turn=2), *[DISCARD] * 3)
    (round_ended,) = events_of_type(events_of(state, DISCARD), RoundEnded)
    assert round_ended.ended_by == 1
    dealt = events_of_type(events_of(state, DISCARD), Dealt)
    assert [event.starter for event in dealt] == [1 if rulebook == "sv-web" else 2]


@every_rulebook
def test_seat_left_of_the_finder_starts_the_next_round_r49(rulebook: str) -> None:
    state = drawn_state("S──────.$", rulebook, hand=["path-rl"], turn=2)
    state = play(state, Lay("path-rl", cell_at(7, 0)))
    while state.choice is not None:
        state = play(state, offered_actions(state)[0])
    assert state.turn == (1 if rulebook == "sv-web" else 0)


@pytest.mark.parametrize("starter", range(4))
def test_rounds_two_and_three_have_the_same_starter_in_one_rulebook_e28(starter: int) -> None:
    game, rng = InMemoryGame("sv-web", seats=4, starter=starter), SeededRng(starter)
    starters: dict[int, int | None] = {}
    while not game.is_over:
        starters.setdefault(game.state.round, game.state.turn)
        game.play(mostly_digging_action(game.state, rng))
    assert starters == {1: starter, 2: (starter + 1) % 4, 3: (starter + 1) % 4}


@every_rulebook
def test_game_has_three_rounds_r47(rulebook: str) -> None:
    game, rng = InMemoryGame(rulebook), SeededRng(0)
    while not game.is_over:
        game.play(mostly_digging_action(game.state, rng))
    assert [result.round for result in game.state.results] == [1, 2, 3]


def test_roles_are_shuffled_every_round_and_gold_is_kept_r48() -> None:
    game, rng = InMemoryGame(seats=5), SeededRng(3)
    piles = []
    while not game.is_over:
        piles.append((*game.state.roles, game.state.aside))
        earlier_gold = game.state.gold
        game.play(mostly_digging_action(game.state, rng))
        assert all(
            next_state[: len(gold_before)] == gold_before
            for gold_before, next_state in zip(earlier_gold, game.state.gold, strict=True)
        )
    assert {tuple(sorted(pile)) for pile in piles} == {("digger",) * 4 + ("saboteur",) * 2}
    assert len(set(piles)) > 1


def final_state_and_nuggets(gold: tuple[tuple[int, ...], ...]) -> tuple[State, tuple[int, ...]]:
    state = last_cards_state("en-2004", roles="ddd", round=3, gold=gold)
    state = play(state, DISCARD, DISCARD)
    (round_ended,) = events_of_type(events_of(state, DISCARD), GameEnded)
    return play(state, DISCARD), round_ended.nuggets


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
    next_state, nuggets = final_state_and_nuggets(gold)
    assert nuggets == tuple(map(sum, gold))
    assert next_state.winners == winners


def test_finished_game_waits_for_no_seat_and_shows_everything_r50() -> None:
    next_state, _ = final_state_and_nuggets(((3,), (1, 1), (2,)))
    assert awaiting(next_state) is None
    for seat in (0, 1, 2, None):
        view = view_for(next_state, seat)
        assert view.goals == next_state.goals
        assert view.gold == next_state.gold
        assert view.roles == next_state.roles
        assert legal_actions(view) == ()


def test_next_round_is_dealt_after_the_last_gold_pick_r40_r48() -> None:
    state = play(drawn_state("S──────.$", hand=["path-rl"]), Lay("path-rl", cell_at(7, 0)))
    assert (state.round, state.turn) == (1, None)
    assert view_for(state, 2).roles == state.roles
    while state.choice is not None:
        state = play(state, TakeGold(gold_held(state)[0]))
    assert state.round == 2


def test_shorter_game_ends_after_its_last_round_r47() -> None:
    for rounds in (1, 2, 3):
        game, rng = InMemoryGame(house=HouseRules(rounds=rounds)), SeededRng(0)
        while not game.is_over:
            game.play(mostly_digging_action(game.state, rng))
        assert len(game.state.results) == rounds


@pytest.mark.parametrize("rounds", [-1, 0, 4, 100])
def test_house_rules_allow_one_to_three_rounds_r47(rounds: int) -> None:
    with pytest.raises(ValueError, match="one, two or three"):
        HouseRules(rounds=rounds)


def test_saboteur_with_the_last_turn_is_paid_last_e2() -> None:
    state = last_cards_state("en-2004", roles="sdsds")
    state = play(state, *[DISCARD] * 2)
    state = msgspec.structs.replace(state, passed=(3, 4, 0, 1))
    payments = events_of_type(events_of(state, DISCARD), GoldPaid)
    assert [event.seat for event in payments] == [4, 0, 2]
