"""R7-R12, R52, E13: a turn plays one card and draws one; turns go clockwise."""

import msgspec
import pytest

from engine.actions import (
    Action,
    ChooseGoal,
    ChooseOrientation,
    Discard,
    Lay,
    Pass,
    Rockfall,
    TakeGold,
)
from engine.cards import START_SHAPE
from engine.errors import Reason
from engine.events import CardLaid, Discarded, Drawn, Passed, ToolBroken, TurnBegan
from engine.view import Awaiting, awaiting, legal_actions, neutral_action, view_for
from tests.support.engine.drawn_positions import drawn_state
from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.positions import cell_at, decide, events_of_type
from tests.support.engine.vectors import events_of, offered_actions, play, refusal_reason
from tests.support.rulebook_groups import every_rulebook, must_continue_path_rulebooks


@every_rulebook
def test_turns_go_clockwise_r7(rulebook: str) -> None:
    game, seats = InMemoryGame(rulebook, seats=4, starter=2), []
    for _ in range(9):
        seats.append(game.state.turn)
        game.play(game.offered_actions()[-1])
    assert seats == [2, 3, 0, 1, 2, 3, 0, 1, 2]


def test_turn_plays_one_card_and_draws_one_r8_r11() -> None:
    state = drawn_state("S", hand=["path-rl", "map"], deck=["rockfall", "path-tb"])
    events = events_of(state, Lay("path-rl", cell_at(1, 0)))
    assert events == (CardLaid(0, "path-rl", cell_at(1, 0)), Drawn(0, "rockfall"), TurnBegan(1))
    next_state = play(state, Lay("path-rl", cell_at(1, 0)))
    assert next_state.hands[0] == ("map", "rockfall")
    assert next_state.deck == ("path-tb",)


@pytest.mark.parametrize(
    "card,kind", [("path-rl", "Lay"), ("break-cart", "Break"), ("map", "Look"), ("map", "Discard")]
)
def test_turn_may_lay_play_or_discard_a_card_r8_r9_r10(card: str, kind: str) -> None:
    assert kind in {
        type(action).__name__ for action in offered_actions(drawn_state("S", hand=[card]))
    }


def test_playing_an_action_card_is_a_turn_r9() -> None:
    events = events_of(
        drawn_state("S", hand=["break-cart"]),
        offered_actions(drawn_state("S", hand=["break-cart"]))[1],
    )
    assert [type(event) for event in events] == [ToolBroken, Drawn, TurnBegan]


@every_rulebook
def test_any_card_in_hand_may_be_discarded_r10(rulebook: str) -> None:
    hand = ["path-rl", "break-cart", "repair-cart", "rockfall", "map", "dead-b", "map"]
    state = drawn_state("S", rulebook, hand=hand, broken=(("cart",), (), ()))
    assert set(offered_actions(state)) >= {Discard(card) for card in hand}
    for card in hand:
        assert play(state, Discard(card)).discards == (card,)


def test_discarded_cards_are_hidden_and_only_counted_r10_r52() -> None:
    state = drawn_state("S", hand=["path-rl", "map"])
    next_state = play(state, Discard("map"))
    assert view_for(next_state, 1).discard_count == 1
    assert "discards" not in msgspec.structs.asdict(view_for(next_state, 0))


def test_discards_are_not_reshuffled_into_the_deck_r11() -> None:
    state = drawn_state("S", hand=["map"], deck=[], discards=("rockfall",) * 9)
    events = events_of(state, Discard("map"))
    assert events_of_type(events, Drawn) == []


@every_rulebook
def test_empty_hand_passes_without_discarding_r12_e13(rulebook: str) -> None:
    """With one card per turn this needs uneven hands, as after a seat was given up (E12)."""
    state = drawn_state("S", rulebook, hand=[], hands={1: ["map"], 2: ["map"]}, deck=[])
    assert offered_actions(state) == (Pass(),)
    events = events_of(state, Pass())
    assert events == (Passed(0), TurnBegan(1))
    assert play(state, Pass()).passed == (0,)


@every_rulebook
def test_neutral_action_discards_a_card_or_passes_with_an_empty_hand_e12(rulebook: str) -> None:
    view = view_for(drawn_state("S", rulebook, hand=["map", "rockfall"]), 0)
    assert neutral_action(view, lambda _: 0) == Discard("map")
    assert neutral_action(view, lambda number: number - 1) == Discard("rockfall")
    view_with_empty_hand = view_for(drawn_state("S", rulebook, hand=[], deck=[]), 0)
    assert neutral_action(view_with_empty_hand, lambda _: 0) == Pass()


@pytest.mark.parametrize("seat", [1, None])
def test_neutral_action_for_a_seat_not_on_turn_raises_r7(seat: int | None) -> None:
    with pytest.raises(ValueError, match="does not wait"):
        neutral_action(view_for(drawn_state("S"), seat), lambda _: 0)


def test_pass_with_cards_in_hand_is_refused_r12() -> None:
    assert refusal_reason(drawn_state("S", hand=["map"]), Pass()) == Reason.HAND_NOT_EMPTY


@every_rulebook
def test_passes_count_from_the_turn_after_the_deck_ran_out_e13(rulebook: str) -> None:
    state = drawn_state("S", rulebook, hand=["map", "map"], deck=["rockfall"])
    assert events_of_type(events_of(state, Discard("map")), Discarded) == [Discarded(0, "map")]
    next_state = play(state, Discard("map"))
    assert (next_state.deck, next_state.passed) == ((), ())
    discard_events = events_of_type(
        events_of(next_state, offered_actions(next_state)[-1]), Discarded
    )
    assert [event.toward_circle for event in discard_events] == [True]


@every_rulebook
def test_action_out_of_turn_is_refused_r7(rulebook: str) -> None:
    state = drawn_state("S", rulebook, hand=["map"], hands={1: ["map"]})
    for seat in (1, 2, 3, -1):
        assert refusal_reason(state, Discard("map"), seat) == Reason.NOT_YOUR_TURN
    assert legal_actions(view_for(state, 1)) == ()
    assert legal_actions(view_for(state, None)) == ()
    assert awaiting(state) == Awaiting(0, "turn")


@pytest.mark.parametrize(
    "action",
    [
        Lay("path-rl", cell_at(1, 0)),
        Discard("path-rl"),
        Rockfall(cell_at(1, 0)),
        Lay("no-such-card", cell_at(1, 0)),
        Discard("start"),
    ],
)
def test_only_a_card_in_hand_can_be_played_r8(action: Action) -> None:
    assert refusal_reason(drawn_state("S─", hand=["map"]), action) == Reason.NOT_IN_HAND


@pytest.mark.parametrize("action", [ChooseGoal("I5"), ChooseOrientation(turned=True), TakeGold(3)])
def test_choice_without_an_open_question_is_refused_r28(action: Action) -> None:
    assert refusal_reason(drawn_state("S", hand=["map"]), action) == Reason.NO_CHOICE_OPEN


def test_turn_continues_until_its_choice_is_made_r28() -> None:
    misfit = """
........─
S──────.a
"""
    state_before = drawn_state(misfit, hand=["path-rl", "map"])
    lay, choice = Lay("path-rl", cell_at(7, 0)), ChooseOrientation(turned=True)
    state = play(state_before, lay)
    assert state.turn == 0
    assert len(state.hands[0]) == 1
    assert refusal_reason(state, Discard("map")) == Reason.CHOICE_FIRST
    assert refusal_reason(state, ChooseGoal(cell_at(8, 0))) == Reason.CHOICE_FIRST
    assert refusal_reason(state, choice, seat=1) == Reason.NOT_YOUR_TURN
    assert len(play(state_before, lay, choice).hands[0]) == 2


@must_continue_path_rulebooks
def test_turns_continue_without_drawing_when_the_deck_is_empty_r11(rulebook: str) -> None:
    hands = {1: ["map", "map"], 2: ["map", "map"]}
    state = drawn_state("S", rulebook, hand=["map", "map"], hands=hands, deck=[])
    next_state = play(state, Discard("map"))
    assert (len(next_state.hands[0]), next_state.turn) == (1, 1)


def test_deciding_leaves_the_state_unchanged_r8() -> None:
    state = drawn_state("S", hand=["path-rl", "map"])
    earlier_values = (state.hands, state.deck, dict(state.mine.laid), state.turn, state.seq)
    assert len(decide(state, 0, Lay("path-rl", cell_at(1, 0)))) == 3
    assert (state.hands, state.deck, dict(state.mine.laid), state.turn, state.seq) == earlier_values
    assert list(state.mine.laid.values()) == [START_SHAPE]
