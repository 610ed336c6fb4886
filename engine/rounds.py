"""The deal of a round, and the end of a turn, of a round and of the game.

The rules of the ends are R11, R31-R35, R47-R50, E12-E14, E28, E30 and E33.

Automatic passes are ``Passed`` events within the turn that empties the last hand; they are no turns and have no action.
``RoundEnded.ended_by`` names the seat that completes the circle, and everything that follows depends on it (E13).

All chance of a round is in the one :class:`~engine.events.Dealt` that deals it. These items are shuffled under each
label, always from their order in :mod:`engine.cards` (``N`` is the round):

===================  ==============================  =====================================================
label                items, in this order            result
===================  ==============================  =====================================================
``gold``             ``GOLD``; first round only      the gold pile, top first (R48, E3)
``round-N/roles``    ``role_pile(seats)``            a role for each seat by number, the last is set aside (R3)
``round-N/goals``    ``GOALS``                       the goals from top to bottom (R4)
``round-N/deck``     ``DECK``                        the hands, then the draw deck, top first (R5)
``round-N/starter``  the seats by number             the first one starts; only if no starter was agreed (R6)
===================  ==============================  =====================================================

The hands are consecutive blocks from the front of the shuffled deck, one for each seat by number. A seat that was given up
gets a role but no hand (E12). With provable chance the part of the label before the slash names the secret
(:mod:`engine.commitments`).
"""

from engine.cards import DECK, GOALS, GOLD_CARDS, HAND_SIZES, Card, role_pile
from engine.commitments import Chance
from engine.events import Dealt, Drawn, Ending, GameEnded, Passed, RoundEnded, Side, TurnBegan
from engine.evolve import Transition
from engine.gold import pay_saboteurs, share_gold
from engine.reached_goals import treasure_is_face_up, treasure_is_found
from engine.rulebook import Rulebook
from engine.state import State


def finish_turn(transition: Transition, seat: int) -> None:
    """End the turn unless a choice is pending: end the round if the treasure is face up, else draw a card (R11, R31)."""
    state = transition.state
    if state.choice is not None:
        return
    if treasure_is_face_up(state):
        _end_round(transition, "treasure", seat)
        return
    if state.deck and seat not in state.gone:
        transition.record(Drawn(seat, state.deck[0]))
    begin_next_turn(transition, seat, last_turn=seat)


def begin_next_turn(transition: Transition, seat: int, *, last_turn: int) -> None:
    """Begin the turn of the next seat after this one, or end the round (R7, R32).

    The round is ended by the seat that completes the circle of passes (E13), or else by ``last_turn``.
    """
    state, rulebook = transition.state, transition.rulebook
    ending = None if state.deck else _ending_with_empty_deck(state, rulebook)
    if ending is None:
        transition.record(TurnBegan(_next_seat_in_play(state, seat + 1)))
        return
    if rulebook.pass_with_empty_hand:
        _complete_circle(transition, seat)
    ended_by = state.passed[-1] if _is_full_circle(state, rulebook) else last_turn
    _end_round(transition, ending, ended_by)


def _complete_circle(transition: Transition, seat: int) -> None:
    """Record a pass for every seat in play that is missing from the circle, clockwise (R12, E12, E13)."""
    while _missing_passes(transition.state) > 0:
        seat = _next_seat_in_play(transition.state, seat + 1)
        transition.record(Passed(seat))


def _ending_with_empty_deck(state: State, rulebook: Rulebook) -> Ending | None:
    """Return why the round ends now without treasure, or None (R32, E13); a walled-off treasure is no reason (E14)."""
    if not any(state.hands):
        return "exhausted"
    return "circle-of-passes" if _is_full_circle(state, rulebook) else None


def _is_full_circle(state: State, rulebook: Rulebook) -> bool:
    return rulebook.circle_of_passes and _missing_passes(state) <= 0


def _missing_passes(state: State) -> int:
    """Return the number of passes that a full circle still needs, one for each seat in play (E12, E13)."""
    return state.seats - len(state.gone) - len(state.passed)


def _end_round(transition: Transition, ending: Ending, ended_by: int) -> None:
    """End the round: show the roles (R33, E30), pay the gold (R34, R35), end the game after its last round (R47)."""
    state = transition.state
    is_treasure_found = treasure_is_found(state, transition.rulebook)
    transition.record(
        RoundEnded(
            round=state.round,
            ending=ending,
            winners=_winning_side(state, is_treasure_found=is_treasure_found),
            ended_by=ended_by,
            roles=state.roles,
            aside=state.aside,
        )
    )
    if is_treasure_found:
        share_gold(transition, ended_by)
    else:
        pay_saboteurs(transition)
    end_game_if_due(transition)


def end_game_if_due(transition: Transition) -> None:
    """End the game if the last round is over and all gold is given out: most nuggets win, ties share (R50)."""
    state = transition.state
    if state.choice is not None or state.round < state.house.rounds:
        return
    nuggets = tuple(sum(cards) for cards in state.gold)
    winners = tuple(
        seat for seat, seat_nuggets in enumerate(nuggets) if seat_nuggets == max(nuggets)
    )
    transition.record(GameEnded(nuggets, winners))


def next_starter(state: State, rulebook: Rulebook) -> int:
    """Return the seat that starts the next round (R49, E28)."""
    if rulebook.next_starter == "left-of-first-starter":
        return _next_seat_in_play(state, state.first_starter + 1)
    return _next_seat_in_play(state, state.last_turn + 1)


def _next_seat_in_play(state: State, seat: int) -> int:
    """Return this seat, or the first one clockwise from it that has not been given up (R7, E12)."""
    if not state.gone:
        return seat % state.seats
    clockwise_seats = ((seat + step) % state.seats for step in range(state.seats))
    return next(next_seat for next_seat in clockwise_seats if next_seat not in state.gone)


def _winning_side(state: State, *, is_treasure_found: bool) -> Side:
    """Return the winning side: without treasure the saboteurs, or no side if there is no saboteur (R35, E33)."""
    if is_treasure_found:
        return "diggers"
    return "saboteurs" if "saboteur" in state.roles else "nobody"


def deal(state: State, *, starter: int | None, chance: Chance) -> Dealt:
    """Deal the round after ``state.round`` (R2-R6, R48); with ``starter`` None chance picks the starter (R6).

    Raises ValueError for a number of seats other than 3 to 10, or a starter that is not one of them.
    """
    if state.seats not in HAND_SIZES:
        raise ValueError("a game has three to ten seats")
    if starter is not None and not 0 <= starter < state.seats:
        raise ValueError("the starter must be one of the seats")
    label = f"round-{state.round + 1}"
    *roles, unused_role = chance.shuffled(f"{label}/roles", role_pile(state.seats))
    upper_goal, middle_goal, lower_goal = chance.shuffled(f"{label}/goals", GOALS)
    hands, deck = _deal_hands(state, chance.shuffled(f"{label}/deck", DECK))
    return Dealt(
        round=state.round + 1,
        starter=_random_starter(state, label, chance) if starter is None else starter,
        roles=tuple(roles),
        aside=unused_role,
        goals=(upper_goal, middle_goal, lower_goal),
        hands=hands,
        deck=deck,
        pile=chance.shuffled("gold", GOLD_CARDS) if state.round == 0 else None,
    )


def _deal_hands(
    state: State, cards: tuple[Card, ...]
) -> tuple[tuple[tuple[Card, ...], ...], tuple[Card, ...]]:
    hand_size, hand_start = HAND_SIZES[state.seats], 0
    hands: list[tuple[Card, ...]] = []
    for seat in range(state.seats):
        hand_end = hand_start if seat in state.gone else hand_start + hand_size
        hands.append(cards[hand_start:hand_end])
        hand_start = hand_end
    return tuple(hands), cards[hand_start:]


def _random_starter(state: State, label: str, chance: Chance) -> int:
    seats_in_play = [seat for seat in range(state.seats) if seat not in state.gone]
    return chance.shuffled(f"{label}/starter", seats_in_play)[0]
