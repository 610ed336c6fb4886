"""Neither a refusal nor its message and cost depend on anything that the seat may not know."""

import pytest
from sqlalchemy import update

from engine.view import legal_actions, view_for
from tests.leaks.stored_game_pairs import (
    SEATED_CHARACTERS,
    GamePair,
    game_pair,
    random_game,
    response_text,
)
from tests.support.cast import MALLORY
from tests.support.engine.conceivable_actions import as_offered_by_engine, conceivable_actions
from tests.support.engine.seeded_random import SeededRng
from tests.support.factories import open_table
from tests.support.statements import observed_statements
from tests.support.transactions import transaction
from tests.support.visitors import TABLE_VERBS, Site, Visitor
from webapp.kernel import urls
from webapp.play.pages.table import form_fields_for
from webapp.play.schema import Game

_ILLEGAL_TURN_COUNT = 25


def illegal_turn_forms(pair: GamePair) -> list[dict[str, str]]:
    """Return forms of some conceivable turns that are not legal for this seat."""
    rng, view = SeededRng(_ILLEGAL_TURN_COUNT), view_for(pair.actual.states[-1], pair.observer)
    legal_turn_actions = legal_actions(view)
    illegal_actions = [
        action
        for action in conceivable_actions(view)
        if as_offered_by_engine(action) not in legal_turn_actions
    ]
    return [
        form_fields_for(action) for action in rng.shuffled(illegal_actions)[:_ILLEGAL_TURN_COUNT]
    ]


@pytest.mark.parametrize("observer", [0, 1, 2, 3, None])
@pytest.mark.parametrize("late", [0, 1])
def test_refused_turns_are_answered_the_same_in_both_games(
    site: Site, observer: int | None, late: int
) -> None:
    pair = game_pair(site, random_game("et-2007", 31), observer=observer)
    forms = illegal_turn_forms(pair)
    responses = []
    for _ in pair.play_both():
        seq = str(pair.turn_count - late)
        responses.append(
            [
                response_text(pair.visitor.post(urls.turns(pair.slug), **form, seq=seq))
                for form in forms
            ]
        )
    assert responses[0] == responses[1]


@pytest.mark.parametrize(
    "verb", ["sit", "leave", "ready", "unready", "fill", "remove", "cancel", "starter"]
)
def test_lobby_actions_on_a_dealt_game_are_answered_the_same_in_both_games(
    site: Site, verb: str
) -> None:
    pair = game_pair(site, random_game("en-2004", 37), observer=0)
    responses = [
        response_text(pair.visitor.post(urls.lobby_action(pair.slug, verb)))
        for _ in pair.play_both()
    ]
    assert responses[0] == responses[1]
    assert not responses[0].startswith("500")


PATHS_OF_A_GAME = (
    "",
    "/history",
    "/fairness",
    "/export",
    "/history?until=3",
    "/rounds/1",
    "/turns",
    "/none-such",
)


def responses_and_statement_counts(
    visitor: Visitor, site: Site, slug: str
) -> dict[str, tuple[str, int]]:
    """Return the responses of all routes of a game, each with the number of statements executed so far."""
    executed_statements: list[str] = []

    def record(statement: str, _: object) -> None:
        executed_statements.append(statement)

    responses: dict[str, tuple[str, int]] = {}
    with (
        observed_statements(site.database.engine, record),
        observed_statements(site.database.read_only_engine, record),
    ):
        _request_all(visitor, slug, responses, executed_statements)
    return responses


def _request_all(
    visitor: Visitor,
    slug: str,
    responses: dict[str, tuple[str, int]],
    executed_statements: list[str],
) -> None:
    for path in PATHS_OF_A_GAME:
        answer = visitor.get(f"/games/{slug}{path}")
        responses[f"GET {path}"] = (
            response_text(answer).replace(slug, "SLUG"),
            len(executed_statements),
        )
    for verb in TABLE_VERBS:
        answer = visitor.post(
            urls.lobby_action(slug, verb), seq="0", do="pass", address="a@example.test"
        )
        responses[f"POST {verb}"] = (
            response_text(answer).replace(slug, "SLUG"),
            len(executed_statements),
        )


@pytest.mark.parametrize("is_signed_in", [True, False])
@pytest.mark.parametrize("is_dealt", [True, False])
def test_private_table_gets_the_same_responses_as_a_missing_one(
    site: Site, *, is_signed_in: bool, is_dealt: bool
) -> None:
    dealt = site.dealt_game(*SEATED_CHARACTERS)
    slug = dealt.slug if is_dealt else open_table(site.database, dealt.guests[0])
    responses = []
    for tried_slug in (slug, "".join(reversed(slug))):
        visitor = site.signed_in(MALLORY) if is_signed_in else site.signed_out()
        visitor.token()
        responses.append(responses_and_statement_counts(visitor, site, tried_slug))
    private_response, missing_response = responses
    assert private_response == missing_response
    for path in ("", "/history", "/fairness", "/export", "/history?until=3", "/none-such"):
        assert private_response[f"GET {path}"][0].startswith("404" if is_signed_in else "401")
    for verb in TABLE_VERBS:
        assert private_response[f"POST {verb}"][0].startswith("404" if is_signed_in else "303")


@pytest.mark.parametrize("slug", ["Ab-C", "a" * 40, "a.b", "%20", "a%00"])
def test_malformed_slug_gets_the_same_page_as_a_missing_one(site: Site, slug: str) -> None:
    mallory = site.signed_in(MALLORY)
    missing_response, malformed_response = (
        mallory.get(f"/games/{path_slug}") for path_slug in ("abcdefgh", slug)
    )
    assert response_text(missing_response) == response_text(malformed_response)
    for path_slug in ("abcdefgh", slug):
        gate_response = site.signed_out().get(f"/games/{path_slug}")
        assert (gate_response.status_code, "Sign in to see this page" in gate_response.text) == (
            401,
            True,
        )


def test_outdated_snapshot_of_a_private_game_is_not_rebuilt_for_strangers(site: Site) -> None:
    """Rebuilding reads the whole log, and the time it takes would reveal that the game exists."""
    dealt = site.dealt_game(*SEATED_CHARACTERS)
    with transaction(site.database) as tx:
        tx.execute(update(Game).values(state_format=0))
    mallory = site.signed_in(MALLORY)
    mallory.token()
    missing_slug = "".join(reversed(dealt.slug))
    assert responses_and_statement_counts(
        mallory, site, dealt.slug
    ) == responses_and_statement_counts(mallory, site, missing_slug)
