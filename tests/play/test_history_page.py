import pytest

from engine.events import Dealt
from engine.narration import LineKey
from engine.wire import decode_events
from tests.support.factories import (
    Guest,
    deal_game,
    play_to_end,
    play_turn,
    stored_game,
    table_settings,
)
from tests.support.game_pages import game_page
from tests.support.transactions import KEYS, NOON, read_only
from webapp.kernel.refusals import NotFound
from webapp.kernel.tx import Database
from webapp.play.queries.turn_log import all_turns
from webapp.play.views.history_page import HistoryPage, history_page
from webapp.play.views.table_page import TablePage


def _read_history_page(
    database: Database, slug: str, guest: Guest | None, until_turn: int | None = None
) -> HistoryPage:
    with read_only(database) as tx:
        return history_page(tx, slug, guest and guest.cookie, until=until_turn)


def _table_page(database: Database, slug: str, guest: Guest | None) -> TablePage:
    with read_only(database) as tx:
        page = game_page(tx, slug, guest and guest.cookie, keys=KEYS, now=NOON)
    assert isinstance(page, TablePage)
    return page


def test_history_page_shows_the_table_after_a_past_turn(
    database: Database, guests: list[Guest], slug: str
) -> None:
    for guest in guests:
        play_turn(database, slug, guest)
    past_page = _read_history_page(database, slug, guests[1], until_turn=1)
    assert [turn.seq for turn in past_page.entries] == [0, 1]
    assert (past_page.until, past_page.newest) == (1, 3)
    assert past_page.view.seq == 1
    now = _read_history_page(database, slug, guests[1])
    assert now.view == _table_page(database, slug, guests[1]).view


@pytest.mark.parametrize("until_turn", [-1, 1, 999_999_999_999])
def test_history_page_of_a_missing_turn_is_not_found(
    database: Database, guests: list[Guest], slug: str, until_turn: int
) -> None:
    with read_only(database) as tx, pytest.raises(NotFound):
        history_page(tx, slug, guests[0].cookie, until=until_turn)


def test_finished_game_reveals_every_secret(database: Database, guests: list[Guest]) -> None:
    slug = deal_game(database, guests)
    play_to_end(database, slug, guests)
    page = _table_page(database, slug, guests[1])
    assert (page.table.status, page.deadline_at, page.turn_started_at) == ("finished", None, None)
    assert None not in page.view.gold
    assert page.view.winners
    entries = _read_history_page(database, slug, guests[1]).entries
    discards = [line for entry in entries for line in entry.lines if line.key == LineKey.DISCARDED]
    assert discards == []


@pytest.mark.parametrize("until_turn", [0, 2, None])
def test_game_in_progress_reveals_no_goal_role_or_hand_of_others(
    database: Database, guests: list[Guest], until_turn: int | None
) -> None:
    slug = deal_game(database, guests, table_settings(public=True))
    while stored_game(database, slug, guests[0]).row.round == 1:
        play_turn(database, slug, guests[stored_game(database, slug, guests[0]).row.awaiting or 0])
    for guest in (*guests, None):
        page = _read_history_page(database, slug, guest, until_turn)
        assert page.hands == ()
        assert page.view.awaiting is not None
        assert page.view.goals == (None, None, None)
        roles = [role for seat, role in enumerate(page.view.roles) if seat != page.seat]
        assert roles == [None] * len(roles)


def test_finished_game_is_replayed_with_everything_open(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal_game(database, guests)
    play_to_end(database, slug, guests)
    page = _read_history_page(database, slug, guests[1], until_turn=0)
    with read_only(database) as tx:
        log = all_turns(tx, stored_game(database, slug, guests[1]).row.id)
    [deal] = [event for event in decode_events(log[0].events) if isinstance(event, Dealt)]
    assert (page.hands, page.view.goals, page.view.roles) == (deal.hands, deal.goals, deal.roles)
    assert all(line.key is not LineKey.ROLE_DEALT for line in page.entries[0].lines)
