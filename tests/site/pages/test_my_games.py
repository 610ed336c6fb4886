"""The viewer's own games on the home page, what of them waits, and the way from one to the next."""

import re

from engine.rulebook import HouseRules
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.html import Page
from tests.support.page_robot import decide, seeded_random_below
from tests.support.visitors import Site, open_table
from webapp.kernel import urls


def test_own_games_show_name_opponents_and_the_mine(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, house=HouseRules(rounds=2))
    answer = game.visitors[0].get(urls.home())
    page = Page(answer.text)
    assert "Alice's table" in page.text
    assert "With Bob and Carol" in page.text
    [thumbnail] = re.findall(r'<svg class="thumbnail".*?</svg>', answer.text)
    assert len(thumbnail) < 1000


def test_thumbnail_is_the_same_for_every_seat(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL)
    thumbnails = {
        re.findall(r'<svg class="thumbnail".*?</svg>', visitor.get(urls.home()).text)[0]
        for visitor in game.visitors
    }
    assert len(thumbnails) == 1


def test_header_counts_what_waits_for_the_viewer(site: Site) -> None:
    games = [site.dealt_game(ALICE, BOB, CAROL, seed=seed) for seed in ("a", "b")]
    alice, bob, _ = games[0].visitors
    for path in (urls.home(), urls.profile(), urls.clubs(), urls.game(games[0].slug)):
        assert "Your turn (2)" in alice.page(path).text
        assert "Your turn (" not in bob.page(path).text


def test_header_counts_an_open_ready_check(site: Site) -> None:
    alice, bob, carol = (site.signed_in(character) for character in (ALICE, BOB, CAROL))
    slug = open_table(alice, seats="3", audience="public")
    for visitor in (bob, carol):
        visitor.post(urls.lobby_action(slug, "sit"))
    assert "Your turn (1)" in alice.page(urls.home()).text
    alice.send(alice.page(urls.game(slug)).form(urls.lobby_action(slug, "ready")))
    assert "Your turn (" not in alice.page(urls.home()).text


def test_game_that_is_left_for_later_leads_to_the_next_one(site: Site) -> None:
    games = [site.dealt_game(ALICE, BOB, CAROL, seed=seed) for seed in ("a", "b")]
    alice = games[0].visitors[0]
    paths = [alice.get(urls.next_game()).location]
    paths.append(alice.get(urls.next_game(after=paths[0].rpartition("/")[2])).location)
    assert set(paths) == {urls.game(game.slug) for game in games}
    last_slug = paths[1].rpartition("/")[2]
    assert alice.get(urls.next_game(after=last_slug)).location == urls.home()
    assert urls.next_game(after=last_slug) in {link.href for link in alice.page(paths[1]).links}


def test_confirmation_of_a_turn_leads_to_the_next_game(site: Site) -> None:
    games = [
        site.dealt_game(ALICE, BOB, CAROL, seed=name, table_name=name)
        for name in ("The Monday mine", "Tuesday Diggers")
    ]
    alice = games[0].visitors[0]
    for game, sentence in zip(games, ("Next game: Tuesday Diggers", ""), strict=True):
        answer = alice.send(decide(alice, game.slug, seeded_random_below("turns")))
        page = alice.page(answer.location)
        assert f"Played. {sentence}" in page.text
        links = [link.href for link in page.links if link.text.startswith("Next game")]
        assert links == ([urls.game(games[1].slug)] if sentence else [])
        assert "Played." not in alice.page(answer.location).text
