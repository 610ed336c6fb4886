"""The payment of gold at the end of a round (R34-R46, E1-E3, E15-E17, E31).

A seat that was given up gets nothing and still counts: among the saboteurs, and where a rulebook draws a gold card for each
seat. Only sharing skips it, as the house rule on broken tools skips diggers (E12).
"""

from collections import deque
from collections.abc import Sequence
from typing import Final, NamedTuple

from engine.errors import IllegalAction, Reason
from engine.events import GoldDrawn, GoldPaid, GoldPassed, GoldTaken
from engine.evolve import Transition
from engine.rulebook import Rulebook
from engine.state import GoldChoice, State

NUGGETS_PER_SABOTEUR: Final = {1: 4, 2: 3, 3: 3, 4: 2}
"""The nuggets paid to each saboteur, by the number of saboteurs among the players (R42)."""

_TEN_PLAYERS, _NINE_CARDS = 10, 9


def share_gold(transition: Transition, finder: int) -> None:
    """Draw the gold cards for the diggers and give them to the seat that picks first (R36-R39).

    ``finder`` is the seat whose path card turned the treasure. No card is drawn if no digger shares.
    """
    sharers = _sharers_from(transition.state, finder)
    if not sharers:
        return
    drawn_card_count = _gold_card_count(transition.rulebook, transition.state.seats, len(sharers))
    transition.record(GoldDrawn(sharers[0], transition.state.pile[:drawn_card_count]))
    _keep_single_cards(transition)


def take_gold(transition: Transition, seat: int, nuggets: int) -> None:
    """Keep one gold card and pass the others counter-clockwise (R40, R41).

    Raises IllegalAction if the seat holds no card of this many nuggets.
    """
    choice = transition.state.choice
    if not isinstance(choice, GoldChoice) or nuggets not in choice.cards:
        raise IllegalAction(Reason.NOT_OFFERED)
    _keep_card(transition, seat, nuggets)
    _keep_single_cards(transition)


def decline_gold(transition: Transition, seat: int) -> None:
    """Pass on all gold cards in hand, because a seat that was given up is paid nothing (E12)."""
    transition.record(GoldPassed(seat, _next_picker(transition, seat)))


def pay_saboteurs(transition: Transition) -> None:
    """Pay every saboteur exactly, clockwise from the left of the last turn (R42, E2), from the pile in its order (E3)."""
    state = transition.state
    saboteurs = state.roles.count("saboteur")
    for step in range(1, state.seats + 1):
        seat = (state.last_turn + step) % state.seats
        if state.roles[seat] == "saboteur" and seat not in state.gone:
            payment = exact_change(transition.state.pile, NUGGETS_PER_SABOTEUR[saboteurs])
            transition.record(GoldPaid(seat, *payment))


def _gold_card_count(rulebook: Rulebook, seats: int, sharers: int) -> int:
    """Return the number of gold cards drawn for the diggers (R36, R37, E17)."""
    if rulebook.gold_per_digger:
        return sharers
    return _NINE_CARDS if seats == _TEN_PLAYERS and rulebook.nine_gold_cards_for_ten else seats


class Payment(NamedTuple):
    """The cards paid to a saboteur, the cards drawn that exceeded the sum, and the pile afterwards."""

    cards: tuple[int, ...]
    overshot: tuple[int, ...]
    pile: tuple[int, ...]
    restored: bool = False
    """Whether exact change was impossible, so that the pile was restored and the cards were chosen from it (E1)."""


def exact_change(pile: tuple[int, ...], nuggets: int) -> Payment:
    """Draw cards from the top (R43) until their sum is exact (R45); a card that exceeds it goes to the bottom (R44).

    If a full cycle of the pile accepts no card, restore the pile and take the first set of positions with the exact sum,
    else the first set with the highest sum below it (E1).
    """
    card_queue, cards, overshot = deque(pile), list[int](), list[int]()
    refused_card_count = 0
    while nuggets > sum(cards) and refused_card_count < len(card_queue):
        card = card_queue.popleft()
        if sum(cards) + card <= nuggets:
            cards.append(card)
            refused_card_count = 0
        else:
            overshot.append(card)
            card_queue.append(card)
            refused_card_count += 1
    if sum(cards) == nuggets:
        return Payment(tuple(cards), tuple(overshot), tuple(card_queue))
    return _best_change(pile, nuggets, tuple(overshot))


def _best_change(pile: tuple[int, ...], nuggets: int, overshot: tuple[int, ...]) -> Payment:
    position_sets_by_sum = (
        first_positions_with_sum(pile, target) for target in range(nuggets, 0, -1)
    )
    taken_positions = next((positions for positions in position_sets_by_sum if positions), ())
    cards = tuple(pile[position] for position in taken_positions)
    remaining_cards = tuple(
        card for position, card in enumerate(pile) if position not in taken_positions
    )
    return Payment(cards, overshot, remaining_cards, restored=True)


def first_positions_with_sum(
    pile: Sequence[int], target_sum: int, start: int = 0
) -> tuple[int, ...]:
    """Return the lexicographically first set of pile positions with exactly this sum; empty if there is none (E1)."""
    for position in range(start, len(pile)):
        remaining_nuggets = target_sum - pile[position]
        if remaining_nuggets == 0:
            return (position,)
        if remaining_nuggets > 0 and (
            later_positions := first_positions_with_sum(pile, remaining_nuggets, position + 1)
        ):
            return (position, *later_positions)
    return ()


def _keep_card(transition: Transition, seat: int, nuggets: int) -> None:
    choice = transition.state.choice
    has_choice = isinstance(choice, GoldChoice) and len(choice.cards) > 1
    transition.record(
        GoldTaken(seat, nuggets, _next_picker(transition, seat) if has_choice else None)
    )


def _keep_single_cards(transition: Transition) -> None:
    """Take a single card for its holder: there is no choice, and it is public that it is a single card."""
    while isinstance(choice := transition.state.choice, GoldChoice) and len(choice.cards) == 1:
        _keep_card(transition, choice.seat, choice.cards[0])


def _next_picker(transition: Transition, seat: int) -> int | None:
    """Return the next digger counter-clockwise that may pick: repeatedly, or only once each (R40)."""
    state = transition.state
    picked_cards = list(state.results[-1].gold_cards)
    picked_cards[seat] += 1
    candidate_seats = _sharers_from(state, seat - 1)
    return next(
        (
            picker
            for picker in candidate_seats
            if transition.rulebook.leftovers_go_round or not picked_cards[picker]
        ),
        None,
    )


def _sharers_from(state: State, seat: int) -> tuple[int, ...]:
    """Return the diggers that share the gold, counter-clockwise from this seat inclusive (R38, R39, E12, E15, E16)."""
    counter_clockwise_seats = ((seat - step) % state.seats for step in range(state.seats))
    return tuple(digger for digger in counter_clockwise_seats if _may_share(state, digger))


def _may_share(state: State, seat: int) -> bool:
    has_intact_tools = not state.broken[seat] or not state.house.intact_diggers_only
    return state.roles[seat] == "digger" and seat not in state.gone and has_intact_tools
