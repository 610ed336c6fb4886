"""The account page says how many of its owner's latest turns were in time."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import insert

from tests.support.cast import ALICE
from tests.support.factories import NOON, sign_in_guest
from tests.support.visitors import Site
from webapp import urls
from webapp.services.tx import transaction
from webapp.store.schema.clock import DeadlineEvent

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def store_ends(site: Site, kinds: list[str], *, every: timedelta = DAY, **fields: Any) -> None:
    """Store turns of Alice that ended like this, the last of them now."""
    account_id = sign_in_guest(site.database, ALICE).person.id
    common = {"account_id": account_id, "by": "player", "seat": 0, "cause": ""} | fields
    rows = [
        {**common, "game_id": number, "turn_seq": 1, "kind": kind, "at": NOON - number * every}
        for number, kind in enumerate(kinds)
    ]
    with transaction(site.database) as tx:
        tx.connection.execute(insert(DeadlineEvent), rows)


@pytest.mark.parametrize(
    "kinds, sentence",
    [
        (["played"] * 7, "New here: 7 turns so far."),
        (["late"], "New here: 1 turn so far."),
        (["late", "missed", *["played"] * 48], "96% of the last 50 turns on time."),
        (["played"] * 50 + ["missed"] * 20, "100% of the last 50 turns on time."),
    ],
)
def test_page_shows_the_share_of_turns_in_time(site: Site, kinds: list[str], sentence: str) -> None:
    store_ends(site, kinds)
    assert sentence in site.signed_in(ALICE).page(urls.profile()).text


def test_turns_missed_on_one_day_count_as_one(site: Site) -> None:
    store_ends(site, ["missed"] * 3, every=HOUR)
    store_ends(site, ["played"] * 9)
    assert "90% of the last 10 turns on time." in site.signed_in(ALICE).page(urls.profile()).text


def test_excused_and_old_turns_are_not_held_against_the_player(site: Site) -> None:
    store_ends(site, ["missed"], cause="away")
    store_ends(site, ["played"] * 10)
    store_ends(site, ["played", "missed"], every=181 * DAY)
    text = site.signed_in(ALICE).page(urls.profile()).text
    assert "1 late or missed turn isn't counted" in text
    assert "100% of the last 11 turns on time." in text


def test_turn_that_a_moderator_played_is_not_the_player_s(site: Site) -> None:
    store_ends(site, ["played"] * 12, by="moderator")
    assert "New here: 0 turns so far." in site.signed_in(ALICE).page(urls.profile()).text
