"""What is refused, and in which words, depends on nothing that the seat may not know; no try costs or tells more."""

import pytest
from sqlalchemy import event, update

from engine.view import legal_actions, view_for
from tests.leaks.counterfactual_games import SEATS, Worlds, some_game, wire, worlds
from tests.support.cast import MALLORY
from tests.support.engine.conceivable_actions import as_listed, conceivable_actions
from tests.support.engine.seeded_random import SeededRng
from tests.support.factories import open_table
from tests.support.visitors import Site, Visitor
from webapp import urls
from webapp.pages.play.turn_form import form_fields_for
from webapp.services.tx import transaction
from webapp.store.schema.play import Game

_TRIES = 25


def attempts(one: Worlds) -> list[dict[str, str]]:
    """Some of all that could be tried and is not on this seat's menu."""
    rng, view = SeededRng(_TRIES), view_for(one.here.states[-1], one.observer)
    menu = legal_actions(view)
    absurd = [action for action in conceivable_actions(view) if as_listed(action) not in menu]
    return [form_fields_for(action) for action in rng.shuffled(absurd)[:_TRIES]]


@pytest.mark.parametrize("observer", [0, 1, 2, 3, None])
@pytest.mark.parametrize("late", [0, 1])
def test_no_refusal_tells_two_worlds_apart(site: Site, observer: int | None, late: int) -> None:
    one = worlds(site, some_game("et-2007", 31), observer=observer)
    tries = attempts(one)
    answers = []
    for _ in one.each():
        seq = str(one.steps - late)
        answers.append(
            [wire(one.visitor.post(urls.turns(one.slug), **typed, seq=seq)) for typed in tries]
        )
    assert answers[0] == answers[1]


@pytest.mark.parametrize("verb", ["sit", "stand", "ready", "unready", "fill", "cancel", "starter"])
def test_the_verbs_of_the_lobby_tell_nothing_of_a_game_under_way(site: Site, verb: str) -> None:
    one = worlds(site, some_game("en-2004", 37), observer=0)
    answers = [wire(one.visitor.post(urls.lobby_action(one.slug, verb))) for _ in one.each()]
    assert answers[0] == answers[1]
    assert not answers[0].startswith("500")


PATHS_OF_A_GAME = (
    "",
    "/history",
    "/fairness",
    "/export",
    "/history?until=3",
    "/turns",
    "/none-such",
)
VERBS = ("turns", "sit", "stand", "ready", "unready", "fill", "cancel", "starter", "invite")


def answers_to(visitor: Visitor, site: Site, slug: str) -> dict[str, tuple[str, int]]:
    """What is said of a game by every way there is, and how often the database was asked for that."""
    asked: list[str] = []

    def note(_c: object, _cur: object, statement: str, *_others: object) -> None:
        asked.append(statement)

    engines = (site.database.engine, site.database.looking)
    for engine in engines:
        event.listen(engine, "before_cursor_execute", note)
    answers = {}
    for path in PATHS_OF_A_GAME:
        answer = visitor.get(f"/games/{slug}{path}")
        answers[f"GET {path}"] = (wire(answer).replace(slug, "SLUG"), len(asked))
    for verb in VERBS:
        answer = visitor.post(
            urls.lobby_action(slug, verb), seq="0", do="pass", address="a@example.test"
        )
        answers[f"POST {verb}"] = (wire(answer).replace(slug, "SLUG"), len(asked))
    for engine in engines:
        event.remove(engine, "before_cursor_execute", note)
    return answers


@pytest.mark.parametrize("is_signed_in", [True, False])
@pytest.mark.parametrize("is_dealt", [True, False])
def test_a_table_by_invitation_looks_like_none_at_all(
    site: Site, *, is_signed_in: bool, is_dealt: bool
) -> None:
    seated = site.dealt_game(*SEATS)
    slug = seated.slug if is_dealt else open_table(site.database, seated.guests[0])
    answers = []
    for tried in (slug, "".join(reversed(slug))):
        visitor = site.signed_in(MALLORY) if is_signed_in else site.signed_out()
        visitor.token()
        answers.append(answers_to(visitor, site, tried))
    assert answers[0] == answers[1]
    for path in ("", "/history", "/fairness", "/export", "/history?until=3", "/none-such"):
        assert answers[0][f"GET {path}"][0].startswith("404" if is_signed_in else "401")
    for verb in VERBS:
        assert answers[0][f"POST {verb}"][0].startswith("404" if is_signed_in else "303")


@pytest.mark.parametrize("wrong", ["Ab-C", "a" * 40, "a.b", "%20", "a%00"])
def test_slug_that_no_game_can_have_gets_the_same_page(site: Site, wrong: str) -> None:
    mallory = site.signed_in(MALLORY)
    missing, malformed = (mallory.get(f"/games/{slug}") for slug in ("abcdefgh", wrong))
    assert wire(missing) == wire(malformed)
    for slug in ("abcdefgh", wrong):
        gate = site.signed_out().get(f"/games/{slug}")
        assert (gate.status_code, "Sign in to see this table" in gate.text) == (401, True)


def test_an_old_snapshot_of_a_foreign_game_is_not_even_mended(site: Site) -> None:
    """Mending reads the whole log: who may not look would see how long that takes."""
    seated = site.dealt_game(*SEATS)
    with transaction(site.database) as tx:
        tx.connection.execute(update(Game).values(state_format=0))
    mallory = site.signed_in(MALLORY)
    mallory.token()
    missing = "".join(reversed(seated.slug))
    assert answers_to(mallory, site, seated.slug) == answers_to(mallory, site, missing)
