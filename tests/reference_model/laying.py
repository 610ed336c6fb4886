"""Path cards laid on sketches.

Its own module because test_reaching and test_misfits_and_chains share it, and ``sketch`` knows no rules.
"""

from collections.abc import Sequence

from tests.reference_model.cards import Cell
from tests.reference_model.reaching import Answer, CardOutcome, PlacedCard, outcome_after_laying
from tests.reference_model.sketch import read_sketch


def lay(
    rulebook: str, drawing: str, placed_card: PlacedCard, *, answers: Sequence[Answer] = ()
) -> CardOutcome:
    sketch = read_sketch(drawing)
    return outcome_after_laying(
        rulebook,
        sketch.laid,
        face_down_goals=sketch.face_down,
        placed_card=placed_card,
        answers=answers,
    )


def lay_after(rulebook: str, earlier_outcome: CardOutcome, placed_card: PlacedCard) -> CardOutcome:
    return outcome_after_laying(
        rulebook,
        earlier_outcome["laid"],
        face_down_goals=earlier_outcome["face_down"],
        placed_card=placed_card,
    )


def turned_goals(outcome: CardOutcome) -> list[tuple[Cell, str, bool | None]]:
    return [(goal["cell"], goal["goal"], goal["turned"]) for goal in outcome["turned"]]


CARD_FAR_AWAY: PlacedCard = ("path-rl", -1, 0, False)
