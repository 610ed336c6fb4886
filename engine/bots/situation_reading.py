"""The situation of a real turn, read from the view and the history of a seat."""

from collections.abc import Sequence
from typing import Final

from engine.bots.belief import treasure_probabilities
from engine.bots.distance import cards_around_obstacles, open_ends
from engine.bots.evidence import role_weights_after
from engine.bots.public_actions import PublicAction, public_actions
from engine.bots.role_odds import saboteur_probabilities
from engine.bots.situation import Situation
from engine.cards import DECK, EDGES, HAND_SIZES
from engine.narration import Line
from engine.rulebooks.catalogue import RULEBOOKS
from engine.view import View

_CARDS: Final = frozenset(DECK)


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
