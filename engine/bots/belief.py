"""What a bot believes: who is a saboteur, where the treasure is, which cards it has not seen; and the situation that it plays in."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from engine.bots.distance import TreasureOdds, cards_around_obstacles, open_ends
from engine.bots.evidence import role_weights_after
from engine.bots.options import Situation
from engine.bots.public_actions import PublicAction, lines_of_this_round, public_actions
from engine.cards import (
    BREAKS,
    CARD_BY_SHAPE,
    DECK,
    EDGES,
    HAND_SIZES,
    MAP,
    ROCKFALL,
    SABOTEUR_COUNTS,
    Card,
    Role,
)
from engine.narration import Line, LineKey
from engine.rulebooks.catalogue import RULEBOOKS
from engine.view import View

_SET_ASIDE_CARD_WEIGHT = 1.0
_CARDS: Final = frozenset(DECK)


class Belief(msgspec.Struct, frozen=True, kw_only=True):
    """What one seat believes. A probability is 0 or 1 only if the seat knows for certain."""

    saboteur_probabilities: tuple[float, ...]
    """The probability of each seat to be a saboteur, by seat."""
    treasure: TreasureOdds
    """The probability of each goal cell to hold the treasure, top first."""
    cards: Mapping[Card, float]
    """The probability of a card that this seat has not seen to be of each kind; empty if it has seen them all."""

    def __repr__(self) -> str:
        """Show no field, because they follow from a hand and a role."""
        return "<Belief>"


def require_supported_view(view: View) -> None:
    """Raise ValueError for a view of another release, whose rulebook, cards or seats this one does not know."""
    rows_by_seat = (view.hand_sizes, view.broken, view.roles)
    if (
        view.rulebook not in RULEBOOKS
        or view.seats not in HAND_SIZES
        or any(len(rows) != view.seats for rows in rows_by_seat)
        or not _CARDS.issuperset(view.hand)
        or not EDGES.keys() >= set(view.mine.laid.values())
    ):
        raise ValueError("this view was made by another release of the engine")


def belief_of(view: View, lines: Sequence[Line]) -> Belief:
    """Return the belief of the seat of a view; ``lines`` are all lines of history that it has seen, oldest first."""
    return Belief(
        saboteur_probabilities=saboteur_probabilities(role_weights(view, lines), known_roles(view)),
        treasure=treasure_probabilities(view),
        cards=_share_by_card(hidden_cards(view, lines)),
    )


def situation_of(view: View, lines: Sequence[Line]) -> Situation:
    """Return the situation of the seat of a view that is on turn; ``lines`` are all lines of history that it has seen."""
    treasure = treasure_probabilities(view)
    cards_needed_by_cell = cards_around_obstacles(view.mine, treasure)
    actions = tuple(public_actions(lines, view.mine))
    seat = view.seat or 0
    own_actions = [action for action in actions if action.seat == seat]
    weights = role_weights_after(actions, view.seats)
    return Situation(
        seat=seat,
        hand=view.hand,
        mine=view.mine,
        turned=view.turned,
        broken=view.broken,
        gone=view.gone,
        saboteur_probabilities=saboteur_probabilities(weights, {seat: "digger"}),
        broken_by_seat=_targets(own_actions, "break"),
        repaired_by_seat=_targets(own_actions, "repair"),
        treasure=treasure,
        cards_needed_by_cell=cards_needed_by_cell,
        ends=open_ends(view.mine, cards_needed_by_cell),
        cards_left=view.deck_size + sum(view.hand_sizes),
        is_deck_empty=not view.deck_size,
        turns_taken=len(own_actions),
    )


def _targets(actions: Sequence[PublicAction], kind: str) -> frozenset[int]:
    """Return the seats whose tools these actions broke or repaired."""
    return frozenset(
        action.target for action in actions if action.kind == kind and action.target is not None
    )


def role_weights(view: View, lines: Sequence[Line]) -> list[float]:
    """Return for each seat how many times as likely a saboteur is to have acted like this as a digger, in this round."""
    return role_weights_after(public_actions(lines, view.mine), view.seats)


def known_roles(view: View) -> Mapping[int, Role]:
    """Return the roles that the seat of a view knows, by seat."""
    return {seat: role for seat, role in enumerate(view.roles) if role is not None}


def hidden_cards(view: View, lines: Sequence[Line]) -> Counter[Card]:
    """Return the cards of the draw deck that the seat of a view has not seen in this round, with their numbers."""
    laid = Counter(
        CARD_BY_SHAPE[shape] for shape in view.mine.laid.values() if shape in CARD_BY_SHAPE
    )
    seen_cards = Counter[Card](view.hand)
    laid_by_history = Counter[Card]()
    for line in lines_of_this_round(lines):
        if line.key == LineKey.CARD_LAID and line.card is not None:
            laid_by_history[line.card] += 1
        else:
            seen_cards.update(_cards_shown(line))
    return Counter(DECK) - seen_cards - (laid | laid_by_history)


def _cards_shown(line: Line) -> tuple[Card, ...]:
    """Return the cards, path cards excepted, that a line shows to have left a hand."""
    match line.key:
        case LineKey.TOOL_BROKEN | LineKey.OWN_TOOL_BROKEN:
            return tuple(card for card, tool in BREAKS.items() if tool == line.tool)
        case LineKey.ROCK_FELL:
            return (ROCKFALL,)
        case LineKey.GOAL_SEEN | LineKey.GOAL_LOOKED_AT:
            return (MAP,)
        case LineKey.TOOL_REPAIRED | LineKey.OWN_TOOL_REPAIRED | LineKey.CARD_DISCARDED:
            return (line.card,) if line.card else ()
    return ()


def treasure_probabilities(view: View) -> TreasureOdds:
    """Return the probability of each goal cell to hold the treasure, from the goals that the seat knows."""
    if "treasure" in view.goals:
        candidates = [goal == "treasure" for goal in view.goals]
    else:
        candidates = [goal is None for goal in view.goals]
    top, middle, bottom = (is_candidate / sum(candidates) for is_candidate in candidates)
    return top, middle, bottom


def _share_by_card(cards: Counter[Card]) -> Mapping[Card, float]:
    total = cards.total()
    return {card: number / total for card, number in sorted(cards.items())}


def saboteur_probabilities(
    weights: Sequence[float], known_roles: Mapping[int, Role]
) -> tuple[float, ...]:
    """Return for each seat the probability that it is a saboteur.

    ``weights`` says for each seat how much more likely a saboteur than a digger plays as it did. Raises KeyError for a number
    of seats other than 3 to 10.
    """
    unknown_seats, saboteur_count = _unknown_seats(weights, known_roles)
    odds = [weights[seat] for seat in unknown_seats]
    probabilities = [float(known_roles.get(seat) == "saboteur") for seat in range(len(weights))]
    total = _sums_of_products([*odds, _SET_ASIDE_CARD_WEIGHT], saboteur_count)[saboteur_count]
    for index, seat in enumerate(unknown_seats):
        other_odds = [*odds[:index], *odds[index + 1 :], _SET_ASIDE_CARD_WEIGHT]
        if saboteur_count:
            other_saboteurs_weight = _sums_of_products(other_odds, saboteur_count - 1)[
                saboteur_count - 1
            ]
            probabilities[seat] = min(odds[index] * other_saboteurs_weight / total, 1.0)
    return tuple(probabilities)


def sampled_roles(
    weights: Sequence[float], known_roles: Mapping[int, Role], chance: Callable[[], float]
) -> tuple[Role, ...]:
    """Return roles for all seats as likely as they are believed; ``chance()`` returns a random number in [0, 1)."""
    unknown_seats, saboteur_count = _unknown_seats(weights, known_roles)
    odds = [*(weights[seat] for seat in unknown_seats), _SET_ASIDE_CARD_WEIGHT]
    roles: list[Role] = [known_roles.get(seat, "digger") for seat in range(len(weights))]
    for index, seat in enumerate(unknown_seats):
        if saboteur_count == 0:
            break
        later_sums = _sums_of_products(odds[index + 1 :], saboteur_count)
        saboteur_weight = odds[index] * later_sums[saboteur_count - 1]
        if chance() * (saboteur_weight + later_sums[saboteur_count]) < saboteur_weight:
            roles[seat], saboteur_count = "saboteur", saboteur_count - 1
    return tuple(roles)


def _unknown_seats(
    weights: Sequence[float], known_roles: Mapping[int, Role]
) -> tuple[list[int], int]:
    """Return the seats whose roles are not known, and how many saboteurs are among them and the card set aside."""
    known_saboteur_count = list(known_roles.values()).count("saboteur")
    unknown_seats = [seat for seat in range(len(weights)) if seat not in known_roles]
    return unknown_seats, SABOTEUR_COUNTS[len(weights)] - known_saboteur_count


def _sums_of_products(numbers: Sequence[float], size: int) -> list[float]:
    """Return for 0 up to ``size`` the sum over all selections of so many numbers of their product."""
    sums = [1.0] + [0.0] * size
    for number in numbers:
        for count in range(size, 0, -1):
            sums[count] += number * sums[count - 1]
    return sums
