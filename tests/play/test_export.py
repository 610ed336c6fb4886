import hashlib
from datetime import timedelta

import msgspec
import pytest

from engine.record_reading import read_record
from engine.rulebook import HouseRules
from engine.rulebooks.catalogue import RULEBOOKS
from engine.verification import verify_record
from tests.support.cast import ALICE, MALLORY
from tests.support.factories import (
    Guest,
    deal_game,
    open_table,
    play_to_end,
    play_turn,
    sign_in_guest,
    table_settings,
)
from tests.support.plans import make_plan
from tests.support.transactions import NOON, read_only
from webapp.kernel.refusals import NotFound
from webapp.kernel.tx import Database
from webapp.play.views.fairness_page import export, fairness_page


@pytest.mark.parametrize("rulebook", sorted(RULEBOOKS))
def test_export_of_a_finished_game_verifies(database: Database, rulebook: str) -> None:
    alice = sign_in_guest(database, ALICE)
    slug = deal_game(database, [alice], table_settings(rulebook=rulebook, seats=5, starter=None))
    play_to_end(database, slug, [alice])
    with read_only(database) as tx:
        exported_game = export(tx, slug, alice.cookie)
    assert exported_game.filename == f"{slug}.game"
    record = read_record(exported_game.text.encode())
    report = verify_record(record)
    assert (report.flaws, report.is_finished) == ((), True)
    assert {turn.by for turn in record.turns[1:]} <= {"player", "bot", "plan", "server"}


def test_freeze_record_is_shown_once_the_game_is_dealt(
    database: Database, guests: list[Guest], slug: str
) -> None:
    with read_only(database) as tx:
        page = fairness_page(tx, slug, guests[1].cookie)
    assert page.record is not None
    assert page.record_digest == hashlib.sha256(page.record).hexdigest()
    assert page.secrets == ()


def test_export_of_a_running_game_holds_only_what_the_viewer_knows(
    database: Database, guests: list[Guest], slug: str
) -> None:
    play_turn(database, slug, guests[0])
    texts = []
    for guest in guests:
        with read_only(database) as tx:
            exported_game = export(tx, slug, guest.cookie)
        assert exported_game.filename == f"{slug}.json"
        texts.append(msgspec.json.decode(exported_game.text))
    assert [text["view"]["seat"] for text in texts] == [0, 1, 2]
    assert len({msgspec.json.encode(text["view"]["hand"]) for text in texts}) == 3


def test_export_needs_access_and_a_deal(database: Database, guests: list[Guest], slug: str) -> None:
    mallory = sign_in_guest(database, MALLORY)
    with read_only(database) as tx, pytest.raises(NotFound):
        export(tx, slug, mallory.cookie)
    undealt_slug = open_table(database, guests[0])
    for cookie, expected_slug in (
        (mallory.cookie, "no-such-game"),
        (guests[0].cookie, undealt_slug),
    ):
        with read_only(database) as tx, pytest.raises(NotFound):
            export(tx, expected_slug, cookie)


def test_export_of_a_game_of_one_round_verifies(database: Database, guests: list[Guest]) -> None:
    slug = deal_game(
        database, guests, table_settings(house=HouseRules(rounds=1)), now=NOON - timedelta(days=9)
    )
    play_to_end(database, slug, guests)
    with read_only(database) as tx:
        record = read_record(export(tx, slug, guests[0].cookie).text.encode())
    assert verify_record(record).is_sound


def test_export_of_a_running_game_holds_the_plan_of_its_owner_alone(
    database: Database, guests: list[Guest], slug: str
) -> None:
    make_plan(database, slug, guests[1])
    plans = []
    for guest in guests:
        with read_only(database) as tx:
            plans.append(msgspec.json.decode(export(tx, slug, guest.cookie).text)["plan"])
    assert [plan is not None for plan in plans] == [False, True, False]
