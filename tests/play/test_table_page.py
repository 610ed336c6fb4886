from datetime import timedelta

import pytest

from engine.narration import LineKey
from engine.view import legal_actions
from tests.support.cast import ALICE, DAVE, MALLORY
from tests.support.factories import (
    DAY,
    Guest,
    deal_game,
    play_bots,
    play_turn,
    sign_in_guest,
    stored_game,
    table_settings,
)
from tests.support.game_pages import game_page
from tests.support.transactions import KEYS, NOON, read_only
from webapp.kernel.refusals import NotFound
from webapp.kernel.tx import Database
from webapp.play.views.history_page import history_page
from webapp.play.views.table_page import TablePage
from webapp.site.home import home_page


def _read_table_page(database: Database, slug: str, guest: Guest | None) -> TablePage:
    with read_only(database) as tx:
        page = game_page(tx, slug, guest and guest.cookie, keys=KEYS, now=NOON)
    assert isinstance(page, TablePage)
    return page


def test_table_page_offers_legal_actions_only_to_the_player_on_turn(
    database: Database, guests: list[Guest], slug: str
) -> None:
    pages = [_read_table_page(database, slug, guest) for guest in guests]
    assert pages[0].menu == legal_actions(pages[0].view)
    assert pages[0].menu
    assert [page.menu for page in pages[1:]] == [(), ()]


def test_table_page_shows_the_player_on_turn_and_the_deadline(
    database: Database, guests: list[Guest], slug: str
) -> None:
    page = _read_table_page(database, slug, guests[1])
    assert [seat.is_awaited for seat in page.seats] == [True, False, False]
    assert [seat.is_me for seat in page.seats] == [False, True, False]
    assert (page.turn_started_at, page.deadline_at) == (NOON, NOON + DAY)


def test_table_page_lists_turns_since_the_viewers_own_oldest_first(
    database: Database, guests: list[Guest], slug: str
) -> None:
    for guest in guests:
        play_turn(database, slug, guest)
    page = _read_table_page(database, slug, guests[0])
    assert [turn.seq for turn in page.entries_since_own_turn] == [2, 3]
    assert [
        turn.seq for turn in _read_table_page(database, slug, guests[2]).entries_since_own_turn
    ] == []
    assert page.last_own_turn is not None
    assert (page.last_own_turn.seq, page.last_own_turn.seat) == (1, 0)


def test_table_page_lists_all_turns_to_a_player_who_has_not_moved(
    database: Database, guests: list[Guest], slug: str
) -> None:
    play_turn(database, slug, guests[0])
    since = _read_table_page(database, slug, guests[1]).entries_since_own_turn
    assert [turn.seq for turn in since] == [0, 1]
    assert [line.key for line in since[0].lines] == [LineKey.ROUND_DEALT, LineKey.ROLE_DEALT]


def test_turn_played_by_the_clock_is_listed_to_its_player(
    database: Database, guests: list[Guest], slug: str
) -> None:
    play_turn(database, slug, guests[0], by="clock")
    assert [turn.by for turn in _read_table_page(database, slug, guests[0]).entries_since_own_turn][
        -1
    ] == "clock"


def test_table_page_lists_all_turns_after_a_long_absence(
    database: Database, guests: list[Guest], slug: str
) -> None:
    play_turn(database, slug, guests[0])
    for turn in range(1, 31):
        play_turn(database, slug, guests[turn % 3], by="clock")
    page = _read_table_page(database, slug, guests[0])
    assert [turn.seq for turn in page.entries_since_own_turn] == list(range(2, 32))
    assert page.last_own_turn is not None
    assert page.last_own_turn.seq == 1


def test_onlooker_of_a_public_game_sees_latest_turns_and_no_hand(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal_game(database, guests, table_settings(public=True))
    play_turn(database, slug, guests[0])
    for onlooker in (None, sign_in_guest(database, DAVE)):
        page = _read_table_page(database, slug, onlooker)
        assert (page.seat, page.view.hand, page.view.role, page.menu) == (None, (), None, ())
        assert [turn.seq for turn in page.entries_since_own_turn] == [0, 1]
        assert page.last_own_turn is None


def test_private_game_does_not_exist_for_strangers(database: Database, slug: str) -> None:
    mallory = sign_in_guest(database, MALLORY)
    for viewer in (None, mallory.cookie, "made up"):
        with read_only(database) as tx, pytest.raises(NotFound):
            game_page(tx, slug, viewer, keys=KEYS, now=NOON)
        with read_only(database) as tx, pytest.raises(NotFound):
            history_page(tx, slug, viewer)


@pytest.mark.parametrize("slug", ["", "x", "\0", "\ud800", "a" * 9_999, "' OR 1=1"])
def test_any_text_as_slug_is_not_found(database: Database, slug: str) -> None:
    with read_only(database) as tx, pytest.raises(NotFound):
        game_page(tx, slug, None, keys=KEYS, now=NOON)


def test_expired_session_counts_as_signed_out(
    database: Database, guests: list[Guest], slug: str
) -> None:
    next_year = NOON + timedelta(days=365)
    with read_only(database, next_year) as tx:
        assert home_page(tx, guests[0].cookie).me is None
        with pytest.raises(NotFound):
            game_page(tx, slug, guests[0].cookie, keys=KEYS, now=next_year)


def test_bots_have_names_and_turns_in_the_history(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    slug = deal_game(database, [alice], table_settings(starter=0))
    play_turn(database, slug, alice)
    play_bots(database)
    page = _read_table_page(database, slug, alice)
    assert [turn.by for turn in page.entries_since_own_turn] == ["bot", "bot"]
    assert all(seat.name for seat in page.seats)
    assert stored_game(database, slug, alice).row.awaiting == 0
