"""The public page of a finished game: created and withdrawn by its players, with nothing on it that the result does not need."""

import re

import pytest
from werkzeug.test import TestResponse

from engine.rulebook import HouseRules
from tests.support.cast import ALICE, BOB, CAROL, DAVE
from tests.support.factories import play_to_end
from tests.support.html import Page
from tests.support.request_counts import keep_request_counts
from tests.support.transactions import transaction
from tests.support.visitors import DealtGame, Site, Visitor
from webapp.kernel import urls
from webapp.privacy.deletion import delete_account
from webapp.privacy.queries import own_data


@pytest.fixture
def game(site: Site) -> DealtGame:
    """A finished private game of Alice, Bob and Carol."""
    game = site.dealt_game(ALICE, BOB, CAROL, house=HouseRules(rounds=1))
    alice = game.visitors[0]
    page = alice.page(urls.game(game.slug))
    alice.send(page.form(urls.messages(game.slug)), message="Between us: gold at the top.")
    play_to_end(site.database, game.slug, game.guests)
    return game


def press_share(visitor: Visitor, slug: str) -> str:
    """Press the button and return the path of the public page."""
    answer = visitor.send(visitor.page(urls.game(slug)).form(urls.share(slug)))
    assert answer.status_code == 303, Page(answer.text).text
    return shared_path(visitor, slug)


def shared_path(visitor: Visitor, slug: str) -> str:
    [path] = set(re.findall(r'href="(/shared/[\w=-]+)"', visitor.get(urls.game(slug)).text))
    return str(path)


def test_game_has_no_public_page_until_a_player_shares_it(site: Site, game: DealtGame) -> None:
    assert "/shared/" not in game.visitors[0].get(urls.game(game.slug)).text
    path = press_share(game.visitors[1], game.slug)
    page = site.signed_out().page(path)
    assert "wins with" in page.text or "No one found any gold" in page.text
    assert "Bob shared this game." in game.visitors[0].page(urls.game(game.slug)).text
    assert shared_path(game.visitors[2], game.slug) == path


def test_second_press_keeps_the_link(game: DealtGame) -> None:
    form = game.visitors[1].page(urls.game(game.slug)).form(urls.share(game.slug))
    path = press_share(game.visitors[0], game.slug)
    assert game.visitors[1].send(form).status_code == 303
    assert shared_path(game.visitors[0], game.slug) == path


def test_any_player_withdraws_the_link(site: Site, game: DealtGame) -> None:
    path = press_share(game.visitors[0], game.slug)
    carol = game.visitors[2]
    form = carol.page(urls.game(game.slug)).form(urls.withdraw_share(game.slug))
    assert carol.send(form).status_code == 303
    answer, unknown = site.signed_out().get(path), site.signed_out().get(urls.shared_game("none"))
    assert answer.status_code == unknown.status_code == 404
    assert Page(answer.text).text == Page(unknown.text).text
    new_path = press_share(carol, game.slug)
    assert new_path != path
    assert carol.send(form).status_code == 303
    assert site.signed_out().get(new_path).status_code == 200


def test_only_players_share_and_withdraw(site: Site, game: DealtGame) -> None:
    path = press_share(game.visitors[0], game.slug)
    dave = site.signed_in(DAVE)
    for url in (urls.share(game.slug), urls.withdraw_share(game.slug)):
        answer = dave.post(url, link=path.rpartition("/")[2])
        assert answer.status_code == 404
    assert site.signed_out().get(path).status_code == 200


def test_running_game_cannot_be_shared(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL)
    alice = game.visitors[0]
    assert urls.share(game.slug) not in alice.get(urls.game(game.slug)).text
    alice.post(urls.share(game.slug))
    page = alice.get(urls.game(game.slug))
    assert "/shared/" not in page.text


def test_public_page_says_nothing_but_the_result(site: Site, game: DealtGame) -> None:
    text = site.signed_out().get(press_share(game.visitors[0], game.slug)).text
    assert "Alice" in text
    assert "Between us" not in text
    assert game.slug not in text
    assert "@" not in Page(text).text
    assert '<meta name="robots" content="noindex">' in text
    assert 'property="og:title"' in text


def test_deleted_player_has_no_name_there(site: Site, game: DealtGame) -> None:
    path = press_share(game.visitors[0], game.slug)
    delete_account_of(site, game, 1)
    text = site.signed_out().get(path).text
    assert "Bob" not in text
    assert "a former player" in text


def test_link_ends_with_the_account_that_created_it(site: Site, game: DealtGame) -> None:
    path = press_share(game.visitors[0], game.slug)
    with transaction(site.database) as tx:
        rows = own_data.read(tx, game.guests[0].person.id)["shared-games"]
    assert [row["game"] for row in rows] == [game.slug]
    delete_account_of(site, game, 0)
    assert site.signed_out().get(path).status_code == 404


def delete_account_of(site: Site, game: DealtGame, seat: int) -> None:
    person = game.guests[seat].person
    with transaction(site.database, site.clock.now) as tx:
        delete_account(tx, person, typed_address=person.address)


def picture_of(site: Site, path: str, **headers: str) -> TestResponse:
    return site.signed_out().client.get(f"{path}/picture.png", headers=headers)


def test_page_names_its_picture_with_its_whole_address(site: Site, game: DealtGame) -> None:
    path = press_share(game.visitors[0], game.slug)
    text = site.signed_out().get(path).text
    assert f'property="og:image" content="http://lodepost.test{path}/picture.png"' in text
    answer = picture_of(site, path)
    assert answer.mimetype == "image/png"
    assert answer.data.startswith(b"\x89PNG")
    assert answer.headers["Cache-Control"] == "public, max-age=600"
    assert "Set-Cookie" not in answer.headers


def test_picture_is_not_sent_twice_to_the_same_reader(site: Site, game: DealtGame) -> None:
    path = press_share(game.visitors[0], game.slug)
    tag = picture_of(site, path).headers["ETag"]
    answer = picture_of(site, path, **{"If-None-Match": tag})
    assert (answer.status_code, answer.data) == (304, b"")
    delete_account_of(site, game, 1)
    assert picture_of(site, path).headers["ETag"] != tag


def test_withdrawn_picture_is_gone_and_not_kept(site: Site, game: DealtGame) -> None:
    path = press_share(game.visitors[0], game.slug)
    carol = game.visitors[2]
    carol.send(carol.page(urls.game(game.slug)).form(urls.withdraw_share(game.slug)))
    answer = picture_of(site, path)
    assert (answer.status_code, answer.headers["Cache-Control"]) == (404, "no-store")


def test_one_source_gets_a_limited_number_of_pictures(site: Site) -> None:
    keep_request_counts(site.app)
    path = urls.shared_game("none-such")
    statuses = [picture_of(site, path).status_code for _ in range(61)]
    assert statuses == [404] * 60 + [429]
