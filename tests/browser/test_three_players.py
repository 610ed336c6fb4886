"""It is done when: three people sign in through mails, and play three whole rounds by pages, called to every turn by mail."""

import re

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.person import Person
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.filed_emails import Sink
from tests.support.served import RunningServer


@pytest.mark.timeout(900)
def test_three_people_play_three_rounds_by_pages_and_letters(
    served: RunningServer, browser: Browser
) -> None:
    cast = (ALICE, BOB, CAROL)
    sink = Sink(served.maildir, [who.address for who in cast])
    people = [Person(browser, served, sink, who) for who in cast]
    for number, person in enumerate(people):
        person.sign_in(by_link=number % 2 == 0)

    slug = sit_down(people, sink)
    turns = play(people, sink)
    for _ in people[1:]:
        sink.next_of("game-over")

    assert turns >= 3 * 9
    assert sink.kinds()["your-turn"] == turns
    assert sink.kinds()["dealt"] == sink.kinds()["game-over"] == 3
    assert sink.kinds()["round-over"] == 6
    assert len({letter.message_id for letter in sink.letters}) == len(sink.letters)
    for person in people:
        person.page.goto(f"/games/{slug}")
        expect(person.page.get_by_text("The game is over").first).to_be_visible()
        assert len(re.findall(r"Round \d ended", person.page.inner_text("main"))) == 3
        roles = person.page.locator(".seat__facts span:first-child").all_inner_texts()
        assert len(roles) == 3
        assert {role.lower() for role in roles} <= {"gold-digger", "saboteur"}


def sit_down(people: list[Person], sink: Sink) -> str:
    """The first opens a table and invites the others; all are ready, and the cards are dealt. The table's name."""
    host, *guests = people
    host.page.goto("/games/new")
    # Every card continues the path here, so people who dig arrive now and then.
    host.page.locator('input[value="lv-2009"]').check()
    host.page.get_by_label("Seats, yours among them").select_option("3")
    host.press("Open the table")
    slug = host.page.url.rpartition("/")[2]
    for guest in guests:
        host.page.goto(f"/games/{slug}")
        host.page.get_by_label("Mail address").fill(guest.who.address)
        host.press("Send the invitation")
        guest.page.goto(sink.next_for(guest.who.address, "invitation").link)
        guest.press("Accept and sit down")
    for person in people:
        person.page.goto(sink.next_for(person.who.address, "ready-check").link)
        person.page.get_by_label("A pinch of salt").fill(f"salt of {person.who.name}")
        person.press("I am ready")
    return slug


def play(people: list[Person], sink: Sink) -> int:
    """Whoever is called by a letter opens its link and plays, until the letters say that it is over."""
    by_address = {person.who.address: person for person in people}
    turns = 0
    while (letter := sink.next_of("your-turn", "game-over")).kind == "your-turn":
        person = by_address[letter.to]
        person.page.goto(letter.link)
        expect(person.page.locator("h1")).to_contain_text("Round")
        person.take_turn()
        turns += 1
    return turns
