"""What a bot believes: who is a saboteur, where the treasure is, which cards it has not seen."""

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from engine.bots.distance import TreasureOdds
from engine.bots.evidence import role_weights_after
from engine.bots.public_actions import lines_of_this_round, public_actions
from engine.bots.role_odds import saboteur_probabilities
from engine.cards import BREAKS, CARD_BY_SHAPE, DECK, MAP, ROCKFALL, Card, Role
from engine.narration import Line, LineKey
from engine.view import View


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


def belief_of(view: View, lines: Sequence[Line]) -> Belief:
    """Return the belief of the seat of a view; ``lines`` are all lines of history that it has seen, oldest first."""
    return Belief(
        saboteur_probabilities=saboteur_probabilities(role_weights(view, lines), known_roles(view)),
        treasure=treasure_probabilities(view),
        cards=_share_by_card(hidden_cards(view, lines)),
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
