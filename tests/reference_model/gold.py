"""Who has won a round, who is paid what, and who wins the game: R34-R50, E1-E3, E12, E15-E17.

The pile is a tuple of nuggets per card, its top first. ``roles`` holds ``digger`` or ``saboteur``
for every seat dealt, given up or not; the role card set aside is not in it.
"""

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from tests.reference_model.cards import Cell, LaidCard
from tests.reference_model.differences import (
    R35_TREASURE_MUST_BE_TURNED_OVER,
    R36_ONE_GOLD_CARD_PER_DIGGER,
    R37_NINE_CARDS_WITH_TEN_PLAYERS,
    R40_REMAINING_GOLD_GOES_ROUND_AGAIN,
)
from tests.reference_model.reaching import connected_goals

Pile = tuple[int, ...]


class PaidGold(NamedTuple):
    """The cards each paid seat got, in the order it got them, and the pile that is left."""

    cards: dict[int, tuple[int, ...]]
    pile: Pile


def winning_side(
    rulebook: str, laid: list[LaidCard], *, treasure: Cell, roles: Mapping[int, str]
) -> str:
    """Return ``diggers``, ``saboteurs`` or ``nobody`` if no player is a saboteur.

    An unbroken path must join the start to the treasure (R34), and in some rulebooks the treasure
    must have been turned over, which beats that (R35, E4).
    """
    is_turned_over = any((x, y) == treasure for x, y, *_ in laid)
    if R35_TREASURE_MUST_BE_TURNED_OVER[rulebook]:
        is_reached = is_turned_over
    else:
        is_reached = bool(connected_goals(laid, {treasure: "treasure"}))
    if is_reached:
        return "diggers"
    return "saboteurs" if "saboteur" in roles.values() else "nobody"


def sharing_diggers(
    roles: Mapping[int, str],
    *,
    broken: Mapping[int, Collection[str]],
    given_up: Collection[int],
    intact_diggers_only: bool,
) -> list[int]:
    """Return the diggers who get gold: not those given up (E12), nor, by house rule, broken."""
    return [
        seat
        for seat in sorted(roles)
        if roles[seat] == "digger"
        and seat not in given_up
        and not (intact_diggers_only and broken.get(seat))
    ]


def gold_cards_drawn(rulebook: str, *, players: int, sharing_seat_count: int) -> int:
    """Return how many gold cards leave the pile for the diggers (R36, R37, E17).

    ``players`` counts the seats as the round was dealt; ``sharing_seat_count`` the diggers who get gold.
    When no digger shares, none is paid.
    """
    if sharing_seat_count == 0:
        return 0
    if R36_ONE_GOLD_CARD_PER_DIGGER[rulebook]:
        return sharing_seat_count
    if R37_NINE_CARDS_WITH_TEN_PLAYERS[rulebook] and players == 10:
        return 9
    return players


def picking_order(players: int, *, finder_seat: int, sharing_seats: Collection[int]) -> list[int]:
    """Return the sharing diggers in the order of their first pick.

    The seat whose card turned the treasure is first if it shares (R38); the others follow counter-clockwise.
    Saboteurs are skipped: after a saboteur's card the next digger picks first (R39, E15, E16).
    """
    counter_clockwise_seats = [(finder_seat - step) % players for step in range(players)]
    return [seat for seat in counter_clockwise_seats if seat in sharing_seats]


def pickers(rulebook: str, order: Sequence[int], *, drawn_card_count: int) -> list[int]:
    """Return whose pick each drawn card is: round and round until none is left (R40)."""
    if not R40_REMAINING_GOLD_GOES_ROUND_AGAIN[rulebook]:
        return list(order)
    return [order[turn % len(order)] for turn in range(drawn_card_count)]


def nuggets_per_saboteur(roles: Mapping[int, str]) -> int:
    """Return what each saboteur is owed, by their number among the players (R43, E12)."""
    saboteurs = list(roles.values()).count("saboteur")
    return {0: 0, 1: 4, 2: 3, 3: 3, 4: 2}[saboteurs]


def saboteur_order(
    roles: Mapping[int, str], *, last_turn_seat: int, given_up: Collection[int] = ()
) -> list[int]:
    """Return the saboteurs to be paid, clockwise from the left of the last turn (E2, E12)."""
    clockwise_seats = [(last_turn_seat + step) % len(roles) for step in range(1, len(roles) + 1)]
    return [seat for seat in clockwise_seats if roles[seat] == "saboteur" and seat not in given_up]


def pay_saboteurs(
    pile: Pile, roles: Mapping[int, str], *, last_turn_seat: int, given_up: Collection[int] = ()
) -> PaidGold:
    """Pay each saboteur from the pile that the previous one left (R43-R45, E2, E3)."""
    owed_nuggets = nuggets_per_saboteur(roles)
    cards = {}
    for seat in saboteur_order(roles, last_turn_seat=last_turn_seat, given_up=given_up):
        cards[seat], pile = draw_exactly(pile, owed_nuggets=owed_nuggets)
    return PaidGold(cards, pile)


def draw_exactly(pile: Pile, *, owed_nuggets: int) -> tuple[tuple[int, ...], Pile]:
    """Return the cards a saboteur gets and the pile they leave: drawn, or else exact change (E1)."""
    return draw_one_by_one(pile, owed_nuggets=owed_nuggets) or exact_change(
        pile, owed_nuggets=owed_nuggets
    )


def draw_one_by_one(pile: Pile, *, owed_nuggets: int) -> tuple[tuple[int, ...], Pile] | None:
    """Draw from the top until the sum is exact; what overshoots goes to the bottom (R44, R45).

    Return None when the whole pile has gone by and no card was accepted (E1).
    """
    accepted_cards: list[int] = []
    remaining_pile = list(pile)
    consecutive_refusals = 0
    while sum(accepted_cards) < owed_nuggets:
        if consecutive_refusals == len(remaining_pile):
            return None
        card = remaining_pile.pop(0)
        if sum(accepted_cards) + card > owed_nuggets:
            remaining_pile.append(card)
            consecutive_refusals += 1
        else:
            accepted_cards.append(card)
            consecutive_refusals = 0
    return tuple(accepted_cards), tuple(remaining_pile)


def exact_change(pile: Pile, *, owed_nuggets: int) -> tuple[tuple[int, ...], Pile]:
    """Give the lexicographically first set of positions with the exact or best lower sum (E1).

    The rest keeps its order. No card is worth less than a nugget, so that no set larger than
    ``owed_nuggets`` needs a look.
    """
    position_sets = sorted(
        positions
        for size in range(owed_nuggets + 1)
        for positions in combinations(range(len(pile)), size)
        if _nuggets_at(pile, positions) <= owed_nuggets
    )
    best_sum = max(_nuggets_at(pile, positions) for positions in position_sets)
    chosen_positions = next(
        positions for positions in position_sets if _nuggets_at(pile, positions) == best_sum
    )
    remaining_pile = tuple(
        card for position, card in enumerate(pile) if position not in chosen_positions
    )
    return tuple(pile[position] for position in chosen_positions), remaining_pile


def _nuggets_at(pile: Pile, positions: tuple[int, ...]) -> int:
    return sum(pile[position] for position in positions)


def winners(nuggets: Mapping[int, int]) -> set[int]:
    """Return the seats with the most nuggets; ties share first place (R50)."""
    return {seat for seat in nuggets if nuggets[seat] == max(nuggets.values())}
