"""The functions that play a game turn by turn; the server and the command line call them.

Every function returns the new position and the events of the turn, and changes neither argument. Chance is an argument.
"""

from collections.abc import Callable, Sequence

from engine.actions import Action
from engine.commitments import Chance
from engine.errors import IllegalAction, Reason
from engine.events import Event, GameShortened, Rewound, SeatGivenUp, SeatHandedOver
from engine.evolve import Transition, initial_state, return_to_state
from engine.gold import decline_gold
from engine.rounds import begin_next_turn, deal, end_game_if_due, next_starter
from engine.rulebook import HouseRules
from engine.rules import play_action
from engine.state import State
from engine.view import awaiting, neutral_action, view_for


def start_game(
    rulebook: str, house: HouseRules, *, seats: int, starter: int | None, chance: Chance
) -> tuple[State, tuple[Event, ...]]:
    """Deal the first round; with ``starter`` None chance picks the starter (R6, E29).

    Raises KeyError for an unknown rulebook, ValueError for a number of seats other than 3 to 10 or a starter not among them.
    """
    transition = Transition(initial_state(rulebook, house, seats))
    transition.record(deal(transition.state, starter=starter, chance=chance))
    return transition.state, tuple(transition.events)


def advance(
    state: State, seat: int, action: Action, chance: Chance
) -> tuple[State, tuple[Event, ...]]:
    """Play an action of a seat; if it ends a round, deal the next one. Raises IllegalAction."""
    transition = Transition(state)
    play_action(transition, seat, action)
    _deal_if_due(transition, chance)
    return transition.state, tuple(transition.events)


def give_up_seat(
    state: State, seat: int, *, random_below: Callable[[int], int], chance: Chance
) -> tuple[State, tuple[Event, ...]]:
    """Give up a seat permanently: discard its hand and make its pending choice by default (E12).

    Gold cards in its hand are all passed on. ``random_below(n)`` returns a random number below n. Raises IllegalAction if the game is
    over, if the seat is not in play, or if it is the last seat in play.
    """
    _require_in_play(state, seat)
    if len(state.gone) + 1 == state.seats:
        raise IllegalAction(Reason.LAST_SEAT)
    transition = Transition(state)
    transition.record(SeatGivenUp(seat))
    _choose_by_default(transition, seat, random_below)
    _end_turn_of_given_up_seat(transition, seat)
    _deal_if_due(transition, chance)
    return transition.state, tuple(transition.events)


def hand_over_seat(state: State, seat: int) -> tuple[State, tuple[Event, ...]]:
    """Record that another player takes over a seat. Raises IllegalAction if the seat is not in play."""
    _require_in_play(state, seat)
    transition = Transition(state)
    transition.record(SeatHandedOver(seat))
    return transition.state, tuple(transition.events)


def shorten_game(state: State) -> tuple[State, tuple[Event, ...]]:
    """Let the game end after the round under way (R47); the round in which gold is still shared counts as under way.

    Raises IllegalAction if the game is over, or if it ends after this round anyway.
    """
    if state.winners:
        raise IllegalAction(Reason.GAME_OVER)
    if state.round >= state.house.rounds:
        raise IllegalAction(Reason.LAST_ROUND)
    transition = Transition(state)
    transition.record(GameShortened(state.round))
    return transition.state, tuple(transition.events)


def rewind(states: Sequence[State], to_seq: int) -> tuple[State, tuple[Event, ...]]:
    """Return to the position after turn ``to_seq``; the deck keeps its order.

    ``states`` holds the position after every turn so far, index 0 being the first deal. Raises IllegalAction if ``to_seq`` is
    not an earlier turn, or if the game is over, because all secrets are public then.
    """
    latest_state = states[-1]
    if latest_state.winners:
        raise IllegalAction(Reason.GAME_OVER)
    if not 0 <= to_seq < latest_state.seq:
        raise IllegalAction(Reason.NO_SUCH_TURN)
    return return_to_state(states[to_seq], latest_state.seq + 1), (Rewound(to_seq),)


def _deal_if_due(transition: Transition, chance: Chance) -> None:
    state = transition.state
    if state.turn is None and state.choice is None and not state.winners:
        starter = next_starter(state, transition.rulebook)
        transition.record(deal(state, starter=starter, chance=chance))


def _require_in_play(state: State, seat: int) -> None:
    if state.winners:
        raise IllegalAction(Reason.GAME_OVER)
    if not 0 <= seat < state.seats:
        raise IllegalAction(Reason.NO_SUCH_SEAT)
    if seat in state.gone:
        raise IllegalAction(Reason.SEAT_GIVEN_UP)


def _choose_by_default(
    transition: Transition, seat: int, random_below: Callable[[int], int]
) -> None:
    while (
        (awaited := awaiting(transition.state)) and awaited.seat == seat and awaited.kind != "turn"
    ):
        if awaited.kind == "gold":
            decline_gold(transition, seat)
            end_game_if_due(transition)
        else:
            play_action(
                transition, seat, neutral_action(view_for(transition.state, seat), random_below)
            )


def _end_turn_of_given_up_seat(transition: Transition, seat: int) -> None:
    """End the turn of a seat that was given up on turn (R7).

    If another seat is on turn, nothing ends: that seat still has a card in hand and has not passed (R32, E13).
    """
    state = transition.state
    if state.turn == seat and state.choice is None:
        begin_next_turn(transition, seat, last_turn=state.last_turn)
