"""Whom a player trusted and suspected, beside what they were."""

from engine.cards import Role
from tests.support.perspectives import ANNA
from webapp.play.queries.notes import MarkRow
from webapp.wording.results import judgements

ROLES: dict[int, tuple[Role, ...]] = {
    1: ("digger", "saboteur", "digger"),
    2: ("digger", "digger", "saboteur"),
    3: ("digger", "saboteur", "digger"),
}


def test_marks_of_several_rounds_are_joined_by_what_the_player_was() -> None:
    marks = [
        MarkRow(1, 1, "suspect"),
        MarkRow(1, 2, "trust"),
        MarkRow(2, 1, "suspect"),
        MarkRow(3, 1, "suspect"),
    ]
    found = [(judgement.text, judgement.is_right) for judgement in judgements(marks, ROLES, ANNA)]
    name, other_name = ANNA.name(1), ANNA.name(2)
    assert found == [
        (f"You suspected {name}: gold-digger in round 2.", False),
        (f"You suspected {name}: saboteur in rounds 1 and 3.", True),
        (f"You trusted {other_name}: gold-digger in round 1.", True),
    ]


def test_mark_of_a_round_without_roles_is_left_out() -> None:
    assert judgements([MarkRow(4, 1, "trust")], ROLES, ANNA) == []
