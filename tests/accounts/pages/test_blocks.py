from tests.support.cast import ALICE, BOB, CAROL, MALLORY
from tests.support.visitors import Site
from webapp.kernel import urls


def test_player_is_blocked_from_the_page_of_players_and_unblocked(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL)
    alice = game.visitors[0]
    page = alice.page(urls.players(game.slug))
    assert "Alice" not in page.text.partition("Block")[2].partition("Go to the table")[0]
    answer = alice.send(page.form(urls.block(game.slug, 1)))
    assert (answer.status_code, answer.location) == (303, urls.blocked_people())
    blocked_page = alice.page(urls.blocked_people())
    assert "You've blocked Bob" in blocked_page.text
    [form] = [form for form in blocked_page.forms if form.action.startswith(urls.blocked_people())]
    assert alice.send(form).status_code == 303
    assert "You haven't blocked anyone" in alice.page(urls.blocked_people()).text


def test_own_seat_bots_and_missing_seats_cannot_be_blocked(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB)
    for seat in (0, 2, 99):
        assert game.visitors[0].post(urls.block(game.slug, seat)).status_code == 404


def test_players_of_a_private_game_are_not_shown_to_strangers(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL)
    mallory = site.signed_in(MALLORY)
    assert mallory.get(urls.players(game.slug)).status_code == 404
    assert mallory.post(urls.block(game.slug, 0)).status_code == 404


def test_blocked_person_is_shown_the_same_table_as_before(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL)
    earlier_text = game.visitors[1].page(urls.game(game.slug)).text
    game.visitors[0].post(urls.block(game.slug, 1))
    assert game.visitors[1].page(urls.game(game.slug)).text == earlier_text
    assert "Alice" in game.visitors[1].page(urls.players(game.slug)).text
