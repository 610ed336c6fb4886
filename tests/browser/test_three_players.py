"""Acceptance: three people sign in by email and play three rounds in browsers, with an email for every turn.

Only in the full run do they draw cards: in the usual one the deck is empty, and a round takes a third of its turns.
"""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.browser_player import BrowserPlayer
from tests.browser.short_rounds import empty_deck
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.filed_emails import MaildirInbox
from tests.support.serve_process import RunningServer
from tests.support.sizes import is_full_run


@pytest.mark.full_run
def test_three_people_play_three_rounds_with_browsers_and_emails(
    running_server: RunningServer, browser: Browser
) -> None:
    characters = (ALICE, BOB, CAROL)
    sink = MaildirInbox(running_server.maildir, [character.address for character in characters])
    players = [BrowserPlayer(browser, running_server, sink, character) for character in characters]
    for number, player in enumerate(players):
        player.sign_in(by_link=number % 2 == 0)

    slug = start_game(players, sink)
    turns = play(players, sink, before_turn=lambda: shorten_round(running_server, slug))
    for _ in players[1:]:
        sink.next_email_of_kinds("game-over")

    assert turns >= 3 * 9
    assert sink.kinds()["your-turn"] == turns
    # No one reads of the deal twice: if the email about the first turn was sent before, that about the deal is dropped.
    assert sink.kinds()["dealt"] in {2, 3}
    assert sink.kinds()["game-over"] == 3
    assert sink.kinds()["round-over"] == 6
    assert len({email.message_id for email in sink.emails}) == len(sink.emails)
    for player in players:
        player.page.goto(f"/games/{slug}")
        expect(player.page.get_by_text("The game is over").first).to_be_visible()
        rounds = player.page.locator(".rounds a").all_inner_texts()
        assert [text.partition(":")[0] for text in rounds] == ["Round 1", "Round 2", "Round 3"]
        roles = player.page.locator(".ranking__roles li").all_text_contents()
        assert len(roles) == 3 * 3
        assert all("gold-digger" in role.lower() or "saboteur" in role.lower() for role in roles)


def start_game(players: list[BrowserPlayer], sink: MaildirInbox) -> str:
    """Let the first player open a table and invite the others, confirm for all, and return the slug."""
    host, *guests = players
    host.page.goto("/games/new")
    # In this rulebook every card continues the path, so goals are reached often enough.
    host.page.locator("summary", has_text="More").click()
    host.page.locator("summary", has_text="Rules:").click()
    host.page.locator('input[value="lv-2009"]').check()
    host.page.locator('input[name="seats"][value="3"]').check()
    host.press("Open the table")
    slug = host.page.url.rpartition("/")[2]
    for guest in guests:
        host.page.goto(f"/games/{slug}")
        host.page.get_by_label("Email address").fill(guest.character.address)
        host.press("Send invitation")
        guest.page.goto(sink.next_email_to(guest.character.address, "invitation").link)
        guest.press("Take a seat")
    for player in players:
        player.page.goto(sink.next_email_to(player.character.address, "ready-check").link)
        player.page.locator("summary", has_text="Random words").click()
        player.page.get_by_label("Your random words").fill(f"salt of {player.character.name}")
        player.press("I'm ready")
    return slug


def shorten_round(running_server: RunningServer, slug: str) -> None:
    if not is_full_run():
        empty_deck(running_server.maildir.parent, slug)


def play(
    players: list[BrowserPlayer], sink: MaildirInbox, *, before_turn: Callable[[], None]
) -> int:
    """Let each player who gets a turn email open its link and play, until the game-over email; return the number of turns."""
    players_by_address = {player.character.address: player for player in players}
    turns = 0
    while (email := sink.next_email_of_kinds("your-turn", "game-over")).kind == "your-turn":
        player = players_by_address[email.to]
        before_turn()
        player.page.goto(email.link)
        expect(player.page.locator(".turn-line")).to_contain_text("Round")
        player.take_turn()
        turns += 1
    return turns
