"""The deal of a round: all chance of a round is in one :class:`~engine.events.Dealt`.

The items shuffled under each label, always from their order in :mod:`engine.cards` (``N`` is the round):

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
from engine.events import Dealt
from engine.provable_shuffle import Chance
from engine.state import State


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
