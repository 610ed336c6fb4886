"""Path cards laid into drawings."""

from collections.abc import Sequence

from tests.reference_model.cards import Cell
from tests.reference_model.reaching import Answer, Outcome, Placed, after_laying
from tests.reference_model.sketch import read


def lay(rulebook: str, drawing: str, placed: Placed, *, answers: Sequence[Answer] = ()) -> Outcome:
    mine = read(drawing)
    return after_laying(
        rulebook, mine.laid, face_down_goals=mine.face_down, placed=placed, answers=answers
    )


def lay_next(rulebook: str, before: Outcome, placed: Placed) -> Outcome:
    return after_laying(
        rulebook, before["laid"], face_down_goals=before["face_down"], placed=placed
    )


def shown(outcome: Outcome) -> list[tuple[Cell, str, bool | None]]:
    return [(goal["cell"], goal["goal"], goal["turned"]) for goal in outcome["turned"]]


def elsewhere() -> Placed:
    return ("path-rl", -1, 0, False)
