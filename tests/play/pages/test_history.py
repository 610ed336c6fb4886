import re

import pytest

from engine.rulebook import HouseRules
from tests.play.pages.test_game_end import play_to_end, play_until_round
from tests.play.pages.test_page_weight import MOST_BYTES
from tests.support.cast import ALICE, BOB, CAROL, MALLORY
from tests.support.factories import stored_game
from tests.support.html import Page
from tests.support.page_robot import seeded_random_below, take_turn
from tests.support.perspectives import ENGLISH
from tests.support.transactions import read_only
from tests.support.visitors import DealtGame, Site, open_table
from webapp.kernel import urls
from webapp.play.views.history_page import history_page
from webapp.wording.cards import card_name, role_name


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


def test_seat_that_the_table_lacks_is_not_found(site: Site) -> None:
    game = game_after_turns(site, turns=1)
    for seat in (3, 99):
        assert game.visitors[0].get(urls.history(game.slug, seat=seat)).status_code == 404


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


def test_history_lists_few_turns_at_once_and_links_to_the_others(site: Site) -> None:
    game = game_after_turns(site, turns=16)
    alice = game.visitors[0]
    page = alice.page(urls.history(game.slug))
    assert turn_links(page) == [f"Turn {seq}" for seq in range(16, 4, -1)]
    [link] = [link for link in page.links if link.text == "Earlier turns"]
    earlier_page = alice.page(link.href)
    assert "the mine after turn 4" in earlier_page.text
    assert turn_links(earlier_page) == ["Turn 4", "Turn 3", "Turn 2", "Turn 1", "The deal"]
    [link] = [link for link in earlier_page.links if link.text == "Newest turns"]
    assert turn_links(alice.page(link.href)) == turn_links(page)


def test_pages_of_one_player_keep_the_player(site: Site) -> None:
    game = game_after_turns(site, turns=42)
    alice = game.visitors[0]
    page = alice.page(urls.history(game.slug, seat=1))
    assert turn_links(page) == [f"Turn {seq}" for seq in range(41, 5, -3)]
    [link] = [link for link in page.links if link.text == "Earlier turns"]
    assert turn_links(alice.page(link.href)) == ["Turn 5", "Turn 2"]


def turn_links(page: Page) -> list[str]:
    return [link.text for link in page.links if re.fullmatch(r"Turn \d+|The deal", link.text)]


def test_turns_are_grouped_by_round_newest_first(site: Site) -> None:
    game = site.dealt_game(ALICE, house=HouseRules(rounds=2))
    play_to_end(site, game)
    alice = game.visitors[0]
    newest_page = alice.page(urls.history(game.slug))
    [first_round] = [link for link in newest_page.links if link.text == "Round 1"]
    page = alice.page(first_round.href)
    assert "Round 1 is over" in page.text
    last_seq = int(turn_links(page)[0].removeprefix("Turn "))
    page = alice.page(urls.history(game.slug, until=last_seq + 2))
    text = page.text[page.text.index("Newest turns") :]
    places = [
        text.index(part)
        for part in ("Round 2", f"Turn {last_seq + 2} ", f"Turn {last_seq + 1} ", "Round 1")
    ]
    assert sorted(places) == places
    assert text.index(f"Turn {last_seq} ") > places[-1]


@pytest.mark.parametrize("seats", [5, 10])
def test_full_page_of_a_finished_game_is_under_40_kilobytes(site: Site, seats: int) -> None:
    game = site.dealt_game(ALICE, seats=seats, house=HouseRules(rounds=1))
    play_to_end(site, game)
    alice = game.visitors[0]
    for until in (21, 28, 35, None):
        assert len(alice.client.get(urls.history(game.slug, until=until)).data) < MOST_BYTES


def test_player_filter_is_folded(site: Site) -> None:
    game = game_after_turns(site)
    html = game.visitors[0].get(urls.history(game.slug, seat=1)).text
    filter_html = (
        html.partition('id="turns"')[2].partition("<details>")[2].partition("</details>")[0]
    )
    assert "Only turns of Bob" in filter_html
    assert filter_html.count("<a ") == 4


def test_replay_of_a_finished_game_shows_roles_hands_and_goals(site: Site) -> None:
    game = site.dealt_game(ALICE, house=HouseRules(rounds=1))
    play_to_end(site, game)
    html = game.visitors[0].get(urls.history(game.slug, until=0)).text
    hands = html.partition('<ul class="hands">')[2].partition("</ul>")[0]
    record = stored_game(site.database, game.slug, game.guests[0])
    with read_only(site.database) as tx:
        page = history_page(tx, game.slug, game.guests[0].cookie, until=0)
    rows = hands.split('<li class="hands__player">')[1:]
    for seat, row in enumerate(rows):
        assert record.row.seats[seat].bot_name is None or record.row.seats[seat].bot_name in row
        assert role_name(record.state.results[0].roles[seat], ENGLISH) in row
        names = [card_name(card, ENGLISH) for card in page.hands[seat]]
        assert len(names) == 6
        assert f"<title>{', '.join(names)}</title>" in row
        assert row.count('href="#art-small-') == 6
    assert html.count("which no one had turned over.") == 3
    assert '<use href="#art-open-treasure"' in html
    assert "with this hand" not in html


def test_running_game_never_shows_hands_roles_or_goals_of_others(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, public=True)
    play_until_round(site, game, 2)
    for visitor in (*game.visitors, site.signed_out()):
        for until in (0, 3, None):
            html = visitor.get(urls.history(game.slug, until=until)).text
            assert 'class="hands"' not in html
            assert "art-open-" not in html
            assert "this round, with this hand" not in html
