"""Public results of games, and the standings and lists of clubs that are made of them."""

from datetime import date

import msgspec
import pytest
from sqlalchemy import select, text

from engine.rulebook import HouseRules
from tests.support.calls import sweep_with_calls_sent
from tests.support.clubs import club_profile, found_club, join_club, locked_club_access
from tests.support.factories import (
    DAY,
    Guest,
    deal_game,
    deal_short_game,
    open_table,
    play_to_end,
    stored_game,
    table_settings,
)
from tests.support.transactions import NOON, pick_first, transaction
from webapp.clubs.club_page import ALL_TIME_SEASON_ID, ClubPage, club_page
from webapp.clubs.seasons import add_season, remove_season
from webapp.kernel.refusals import NotFound
from webapp.kernel.tx import Database
from webapp.operations.audit import AUDIT_INTERVAL, run_batch
from webapp.play.schema import GameResult
from webapp.play.turns.turns import results_of


@pytest.fixture
def club(database: Database, guests: list[Guest]) -> str:
    slug = found_club(database, guests[0], club_profile(is_public=True))
    join_club(database, slug, guests[1])
    return slug


def finished_game(database: Database, guests: list[Guest], club: str, **settings: object) -> str:
    short_settings = table_settings(house=HouseRules(rounds=1), **settings)  # type: ignore[arg-type]
    club_table_settings = msgspec.structs.replace(short_settings, club=club)
    slug = deal_game(database, guests, club_table_settings)
    play_to_end(database, slug, guests)
    return slug


def stored_results(database: Database) -> list[tuple[int, int | None, int, bool]]:
    with transaction(database) as tx:
        columns = (
            GameResult.seat,
            GameResult.account_id,
            GameResult.gold,
            GameResult.is_winner,
        )
        rows = tx.execute(select(*columns).order_by(GameResult.game_id, GameResult.seat))
        return [(row[0], row[1], row[2], row[3]) for row in rows]


def execute(database: Database, statement: str) -> None:
    with transaction(database) as tx:
        tx.execute(text(statement))


def club_page_for(
    database: Database, slug: str, guest: Guest | None, season_id: int | None = None
) -> ClubPage:
    with transaction(database) as tx:
        viewer = None if guest is None else guest.person
        return club_page(tx, slug, viewer, season_id=season_id)


def test_end_of_a_game_stores_what_each_seat_has_won(
    database: Database, guests: list[Guest], club: str
) -> None:
    game = finished_game(database, guests[:2], club)
    state = stored_game(database, game, guests[0]).state
    accounts = [guests[0].person.id, guests[1].person.id, None]
    assert state.winners
    assert stored_results(database) == [
        (seat, accounts[seat], sum(state.gold[seat]), seat in state.winners) for seat in range(3)
    ]


def test_game_that_the_clock_ends_has_a_result_as_well(
    database: Database, guests: list[Guest]
) -> None:
    slug, now = deal_short_game(database, guests), NOON
    while stored_game(database, slug, guests[0]).row.awaiting is not None:
        now += 2 * DAY
        with transaction(database) as tx:
            sweep_with_calls_sent(tx, now=now, random_below=pick_first)
    state = stored_game(database, slug, guests[0]).state
    assert [row[3] for row in stored_results(database)] == [
        seat in state.winners for seat in range(3)
    ]


def test_running_game_has_no_result(database: Database, guests: list[Guest], slug: str) -> None:
    assert results_of(stored_game(database, slug, guests[0]).state) == ()
    assert stored_results(database) == []


def test_result_is_stored_in_the_transaction_that_ends_the_game(
    database: Database, guests: list[Guest], club: str
) -> None:
    """If the result cannot be stored, the game does not end either: there is no state between the two."""
    execute(database, "ALTER TABLE game_result ADD CONSTRAINT never CHECK (gold < 0) NOT VALID")
    try:
        with pytest.raises(Exception, match="never"):
            finished_game(database, guests, club)
    finally:
        execute(database, "ALTER TABLE game_result DROP CONSTRAINT never")
    with transaction(database) as tx:
        assert tx.execute(text("SELECT status FROM game")).scalar_one() == "running"
    assert stored_results(database) == []


def test_standings_count_every_finished_game_of_the_club(
    database: Database, guests: list[Guest], club: str
) -> None:
    finished_game(database, guests[:2], club)
    finished_game(database, guests, club)
    deal_game(database, guests)
    rows = {row.name: row for row in club_page_for(database, club, guests[0]).standings}
    assert {name: row.games for name, row in rows.items()} == {"Alice": 2, "Bob": 2, "Carol": 1}
    results = stored_results(database)
    for guest in guests:
        own_results = [result for result in results if result[1] == guest.person.id]
        row = rows[guest.person.name]
        assert (row.wins, row.gold) == (
            sum(result_row[3] for result_row in own_results),
            sum(result_row[2] for result_row in own_results),
        )
    order = [(-row.wins, -row.gold) for row in club_page_for(database, club, guests[0]).standings]
    assert order == sorted(order)


def test_season_counts_games_that_end_in_it(
    database: Database, guests: list[Guest], club: str
) -> None:
    finished_game(database, guests, club)
    today = NOON.date()
    with transaction(database) as tx:
        access = locked_club_access(tx, club, guests[0])
        add_season(tx, access, name="Now", starts_on=today, ends_on=today)
        add_season(tx, access, name="Now", starts_on=today, ends_on=today)
        add_season(tx, access, name="Old", starts_on=date(2020, 1, 1), ends_on=date(2020, 2, 1))
    page = club_page_for(database, club, guests[0])
    assert [season.name for season in page.seasons] == ["Now", "Old"]
    now, old_season = page.seasons
    assert page.season == now
    assert len(page.standings) == 3
    assert not club_page_for(database, club, guests[0], old_season.id).standings
    assert club_page_for(database, club, guests[0], ALL_TIME_SEASON_ID).season is None
    with pytest.raises(NotFound):
        club_page_for(database, club, guests[0], 999)


def test_season_of_another_club_cannot_be_deleted(
    database: Database, guests: list[Guest], club: str
) -> None:
    other_club = found_club(database, guests[1], club_profile(name="Elsewhere"))
    with transaction(database) as tx:
        access = locked_club_access(tx, other_club, guests[1])
        add_season(tx, access, name="S", starts_on=NOON.date(), ends_on=NOON.date())
    season = club_page_for(database, other_club, guests[1]).seasons[0]
    with pytest.raises(NotFound), transaction(database) as tx:
        remove_season(tx, locked_club_access(tx, club, guests[0]), season.id)
    for _ in range(2):
        with transaction(database) as tx:
            remove_season(tx, locked_club_access(tx, other_club, guests[1]), season.id)
    assert not club_page_for(database, other_club, guests[1]).seasons


def test_strangers_see_public_games_and_only_the_number_of_others(
    database: Database, guests: list[Guest], club: str
) -> None:
    finished_game(database, guests[:1], club)
    shown_slug = finished_game(database, guests[:1], club, public=True)
    open_table(database, guests[0], msgspec.structs.replace(table_settings(seats=4), club=club))
    page = club_page_for(database, club, None)
    assert [game.slug for game in page.finished_games.games] == [shown_slug]
    assert page.finished_games.unlisted_count == 1
    assert (page.open_tables.games, page.open_tables.unlisted_count) == ((), 1)
    page = club_page_for(database, club, guests[1])
    assert len(page.finished_games.games) == 2
    assert len(page.open_tables.games) == 1
    assert page.finished_games.games[0].winners
    assert not page.announcements


def test_audit_rebuilds_a_wrong_result(
    database: Database, guests: list[Guest], club: str, caplog: pytest.LogCaptureFixture
) -> None:
    finished_game(database, guests, club)
    expected_results = stored_results(database)
    for day, damage in enumerate(
        ("UPDATE game_result SET gold = 99", "DELETE FROM game_result WHERE seat = 1")
    ):
        execute(database, damage)
        with transaction(database, NOON + day * AUDIT_INTERVAL) as tx:
            assert run_batch(tx, limit=50).inconsistent_slugs == ()
        assert stored_results(database) == expected_results
        assert "its log; it was rebuilt" in caplog.text
