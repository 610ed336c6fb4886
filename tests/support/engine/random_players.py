"""Players that choose among legal actions by seeded random numbers, so that a failing game can be played again."""

from typing import Final

from engine.actions import Action, Lay
from engine.cards import CONNECTS_EDGES, EDGES, RIGHT, TURNED_SHAPES
from engine.cells import GOAL_CELLS, position
from engine.state import State
from tests.support.engine.positions import offered_actions
from tests.support.engine.seeded_random import SeededRng


def random_action(state: State, rng: SeededRng) -> Action:
    """Return any legal action, each as likely as the next."""
    return rng.pick(offered_actions(state))


def digging_action(state: State, rng: SeededRng) -> Action:
    """Return a legal action that extends a path east, not past the goals, if there is one; else any."""
    actions = offered_actions(state)
    best_progress = max(map(_eastward_progress, actions))
    return rng.pick([action for action in actions if _eastward_progress(action) == best_progress])


def mostly_digging_action(state: State, rng: SeededRng) -> Action:
    """Return a digging action three times out of four, and any legal action otherwise."""
    return (random_action if rng.happens_once_in(4) else digging_action)(state, rng)


def _eastward_progress(action: Action) -> int:
    if not isinstance(action, Lay):
        return 0
    shape = TURNED_SHAPES[action.card] if action.turned else action.card
    x, _ = position(action.cell)
    if x > _GOAL_COLUMN or not CONNECTS_EDGES[shape]:
        return 0
    return 10 + x if EDGES[shape] & RIGHT else 1


_GOAL_COLUMN: Final = position(GOAL_CELLS[0])[0]
