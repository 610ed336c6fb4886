"""Who is paid what (R34-R46, E1-E3, E15-E17, E31)."""

from collections import deque
from collections.abc import Sequence
from typing import Final, NamedTuple

from engine.errors import IllegalAction, Reason
from engine.events import GoldDrawn, GoldPaid, GoldPassed, GoldTaken
from engine.evolve import Transition
from engine.rulebook import Rulebook
from engine.state import GoldChoice, State

NUGGETS_EACH: Final = {1: 4, 2: 3, 3: 3, 4: 2}
"""What each saboteur is paid, by the number of saboteurs among the players (R42)."""

_TEN, _NINE = 10, 9


def share_treasure(transition: Transition, reacher: int, rulebook: Rulebook) -> None:
    """Draw the gold cards and hand them to the first who picks (R36-R39); nobody shares, nobody is paid."""
    sharers = _sharers_from(transition.state, reacher)
    if not sharers:
        return
    drawn = cards_drawn(rulebook, transition.state.seats, len(sharers))
    transition.record(GoldDrawn(sharers[0], transition.state.pile[:drawn]))
    _keep_single_cards(transition, rulebook)


def take_gold(transition: Transition, seat: int, nuggets: int, rulebook: Rulebook) -> None:
    """Keep one gold card and pass the others counter-clockwise (R40, R41)."""
    choice = transition.state.choice
    if not isinstance(choice, GoldChoice) or nuggets not in choice.cards:
        raise IllegalAction(Reason.NOT_OFFERED)
    _take(transition, seat, nuggets, rulebook)
    _keep_single_cards(transition, rulebook)


def pass_gold_on(transition: Transition, seat: int, rulebook: Rulebook) -> None:
    """Keep nothing: a seat given up is paid nothing any more, whatever it holds just then (E12)."""
    transition.record(GoldPassed(seat, _next_picker(transition.state, seat, rulebook)))


def pay_saboteurs(transition: Transition) -> None:
    """Pay every saboteur to the very nugget, clockwise from the left of the last turn (R42, E2), from the pile left before (E3)."""
    state = transition.state
    saboteurs = state.roles.count("saboteur")
    for step in range(1, state.seats + 1):
        seat = (state.last_turn + step) % state.seats
        if state.roles[seat] == "saboteur" and seat not in state.gone:
            payment = exact_change(transition.state.pile, NUGGETS_EACH[saboteurs])
            transition.record(GoldPaid(seat, *payment))


def cards_drawn(rulebook: Rulebook, seats: int, sharers: int) -> int:
    """How many gold cards are drawn for the diggers (R36, R37, E17)."""
    if rulebook.gold_per_digger:
        return sharers
    return _NINE if seats == _TEN and rulebook.nine_gold_cards_for_ten else seats


class Payment(NamedTuple):
    """What a saboteur got, what he drew that was too much, and the pile afterwards."""

    cards: tuple[int, ...]
    overshot: tuple[int, ...]
    pile: tuple[int, ...]
    restored: bool = False
    """Whether the draw never came out even, so that the pile was put back as it was (E1)."""


def exact_change(pile: tuple[int, ...], nuggets: int) -> Payment:
    """Draw one by one from the top (R43) until the sum is exact (R45); a card too many goes to the bottom (R44).

    When a full cycle of the pile accepts no card, the pile is restored and the first set of positions that makes the sum
    is taken, else the first with the best lower sum (E1).
    """
    queue, cards, overshot = deque(pile), list[int](), list[int]()
    refused = 0
    while nuggets > sum(cards) and refused < len(queue):
        card = queue.popleft()
        if sum(cards) + card <= nuggets:
            cards.append(card)
            refused = 0
        else:
            overshot.append(card)
            queue.append(card)
            refused += 1
    if sum(cards) == nuggets:
        return Payment(tuple(cards), tuple(overshot), tuple(queue))
    return _best_change(pile, nuggets, tuple(overshot))


def _best_change(pile: tuple[int, ...], nuggets: int, overshot: tuple[int, ...]) -> Payment:
    sums = (first_set(pile, target) for target in range(nuggets, 0, -1))
    taken = next((positions for positions in sums if positions), ())
    cards = tuple(pile[position] for position in taken)
    rest = tuple(card for position, card in enumerate(pile) if position not in taken)
    return Payment(cards, overshot, rest, restored=True)


def first_set(pile: Sequence[int], target: int, start: int = 0) -> tuple[int, ...]:
    """The lexicographically first set of pile positions whose cards make exactly this sum; empty when none does (E1)."""
    for position in range(start, len(pile)):
        left = target - pile[position]
        if left == 0:
            return (position,)
        if left > 0 and (others := first_set(pile, left, position + 1)):
            return (position, *others)
    return ()


def _take(transition: Transition, seat: int, nuggets: int, rulebook: Rulebook) -> None:
    choice = transition.state.choice
    left = isinstance(choice, GoldChoice) and len(choice.cards) > 1
    transition.record(
        GoldTaken(seat, nuggets, _next_picker(transition.state, seat, rulebook) if left else None)
    )


def _keep_single_cards(transition: Transition, rulebook: Rulebook) -> None:
    """A single card leaves nothing to choose, and everybody knows that it is a single card."""
    while isinstance(choice := transition.state.choice, GoldChoice) and len(choice.cards) == 1:
        _take(transition, choice.seat, choice.cards[0], rulebook)


def _next_picker(state: State, seat: int, rulebook: Rulebook) -> int | None:
    """The next digger counter-clockwise who may pick: again and again, or each only once (R40)."""
    picked = list(state.results[-1].gold_cards)
    picked[seat] += 1
    around = _sharers_from(state, seat - 1)
    return next(
        (picker for picker in around if rulebook.leftovers_go_round or not picked[picker]), None
    )


def _sharers_from(state: State, seat: int) -> tuple[int, ...]:
    """The diggers who share the gold, counter-clockwise from this seat, itself included (R38, R39, E12, E15, E16)."""
    turned = ((seat - step) % state.seats for step in range(state.seats))
    return tuple(digger for digger in turned if _shares(state, digger))


def _shares(state: State, seat: int) -> bool:
    intact = not state.broken[seat] or not state.house.intact_diggers_only
    return state.roles[seat] == "digger" and seat not in state.gone and intact
