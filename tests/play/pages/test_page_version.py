"""The version of an open page: current or not, for those who may see the page, and cheap enough to be asked every few seconds."""

from datetime import timedelta

import pytest
from sqlalchemy import select
from werkzeug.test import TestResponse

from tests.support.acts import perform_act
from tests.support.cast import ALICE, BOB, CAROL, DAVE, MALLORY
from tests.support.page_robot import discard_form
from tests.support.statements import recorded_statements
from tests.support.visitors import DealtGame, Site, Visitor, open_table, table_link
from webapp.accounts.schema import Session
from webapp.kernel import urls
from webapp.kernel.rights import GameRight


@pytest.fixture
def game(site: Site) -> DealtGame:
    return site.dealt_game(ALICE, BOB, CAROL)


def ask(visitor: Visitor, slug: str, known_version: str = "") -> TestResponse:
    return visitor.get(urls.page_version(slug), headers={"If-None-Match": f'"{known_version}"'})


def version_of(visitor: Visitor, slug: str) -> str:
    response = ask(visitor, slug)
    assert response.status_code == 200
    version = response.get_etag()[0]
    assert version is not None
    return version


def play(game: DealtGame) -> None:
    alice = game.visitors[0]
    assert alice.send(discard_form(alice, game.slug)).status_code == 303


def test_version_is_that_of_the_page(game: DealtGame) -> None:
    for visitor in game.visitors:
        page = visitor.get(urls.game(game.slug)).text
        assert f'data-version="{version_of(visitor, game.slug)}"' in page


def test_lobby_has_a_version_too(site: Site) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(alice)
    assert f'data-version="{version_of(alice, slug)}"' in alice.get(urls.game(slug)).text


def test_known_version_is_answered_without_content(game: DealtGame) -> None:
    bob = game.visitors[1]
    response = ask(bob, game.slug, version_of(bob, game.slug))
    assert response.status_code == 304
    assert response.data == b""
    assert response.headers["Cache-Control"] == "no-store"


def test_turn_changes_the_version_for_everyone(game: DealtGame) -> None:
    known_versions = [version_of(visitor, game.slug) for visitor in game.visitors]
    play(game)
    for visitor, version in zip(game.visitors, known_versions, strict=True):
        response = ask(visitor, game.slug, version)
        assert response.status_code == 200
        assert response.get_json() == {"seq": 1}


def test_pause_changes_the_version(site: Site, game: DealtGame) -> None:
    version = version_of(game.visitors[1], game.slug)
    perform_act(site.database, game.slug, GameRight.PAUSE, now=site.clock.now)
    assert version_of(game.visitors[1], game.slug) != version


def test_person_who_sits_down_changes_the_version_of_the_lobby(site: Site) -> None:
    alice, dave = site.signed_in(ALICE), site.signed_in(DAVE)
    slug = open_table(alice)
    version = version_of(alice, slug)
    invitation = urls.invitation(table_link(alice, slug))
    assert dave.send(dave.page(invitation).form(invitation)).status_code == 303
    assert version_of(alice, slug) != version


def test_time_alone_changes_no_version(site: Site, game: DealtGame) -> None:
    version = version_of(game.visitors[1], game.slug)
    site.clock.move(timedelta(hours=1))
    assert version_of(game.visitors[1], game.slug) == version


def test_stranger_gets_the_answer_of_a_missing_game(site: Site, game: DealtGame) -> None:
    mallory = site.signed_in(MALLORY)
    answers = [ask(mallory, slug) for slug in (game.slug, "zzzzzzzzzzzz")]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert "ETag" not in answers[0].headers


def test_signed_out_visitor_is_asked_to_sign_in(site: Site, game: DealtGame) -> None:
    assert ask(site.signed_out(), game.slug).status_code == 401


def test_version_takes_one_statement_and_does_not_count_as_a_visit(
    site: Site, game: DealtGame
) -> None:
    bob = game.visitors[1]
    version = version_of(bob, game.slug)
    earlier_visits = _visits(site)
    site.clock.move(timedelta(minutes=5))
    with recorded_statements(site.database) as statements:
        response = ask(bob, game.slug, version)
    assert response.status_code == 304
    assert len(statements) == 1
    assert "Set-Cookie" not in response.headers
    assert _visits(site) == earlier_visits


def _visits(site: Site) -> list[object]:
    with site.database.engine.begin() as connection:
        return list(connection.scalars(select(Session.active_at).order_by(Session.token_hash)))
