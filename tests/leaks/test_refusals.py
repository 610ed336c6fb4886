"""T1: what is refused, and in which words, depends on nothing that the seat may not know; no try costs or tells more."""

import pytest

from engine.view import legal_actions, view_for
from tests.cast import MALLORY
from tests.leaks.apart import SEATS, Worlds, some_game, wire, worlds
from tests.rules.universe import conceivable_actions
from tests.web.visiting import Door
from tests.worlds import Dice
from webapp import urls
from webapp.pages.attempt import fields_of

_TRIES = 25


def attempts(one: Worlds) -> list[dict[str, str]]:
    """Some of all that could be tried and is not on this seat's menu."""
    dice, view = Dice(_TRIES), view_for(one.here.states[-1], one.observer)
    menu = legal_actions(view)
    absurd = [action for action in conceivable_actions(view) if action not in menu]
    return [fields_of(action) for action in dice.shuffled(absurd)[:_TRIES]]


@pytest.mark.parametrize("observer", [0, 1, 2, 3, None])
@pytest.mark.parametrize("late", [0, 1])
def test_no_refusal_tells_two_worlds_apart(door: Door, observer: int | None, late: int) -> None:
    one = worlds(door, some_game("et-2007", 31), observer=observer)
    tries = attempts(one)
    answers = []
    for _ in one.each():
        seq = str(one.steps - late)
        answers.append(
            [wire(one.visitor.post(urls.turns(one.slug), **typed, seq=seq)) for typed in tries]
        )
    assert answers[0] == answers[1]


@pytest.mark.parametrize("verb", ["sit", "stand", "ready", "unready", "fill", "cancel", "starter"])
def test_the_verbs_of_the_lobby_tell_nothing_of_a_game_under_way(door: Door, verb: str) -> None:
    one = worlds(door, some_game("en-2004", 37), observer=0)
    answers = [wire(one.visitor.post(urls.lobby(one.slug, verb))) for _ in one.each()]
    assert answers[0] == answers[1]
    assert not answers[0].startswith("500")


@pytest.mark.parametrize(
    "path", ["", "/history", "/fairness", "/export", "/history?until=3", "/turns"]
)
def test_a_table_by_invitation_looks_like_none_at_all(door: Door, path: str) -> None:
    seated = door.seated(*SEATS)
    mallory = door.signed_in(MALLORY)
    missing = "".join(reversed(seated.slug))
    answers = [
        wire(mallory.get(f"/games/{slug}{path}")).replace(slug, "SLUG")
        for slug in (seated.slug, missing)
    ]
    assert answers[0] == answers[1]
