"""The mine in words: what somebody who cannot see the picture is told instead."""

from collections.abc import Iterator
from functools import lru_cache

from engine.cards import CONNECTS_EDGES, START, Shape
from engine.cells import GOAL_CELLS, Cell, position
from engine.view import View
from webapp.i18n import Language
from webapp.wording.cards import goal_name, shape_name


def mine_title(view: View, language: Language) -> str:
    """One short sentence that names the picture."""
    return language.gettext(
        "The mine in round %(round)s, after turn %(seq)s", round=view.round, seq=view.seq
    )


def mine_in_words(view: View, language: Language) -> str:
    """The whole position: the laid cards from the start outward, then the goals. For ``<desc>`` and for alt texts."""
    return " ".join([*_laid(view, language), *goals_in_words(view, language)])


def goals_in_words(view: View, language: Language) -> tuple[str, ...]:
    """A sentence for every goal, top first, as far as this seat knows."""
    return tuple(_goal(view, index, language) for index in range(len(GOAL_CELLS)))


def _laid(view: View, language: Language) -> Iterator[str]:
    yield language.gettext("Start at A5; tunnels open to all four sides.")
    joined = view.mine.reached_cells
    for cell in sorted(view.mine.laid, key=position):
        shape = view.mine.laid[cell]
        if shape != START and cell not in GOAL_CELLS:
            counts = cell in joined or not CONNECTS_EDGES[shape]
            yield _card(cell, shape, joined=counts, language=language)
    if view.last_laid is not None:
        yield language.gettext("Laid last: %(cell)s.", cell=view.last_laid)


@lru_cache(maxsize=4096)
def _card(cell: Cell, shape: Shape, *, joined: bool, language: Language) -> str:
    name = shape_name(shape, language)
    if joined:
        return language.gettext("%(cell)s: %(card)s.", cell=cell, card=name)
    return language.gettext("%(cell)s: %(card)s, cut off from the start.", cell=cell, card=name)


def _goal(view: View, index: int, language: Language) -> str:
    cell, goal = GOAL_CELLS[index], view.goals[index]
    if goal is None:
        return language.gettext("Goal %(cell)s: face down.", cell=cell)
    name = goal_name(goal, language)
    if not view.turned[index]:
        return language.gettext(
            "Goal %(cell)s: face down; you know what it is: %(goal)s.", cell=cell, goal=name
        )
    shape = view.mine.laid.get(cell)
    if shape is None:
        return language.gettext(
            "Goal %(cell)s: turned over, its way round still to be chosen: %(goal)s.",
            cell=cell,
            goal=name,
        )
    return language.gettext(
        "Goal %(cell)s: turned over: %(goal)s.", cell=cell, goal=shape_name(shape, language)
    )
