"""The mine as text, for readers who cannot see the picture."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from engine.cards import CONNECTS_EDGES, START_SHAPE, Shape
from engine.cells import GOAL_CELLS, Cell, position
from engine.view import View
from webapp.kernel.i18n import Language
from webapp.wording.cards import goal_name, shape_name


def mine_title(view: View, language: Language) -> str:
    """Return the short title of the picture."""
    return language.gettext(
        "The mine in round %(round)s, after turn %(seq)s", round=view.round, seq=view.seq
    )


def mine_description(view: View, language: Language) -> str:
    """Return the whole position as text: the cards from the start outward, then the goals. For ``<desc>`` and alt texts."""
    return " ".join([*_laid_card_sentences(view, language), *goal_sentences(view, language)])


def finished_mine_description(view: View, path: Sequence[Cell], language: Language) -> str:
    """Return the position in which a round ended as text, beginning with the winning path if there is one."""
    description = mine_description(view, language)
    return f"{winning_path_sentence(path, language)} {description}" if path else description


def winning_path_sentence(path: Sequence[Cell], language: Language) -> str:
    """Return the way to the treasure, card by card; the picture shows it as a golden line."""
    return language.ngettext(
        "The winning path has %(num)s card: %(cells)s.",
        "The winning path has %(num)s cards: %(cells)s.",
        len(path),
        cells=", ".join(path),
    )


def goal_sentences(view: View, language: Language) -> tuple[str, ...]:
    """Return a sentence for every goal, top first, with what this seat knows about it."""
    return tuple(_goal_sentence(view, index, language) for index in range(len(GOAL_CELLS)))


def _laid_card_sentences(view: View, language: Language) -> Iterator[str]:
    yield language.gettext("The start is at A5, open on all four sides.")
    reached_cells = view.mine.reached_cells
    for cell in sorted(view.mine.laid, key=position):
        shape = view.mine.laid[cell]
        if shape != START_SHAPE and cell not in GOAL_CELLS:
            is_joined = cell in reached_cells or not CONNECTS_EDGES[shape]
            yield _card_sentence(cell, shape, is_joined=is_joined, language=language)
    if view.last_laid is not None:
        yield language.gettext("Last card laid: %(cell)s.", cell=view.last_laid)


@lru_cache(maxsize=4096)
def _card_sentence(cell: Cell, shape: Shape, *, is_joined: bool, language: Language) -> str:
    name = shape_name(shape, language)
    if is_joined:
        return language.gettext("%(cell)s: %(card)s.", cell=cell, card=name)
    return language.gettext("%(cell)s: %(card)s, cut off from the start.", cell=cell, card=name)


def _goal_sentence(view: View, index: int, language: Language) -> str:
    cell, goal = GOAL_CELLS[index], view.goals[index]
    if goal is None:
        return language.gettext("Goal %(cell)s: face down.", cell=cell)
    name = goal_name(goal, language)
    if not view.turned[index] and view.awaiting is None:
        return language.gettext(
            "Goal %(cell)s: %(goal)s, which no one had turned over.", cell=cell, goal=name
        )
    if not view.turned[index]:
        return language.gettext(
            "Goal %(cell)s: face down, but you know it's %(goal)s.", cell=cell, goal=name
        )
    shape = view.mine.laid.get(cell)
    if shape is None:
        return language.gettext(
            "Goal %(cell)s: %(goal)s, revealed; how it lies is still to be chosen.",
            cell=cell,
            goal=name,
        )
    return language.gettext(
        "Goal %(cell)s: revealed, %(goal)s.", cell=cell, goal=shape_name(shape, language)
    )
