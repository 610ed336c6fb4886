import pytest

from engine.narration import LineKey
from tests.support.factories import (
    KEYS,
    NOON,
    Guest,
    deal_game,
    play_to_end,
    play_turn,
)
from tests.support.game_pages import game_page
from webapp.services.errors import NotFound
from webapp.services.play.history_page import HistoryPage, history_page
from webapp.services.play.table_page import TablePage
from webapp.services.tx import Database, read_only


def _history(database: Database, slug: str, guest: Guest, until: int | None = None) -> HistoryPage:
    with read_only(database) as tx:
        return history_page(tx, slug, guest.cookie, until=until, now=NOON)


def _table(database: Database, slug: str, guest: Guest | None) -> TablePage:
    with read_only(database) as tx:
        page = game_page(tx, slug, guest and guest.cookie, keys=KEYS, now=NOON)
    assert isinstance(page, TablePage)
    return page


def test_history_page_shows_the_table_after_a_past_turn(
    database: Database, guests: list[Guest], slug: str
) -> None:
    for guest in guests:
        play_turn(database, slug, guest)
    then = _history(database, slug, guests[1], until=1)
    assert [turn.seq for turn in then.entries] == [0, 1]
    assert (then.until, then.newest) == (1, 3)
    assert then.view.seq == 1
    now = _history(database, slug, guests[1])
    assert now.view == _table(database, slug, guests[1]).view


@pytest.mark.parametrize("until", [-1, 1, 999_999_999_999])
def test_history_page_of_a_missing_turn_is_not_found(
    database: Database, guests: list[Guest], slug: str, until: int
) -> None:
    with read_only(database) as tx, pytest.raises(NotFound):
        history_page(tx, slug, guests[0].cookie, until=until, now=NOON)


def test_finished_game_reveals_every_secret(database: Database, guests: list[Guest]) -> None:
    slug = deal_game(database, guests)
    play_to_end(database, slug, guests)
    page = _table(database, slug, guests[1])
    assert (page.table.status, page.deadline_at, page.turn_started_at) == ("finished", None, None)
    assert None not in page.view.gold
    assert page.view.winners
    entries = _history(database, slug, guests[1]).entries
    discards = [line for one in entries for line in one.lines if line.key == LineKey.DISCARDED]
    assert discards == []
