"""Path cards laid on sketches.

Its own module because test_reaching and test_misfits_and_chains share it, and ``sketch`` knows no rules.
"""

from collections.abc import Sequence

from tests.reference_model.cards import Cell
from tests.reference_model.reaching import Answer, CardOutcome, PlacedCard, after_laying
from tests.reference_model.sketch import read_sketch


def lay(
    rulebook: str, drawing: str, placed_card: PlacedCard, *, answers: Sequence[Answer] = ()
) -> CardOutcome:
    mine = read_sketch(drawing)
    return after_laying(
        rulebook,
        mine.laid,
        face_down_goals=mine.face_down,
        placed_card=placed_card,
        answers=answers,
    )


def lay_after(rulebook: str, before: CardOutcome, placed_card: PlacedCard) -> CardOutcome:
    return after_laying(
        rulebook, before["laid"], face_down_goals=before["face_down"], placed_card=placed_card
    )


def turned_goals(outcome: CardOutcome) -> list[tuple[Cell, str, bool | None]]:
    return [(goal["cell"], goal["goal"], goal["turned"]) for goal in outcome["turned"]]


CARD_FAR_AWAY: PlacedCard = ("path-rl", -1, 0, False)
