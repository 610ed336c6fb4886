from engine.rulebook import HouseRules
from tests.play.pages.test_game_end import play_to_end
from tests.support.cast import ALICE, BOB, CAROL, MALLORY
from tests.support.page_robot import seeded_random_below, take_turn
from tests.support.visitors import DealtGame, Site, open_table
from webapp.kernel import urls


def game_after_turns(site: Site, turns: int = 6, **settings: object) -> DealtGame:
    game = site.dealt_game(ALICE, BOB, CAROL, **settings)
    random_below = seeded_random_below("history")
    for turn in range(turns):
        take_turn(game.visitors[turn % 3], game.slug, random_below)
    return game


def test_history_steps_through_every_turn(site: Site) -> None:
    game = game_after_turns(site)
    alice = game.visitors[0]
    page = alice.page(urls.history(game.slug))
    assert "the mine after turn 6" in page.text
    for seq in range(5, -1, -1):
        [previous_link] = [link for link in page.links if link.text == "Previous"]
        page = alice.page(previous_link.href)
        assert f"the mine after turn {seq}" in page.text
    assert not [link for link in page.links if link.text == "Previous"]
    assert f"Turn {1}" not in page.text


def test_every_turn_links_to_the_mine_after_it(site: Site) -> None:
    game = game_after_turns(site)
    alice = game.visitors[0]
    page = alice.page(urls.history(game.slug))
    for name, seq in (("The deal", 0), ("Turn 4", 4)):
        [link] = [link for link in page.links if link.text == name]
        assert f"the mine after turn {seq}" in alice.page(link.href).text


def test_history_can_be_limited_to_one_player(site: Site) -> None:
    game = game_after_turns(site)
    page_text = game.visitors[0].page(urls.history(game.slug, seat=1)).text
    turns = page_text.rpartition("Carol")[2]
    assert "Turn 2" in turns
    assert "Turn 5" in turns
    assert "Turn 3" not in turns


def test_turn_that_was_not_taken_is_not_found(site: Site) -> None:
    game = game_after_turns(site)
    for turn_text in ("7", "999999999"):
        assert (
            game.visitors[0].get(urls.history(game.slug) + f"?until={turn_text}").status_code == 404
        )
    for turn_text in ("-1", "x", "%00", "%ff", "9" * 40):
        assert (
            game.visitors[0].get(urls.history(game.slug) + f"?until={turn_text}").status_code == 200
        )


def test_private_history_does_not_exist_for_a_signed_in_stranger(site: Site) -> None:
    game = game_after_turns(site)
    assert site.signed_in(MALLORY).get(urls.history(game.slug)).status_code == 404


def test_table_before_the_deal_has_no_history(site: Site) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(alice)
    assert alice.get(urls.history(slug)).status_code == 404
    assert alice.get(urls.export(slug)).status_code == 404


def test_finished_game_shows_what_each_bot_believed(site: Site) -> None:
    game = site.dealt_game(ALICE, house=HouseRules(rounds=1))
    alice = game.visitors[0]
    assert "believed" not in alice.page(urls.history(game.slug, bot=0)).text
    play_to_end(site, game)
    page = alice.page(urls.history(game.slug, until=5, bot=1))
    assert "What the bots believed" in page.text
    assert "Basalt about Alice and Agate" in page.text
    assert "After turn 5, Basalt suspected" in page.text
    [link] = [link for link in page.links if link.text == "Agate" and "bot=0" in link.href]
    assert "Agate about Alice and Basalt" in alice.page(link.href).text


def test_beliefs_are_collapsed_until_a_bot_is_chosen(site: Site) -> None:
    game = site.dealt_game(ALICE, house=HouseRules(rounds=1))
    play_to_end(site, game)
    alice = game.visitors[0]
    assert '<details class="beliefs" id="beliefs">' in alice.get(urls.history(game.slug)).text
    assert "<figure" not in alice.get(urls.history(game.slug)).text
    html_of_bot = alice.get(urls.history(game.slug, bot=1)).text
    assert '<details class="beliefs" id="beliefs" open>' in html_of_bot


def test_beliefs_of_a_large_table_take_several_charts_on_one_scale(site: Site) -> None:
    game = site.dealt_game(ALICE, seats=10, house=HouseRules(rounds=1))
    play_to_end(site, game)
    html = game.visitors[0].get(urls.history(game.slug, bot=0)).text
    assert html.count('<figure class="chart-figure"') == 3
    assert html.count(">100%</text>") == 3


def test_stepper_leads_to_the_first_and_the_last_turn(site: Site) -> None:
    game = game_after_turns(site)
    page = game.visitors[0].page(urls.history(game.slug, until=3))
    links = {link.text: link.href for link in page.links}
    for name, seq in (("First", 0), ("Previous", 2), ("Next", 4), ("Last", 6)):
        assert links[name] == f"{urls.history(game.slug, until=seq)}#mine"


def test_links_of_the_list_keep_the_chosen_player(site: Site) -> None:
    game = game_after_turns(site)
    page = game.visitors[0].page(urls.history(game.slug, until=5, seat=1))
    [link] = [link for link in page.links if link.text == "Turn 2"]
    assert link.href == f"{urls.history(game.slug, until=2, seat=1)}#mine"


def test_history_lists_few_turns_at_once_and_links_to_the_earlier_ones(site: Site) -> None:
    game = game_after_turns(site, turns=24)
    alice = game.visitors[0]
    page = alice.page(urls.history(game.slug, until=24))
    assert len(page.text.encode()) < 40_000
    assert not [link for link in page.links if link.text == "Turn 4"]
    [link] = [link for link in page.links if link.text == "Earlier turns"]
    assert [link for link in alice.page(link.href).links if link.text == "Turn 4"]


def test_history_of_a_finished_game_is_shown_round_by_round(site: Site) -> None:
    game = site.dealt_game(ALICE, house=HouseRules(rounds=2))
    play_to_end(site, game)
    alice = game.visitors[0]
    page = alice.page(urls.history(game.slug))
    assert "Turns of round 2" in page.text
    assert len(page.text.encode()) < 40_000
    [link] = [link for link in page.links if link.text == "Round 1"]
    page = alice.page(link.href)
    assert "Turns of round 1" in page.text
    assert "Round 1 is over" in page.text
