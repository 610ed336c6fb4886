"""Acceptance of the clock: in one round a player is on holiday, one plans turns, and one disappears and is replaced."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tasks.context import WorkerContext
from tests.browser.browser_player import BrowserPlayer
from tests.browser.slow_site import SlowSite, served_slow_site
from tests.support.cast import ALICE, BOB, CAROL, DAVE
from tests.support.factories import sign_in_guest
from tests.support.plans import change_state
from tests.support.visitors import Site
from tests.support.worker_fixtures import composer, recording_transport, worker
from webapp.kernel import urls

__all__ = ["composer", "recording_transport", "worker"]

TIME_PER_TURN = timedelta(hours=2)
CHARACTERS = (ALICE, BOB, CAROL, DAVE)


@pytest.fixture
def slow_site(
    site: Site, browser: Browser, worker: WorkerContext, tmp_path: Path
) -> Iterator[SlowSite]:
    addresses = [character.address for character in CHARACTERS]
    with served_slow_site(site, browser, worker, tmp_path / "mail", addresses) as started_site:
        yield started_site


@pytest.mark.full_run
def test_round_with_a_holiday_planned_turns_and_a_substitute_is_played_to_its_end(
    slow_site: SlowSite,
) -> None:
    alice, bob, carol, dave = (slow_site.player(character) for character in CHARACTERS)
    for player in (alice, bob, carol):
        player.sign_in(by_link=False)
    slug = start_slow_round(alice, bob, carol)

    plan_turn(bob, slug)
    play_called_turn(slow_site, alice)
    assert_planned_turn_was_played(alice, bob, slug)

    miss_turn(slow_site, carol)
    assert "If you miss another one, you lose your seat." in email_text(
        slow_site, carol, "turn-missed"
    )

    declare_holiday(slow_site, alice, [bob, carol], slug)
    come_back(alice, bob, slug)
    play_called_turn(slow_site, alice)
    play_called_turn(slow_site, bob)

    miss_turn(slow_site, carol)
    assert_seat_is_open_to_carol(slow_site, carol, slug)
    step_in(alice, dave, slug)
    assert_carol_is_out(carol, slug)

    draw_remaining_cards(slow_site, slug)
    plan_turn(bob, slug)
    last_players = (alice, bob, dave)
    play_to_end(slow_site, last_players)
    assert_everyone_reads_the_result(slow_site, last_players, slug)
    kinds_to_carol = kinds_of_emails_to(slow_site, carol)
    assert kinds_to_carol.count("your-turn") == kinds_to_carol.count("reminder") == 2
    assert kinds_to_carol[-1] == "seat-opened"
    assert kinds_of_emails_to(slow_site, dave).count("briefing") == 1


def start_slow_round(host: BrowserPlayer, *guests: BrowserPlayer) -> str:
    """Let the host open a table of one round and two hours per turn, seat everyone, and return the slug."""
    host.page.goto(urls.new_game())
    choose_settings(host)
    host.press("Open the table")
    slug = host.page.url.rpartition("/")[2]
    link = host.page.get_by_label("Or share the table's link").input_value()
    for guest in guests:
        guest.page.goto(link[link.index("/invitations/") :])
        guest.press("Take a seat")
    for player in (host, *guests):
        player.page.goto(urls.game(slug))
        player.press("I'm ready")
    return slug


def choose_settings(host: BrowserPlayer) -> None:
    page = host.page
    for summary in page.locator("form details > summary").all():
        summary.click()
    # In this rulebook every card continues the path, so goals are reached often enough.
    page.locator('input[value="lv-2009"]').check()
    page.locator('input[name="seats"][value="3"]').check()
    page.get_by_label("Your own pace").check()
    page.get_by_label("Number").fill("2")
    page.get_by_label("Unit").select_option("hours")
    page.get_by_label("A player loses their seat").select_option("2")
    page.get_by_label("Rounds").select_option("1")
    page.get_by_label("Starting player").select_option("1")


def plan_turn(player: BrowserPlayer, slug: str) -> None:
    """Plan to lay a card, or else to discard another, whatever happens before."""
    player.page.goto(urls.game(slug))
    player.follow("Plan your next turn")
    player.plan_step(discard=False)
    player.plan_step(discard=True)
    for box in player.page.locator("#conditions input[type=checkbox]").all():
        box.uncheck()
    player.press("Save these choices")
    steps = player.page.locator(".plan > li").all_inner_texts()
    assert [step.partition(":")[0] for step in steps] == ["First choice", "If that isn't possible"]


def play_called_turn(slow_site: SlowSite, player: BrowserPlayer) -> None:
    """Open the link of the next email that calls the player, and play."""
    email = slow_site.inbox.next_email_to(player.character.address, "your-turn")
    player.page.goto(email.link)
    expect(player.page.get_by_text("It's your turn")).to_be_visible()
    player.take_turn()


def assert_planned_turn_was_played(alice: BrowserPlayer, bob: BrowserPlayer, slug: str) -> None:
    assert "Waiting for Carol to play" in alice.page.inner_text("main")
    for player, sees_plan in ((alice, False), (bob, True)):
        player.page.goto(urls.history(slug))
        assert ("by plan" in player.page.inner_text("main")) is sees_plan


def miss_turn(slow_site: SlowSite, player: BrowserPlayer) -> None:
    """Let the player get the call and the reminder, and not answer."""
    address = player.character.address
    slow_site.inbox.next_email_to(address, "your-turn")
    slow_site.pass_time(TIME_PER_TURN)
    slow_site.inbox.next_email_to(address, "reminder")


def kinds_of_emails_to(slow_site: SlowSite, player: BrowserPlayer) -> list[str]:
    return [email.kind for email in slow_site.inbox.emails if email.to == player.character.address]


def email_text(slow_site: SlowSite, player: BrowserPlayer, kind: str) -> str:
    """Return the text of the next email of this kind to the player, in one line."""
    email = slow_site.inbox.next_email_to(player.character.address, kind)
    return " ".join(email.text.split())


def declare_holiday(
    slow_site: SlowSite, player: BrowserPlayer, others: list[BrowserPlayer], slug: str
) -> None:
    """Let the player be away during their own turn, for longer than it may take."""
    player.page.goto(urls.time_away())
    last_day = (slow_site.clock.now + timedelta(days=2)).date()
    player.page.locator("#now-last_day").fill(last_day.isoformat())
    player.press("I'm away")
    slow_site.pass_time(TIME_PER_TURN * 3)
    for other in others:
        other.page.goto(urls.game(slug))
        text = other.page.inner_text("main")
        assert f"Waiting for Alice (away until {last_day:%A}) to play" in text
        assert "holiday" not in text
    assert "reminder" not in kinds_of_emails_to(slow_site, player)


def come_back(player: BrowserPlayer, other: BrowserPlayer, slug: str) -> None:
    """Let the player end the absence, and another one read why the deadline moved."""
    player.press("I'm back")
    expect(player.page.get_by_text("You're not away.")).to_be_visible()
    other.page.goto(urls.game(slug))
    assert "away until" not in other.page.inner_text("main")
    other.follow("Why this deadline?")
    steps = other.page.locator(".timeline__turn").all_inner_texts()
    assert any("away" in step for step in steps)


def assert_seat_is_open_to_carol(slow_site: SlowSite, carol: BrowserPlayer, slug: str) -> None:
    assert "You can take it back" in email_text(slow_site, carol, "seat-opened")
    carol.page.goto(urls.game(slug))
    assert carol.page.url.endswith(urls.open_seat(slug))
    expect(carol.page.get_by_role("button", name="Take your seat back")).to_be_visible()


def step_in(host: BrowserPlayer, newcomer: BrowserPlayer, slug: str) -> None:
    """Let a newcomer take the seat by the link that the host sees, and read the briefing."""
    host.page.goto(urls.game(slug))
    host.follow("Find someone to step in")
    link = host.page.get_by_label("Share this link").input_value()
    newcomer.page.goto(link[link.index("/games/") :])
    newcomer.press("Take over this seat")
    newcomer.introduce_oneself(by_link=True)
    newcomer.press("Take over this seat")
    assert newcomer.page.url.endswith(urls.briefing(slug))
    text = newcomer.page.inner_text("main")
    assert "You're a" in text
    assert "Seat 3: Carol, until turn" in text


def assert_carol_is_out(carol: BrowserPlayer, slug: str) -> None:
    for path in (urls.game(slug), urls.open_seat(slug), urls.briefing(slug), urls.history(slug)):
        answer = carol.page.goto(path)
        assert answer is not None
        assert answer.status == 404, path


def draw_remaining_cards(slow_site: SlowSite, slug: str) -> None:
    """Let the deck be empty, so that the rest of the round takes a third of its usual turns."""
    alice = sign_in_guest(slow_site.worker.database, ALICE, now=slow_site.clock.now)
    change_state(slow_site.worker.database, slug, alice, deck=())


def play_to_end(slow_site: SlowSite, players: tuple[BrowserPlayer, ...]) -> None:
    """Let each player who is called open the link and play, until the game is over."""
    players_by_address = {player.character.address: player for player in players}
    while (
        email := slow_site.inbox.next_email_of_kinds("your-turn", "game-over")
    ).kind == "your-turn":
        player = players_by_address[email.to]
        player.page.goto(email.link)
        player.take_turn()


def assert_everyone_reads_the_result(
    slow_site: SlowSite, players: tuple[BrowserPlayer, ...], slug: str
) -> None:
    assert slow_site.inbox.kinds()["game-over"] == len(players)
    for player in players:
        player.page.goto(urls.game(slug))
        expect(player.page.get_by_text("The game is over").first).to_be_visible()
        names = " ".join(player.page.locator(".ranking__name").all_inner_texts())
        assert "Dave" in names
        assert "Carol" not in names
