"""A whole game, turn by turn: the functions that the server and the command line call.

Every function gives the position afterwards and what happened, and changes nothing. Chance comes in as an argument.
"""

from collections.abc import Callable, Sequence

from engine.actions import Action
from engine.deal import deal
from engine.errors import IllegalAction, Reason
from engine.events import Event, Rewound, SeatGivenUp, SeatHandedOver
from engine.evolve import Transition, fold, initial_state, return_to
from engine.gold import pass_gold_on
from engine.rounds import close_round, go_on, next_starter
from engine.rulebook import HouseRules
from engine.rulebooks.catalogue import RULEBOOKS
from engine.rules import play
from engine.shuffle import Chance
from engine.state import State
from engine.view import awaiting, neutral_action, view_for


def start_game(
    rulebook: str, house: HouseRules, *, seats: int, starter: int | None, chance: Chance
) -> tuple[State, tuple[Event, ...]]:
    """Deal the first round; ``starter`` None leaves the starter to chance (R6, E29).

    Raises KeyError for an unknown rulebook, ValueError for a number of seats other than 3 to 10 or a starter not among them.
    """
    transition = Transition(initial_state(rulebook, house, seats))
    transition.record(deal(transition.state, starter=starter, chance=chance))
    return _outcome(transition)


def advance(
    state: State, seat: int, action: Action, chance: Chance
) -> tuple[State, tuple[Event, ...]]:
    """Play an action; when it ends a round, deal the next. Raises IllegalAction."""
    transition = Transition(state)
    play(transition, seat, action)
    _deal_if_due(transition, chance)
    return _outcome(transition)


def give_up_seat(
    state: State, seat: int, *, pick: Callable[[int], int], chance: Chance
) -> tuple[State, tuple[Event, ...]]:
    """Give up a seat for good: its hand goes to the discards, a choice that waits for it is made by default (E12).

    Gold cards that it holds are passed on, none kept. ``pick(n)`` gives a number below n. Raises IllegalAction when the game is over, or the seat is not in play or the last.
    """
    _require_in_play(state, seat)
    if len(state.gone) + 1 == state.seats:
        raise IllegalAction(Reason.LAST_SEAT)
    transition = Transition(state)
    transition.record(SeatGivenUp(seat))
    _choose_by_default(transition, seat, pick)
    _go_on_without(transition, seat)
    _deal_if_due(transition, chance)
    return _outcome(transition)


def hand_over_seat(state: State, seat: int) -> tuple[State, tuple[Event, ...]]:
    """Let another person sit here; nothing else changes. Raises IllegalAction when the seat is not in play."""
    _require_in_play(state, seat)
    transition = Transition(state)
    transition.record(SeatHandedOver(seat))
    return _outcome(transition)


def rewind(
    state: State, log: Sequence[Sequence[Event]], to_seq: int
) -> tuple[State, tuple[Event, ...]]:
    """Go back to what the game was after turn ``to_seq``; the deck keeps its order.

    ``log`` holds the events of every turn so far, the first deal being turn 0. Raises IllegalAction when there is no such
    turn to go back to, or when the game is over: everything has been opened then.
    """
    if state.winners:
        raise IllegalAction(Reason.GAME_OVER)
    if not 0 <= to_seq < state.seq:
        raise IllegalAction(Reason.NO_SUCH_TURN)
    start = initial_state(state.rulebook, state.house, state.seats)
    return return_to(fold(start, log[: to_seq + 1]), state.seq + 1), (Rewound(to_seq),)


def _outcome(transition: Transition) -> tuple[State, tuple[Event, ...]]:
    return transition.state, tuple(transition.events)


def _deal_if_due(transition: Transition, chance: Chance) -> None:
    state = transition.state
    if state.turn is None and state.choice is None and not state.winners:
        starter = next_starter(state, RULEBOOKS[state.rulebook])
        transition.record(deal(state, starter=starter, chance=chance))


def _require_in_play(state: State, seat: int) -> None:
    if state.winners:
        raise IllegalAction(Reason.GAME_OVER)
    if not 0 <= seat < state.seats:
        raise IllegalAction(Reason.NO_SUCH_SEAT)
    if seat in state.gone:
        raise IllegalAction(Reason.SEAT_GIVEN_UP)


def _choose_by_default(transition: Transition, seat: int, pick: Callable[[int], int]) -> None:
    while (due := awaiting(transition.state)) and due.seat == seat and due.kind != "turn":
        if due.kind == "gold":
            pass_gold_on(transition, seat, RULEBOOKS[transition.state.rulebook])
            close_round(transition)
        else:
            play(transition, seat, neutral_action(view_for(transition.state, seat), pick))


def _go_on_without(transition: Transition, seat: int) -> None:
    """The turn goes on to the next seat (R7).

    One that is not on turn leaves nothing to end: the seat on turn has a card in hand still, and has not passed (R32, E13).
    """
    state = transition.state
    if state.turn == seat and state.choice is None:
        go_on(transition, seat, RULEBOOKS[state.rulebook], last_turn=state.last_turn)
