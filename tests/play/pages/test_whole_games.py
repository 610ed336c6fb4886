"""Whole games over HTTP alone: one person at the pages, bots in the other seats."""

from typing import Final

import pytest

from engine.record_reading import read_record
from engine.rulebooks.catalogue import RULEBOOKS
from engine.verification import verify_record
from tests.support import page_robot
from tests.support.bots import play_next_bot
from tests.support.cast import ALICE
from tests.support.sizes import is_full_run
from tests.support.transactions import transaction
from tests.support.visitors import Site, open_table
from webapp.kernel import urls

_RULEBOOKS_AND_SEATS: Final = [
    (rulebook, seats)
    for number, rulebook in enumerate(RULEBOOKS)
    for seats in ((3, 10) if is_full_run() else (3, 10)[number % 2 :][:1])
]
"""The usual run plays one game under each rulebook: small and large tables in turn."""


def let_bots_play(site: Site, random_below: page_robot.RandomBelow) -> None:
    has_bot_played = True
    while has_bot_played:
        with transaction(site.database) as tx:
            has_bot_played = play_next_bot(tx, now=site.clock.now, random_below=random_below)


@pytest.mark.no_cover
@pytest.mark.parametrize("rulebook, seats", _RULEBOOKS_AND_SEATS)
def test_game_played_through_pages_ends_with_a_verifiable_record(
    site: Site, rulebook: str, seats: int
) -> None:
    random_below = page_robot.seeded_random_below(f"{rulebook} {seats}")
    alice = site.signed_in(ALICE)
    slug = open_table(alice, rulebook=rulebook, seats=str(seats), bots="1")
    let_bots_play(site, random_below)
    while page_robot.is_awaited(page := alice.page(urls.game(slug))):
        page_robot.take_turn(alice, slug, random_below)
        let_bots_play(site, random_below)
    assert "The game is over" in page.text
    report = verify_record(read_record(alice.get(urls.export(slug)).data))
    assert report.is_finished
    assert report.is_sound, report.flaws
    assert report.deal_count == 3
