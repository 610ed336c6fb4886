"""The host chooses what an absence does, and everyone who may join can read it."""

from datetime import timedelta

import pytest

from tests.support.cast import ALICE
from tests.support.transactions import read_only
from tests.support.visitors import Site, open_table
from webapp.clock.pace.pace import LateRules
from webapp.kernel import urls
from webapp.play.access import game_for


def rules_of(site: Site, slug: str, cookie: str) -> LateRules:
    with read_only(site.database, site.clock.now) as tx:
        return game_for(tx, slug, cookie).game.row.late_rules


@pytest.mark.parametrize(
    "fields, expected_rules, sentence",
    [
        (
            {"absence_days": "7"},
            LateRules(absence="stop", absence_cap=timedelta(days=7)),
            "The clock stops while a player is away, for at most 7 days each.",
        ),
        (
            {"absence": "neutral"},
            LateRules(absence="neutral"),
            "The clock runs on while a player is away.",
        ),
        (
            {},
            LateRules(absence="stop", absence_cap=timedelta(days=14)),
            "for at most 14 days each.",
        ),
    ],
)
def test_host_chooses_what_an_absence_does(
    site: Site, fields: dict[str, str], expected_rules: LateRules, sentence: str
) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(alice, seats="3", strikes="0", **fields)
    with alice.client.session_transaction() as session:
        cookie = session["token"]
    assert rules_of(site, slug, cookie) == expected_rules
    assert sentence in alice.page(urls.game(slug)).text


def test_absence_stops_the_clock_of_a_game_against_bots(site: Site) -> None:
    alice = site.signed_in(ALICE)
    location = alice.send(alice.page(urls.home()).form(urls.bot_game())).location
    assert "The clock stops while a player is away" in alice.page(location).text


@pytest.mark.parametrize("fields", [{"absence": "sleep"}, {"absence_days": "9999"}])
def test_unknown_rule_is_refused(site: Site, fields: dict[str, str]) -> None:
    alice = site.signed_in(ALICE)
    form = alice.page(urls.new_game()).form(urls.tables())
    assert alice.send(form, **fields).status_code == 422
