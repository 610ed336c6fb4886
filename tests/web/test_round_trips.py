"""How many database statements each page takes, with BEGIN and COMMIT."""

import pytest

from tests.support.cast import ALICE, BOB, CAROL
from tests.support.page_robot import discard_form
from tests.support.statements import recorded_statements, without_begin_and_commit
from tests.support.visitors import DealtGame, Site
from webapp.kernel import urls


@pytest.fixture
def game(site: Site) -> DealtGame:
    return site.dealt_game(ALICE, BOB, CAROL)


def test_turn_takes_two_statements_and_opens_no_transaction(site: Site, game: DealtGame) -> None:
    form = discard_form(game.visitors[0], game.slug)
    with recorded_statements(site.database) as statements:
        assert game.visitors[0].send(form).status_code == 303
    assert len(statements) == 2
    assert "BEGIN" not in statements


@pytest.mark.parametrize(
    "path, max_statements",
    [
        (urls.home(), 2),
        (urls.game("SLUG"), 2),
        (urls.choice("SLUG"), 2),
        (urls.players("SLUG"), 3),
        (urls.history("SLUG"), 5),
        (urls.fairness("SLUG"), 2),
        (urls.export("SLUG"), 2),
        (urls.next_game(), 2),
        (urls.profile(), 2),
        (urls.new_game(), 3),
        (urls.rules(), 0),
        (urls.rulebook("en-2004"), 0),
        (urls.about(), 0),
        ("/nowhere", 0),
    ],
)
def test_page_stays_within_its_statements_and_opens_no_transaction(
    site: Site, game: DealtGame, path: str, max_statements: int
) -> None:
    with recorded_statements(site.database) as statements:
        game.visitors[0].get(path.replace("SLUG", game.slug))
    assert len(statements) <= max_statements
    assert "BEGIN" not in statements


def test_picking_a_card_takes_no_more_statements_than_the_table(
    site: Site, game: DealtGame
) -> None:
    alice = game.visitors[0]
    tile = alice.page(urls.game(game.slug)).links_of("card-tile")[0].href
    with recorded_statements(site.database) as statements:
        alice.get(tile)
    assert len(statements) <= 2


def test_refused_turn_takes_at_most_three_statements(site: Site, game: DealtGame) -> None:
    alice = game.visitors[0]
    form = discard_form(alice, game.slug)
    alice.send(form)
    with recorded_statements(site.database) as statements:
        assert alice.send(form).status_code == 409
    assert len(without_begin_and_commit(statements)) <= 3


def test_form_without_a_csrf_token_opens_no_transaction(site: Site, game: DealtGame) -> None:
    with recorded_statements(site.database) as statements:
        game.visitors[0].client.post(urls.turns(game.slug), data={"do": "pass"})
    assert "BEGIN" not in statements
