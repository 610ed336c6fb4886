from datetime import timedelta

import pytest
from sqlalchemy import text

from tests.support.cast import DAVE
from tests.support.factories import (
    DAY,
    Guest,
    deal_game,
    deal_short_game,
    open_table,
    play_to_end,
    seat_guest,
    sign_in_guest,
    stored_game,
    table_settings,
)
from tests.support.held_turns import enable_held_turns, hold_turn, withdraw_held_turn
from tests.support.late_games import let_time_run_out, make_public, set_late_rules, take_seat
from tests.support.transactions import NOON, read_only, transaction
from webapp.kernel.tx import Database
from webapp.play.queries import games
from webapp.site.home import HomePage, home_page, next_slug


def _home(database: Database, guest: Guest | None) -> HomePage:
    with read_only(database) as tx:
        return home_page(tx, guest and guest.cookie)


def test_home_lists_games_by_remaining_time_own_turns_first(
    database: Database, guests: list[Guest]
) -> None:
    later_game = deal_game(database, guests, table_settings(allowance=3 * DAY))
    sooner_game = deal_game(database, guests, table_settings(allowance=DAY))
    game_of_other_turn = deal_game(database, guests, table_settings(starter=1))
    waiting_slug = open_table(database, guests[0])
    page = _home(database, guests[0])
    assert [game.table.slug for game in page.my_running_games][:2] == [sooner_game, later_game]
    assert {game.table.slug for game in page.my_running_games[2:]} == {
        game_of_other_turn,
        waiting_slug,
    }
    assert [game.my_turn for game in page.my_running_games] == [True, True, False, False]
    games_by_slug = {game.table.slug: game for game in page.my_running_games}
    assert games_by_slug[game_of_other_turn].waiting_for == "Bob"
    with read_only(database) as tx:
        assert next_slug(tx, guests[0].cookie) == sooner_game


def test_home_lists_a_ready_check_as_waiting_for_unready_players(
    database: Database, guests: list[Guest]
) -> None:
    slug = open_table(database, guests[0])
    for guest in guests[1:]:
        seat_guest(database, slug, guest)
    assert [game.my_turn for game in _home(database, guests[1]).my_running_games] == [True]


def test_home_lists_public_tables_but_not_private_ones_of_others(
    database: Database, guests: list[Guest]
) -> None:
    hidden_slug = open_table(database, guests[0])
    public_slug = open_table(database, guests[0], table_settings(public=True))
    for guest in (None, guests[1]):
        assert [table.slug for table in _home(database, guest).open_tables] == [public_slug]
    assert {game.table.slug for game in _home(database, guests[0]).my_running_games} == {
        hidden_slug,
        public_slug,
    }
    assert _home(database, None).my_running_games == ()


def test_home_lists_finished_games_separately(database: Database, guests: list[Guest]) -> None:
    slug = deal_short_game(database, guests)
    play_to_end(database, slug, guests)
    page = _home(database, guests[2])
    assert ([game.table.slug for game in page.finished_games], page.my_running_games) == (
        [slug],
        (),
    )
    with read_only(database) as tx:
        assert next_slug(tx, guests[2].cookie) is None
        assert next_slug(tx, None) is None


def test_home_lists_only_the_latest_three_finished_games(
    database: Database, guests: list[Guest]
) -> None:
    slugs = [deal_short_game(database, guests) for _ in range(4)]
    for slug in slugs:
        play_to_end(database, slug, guests)
    listed_slugs = [game.table.slug for game in _home(database, guests[0]).finished_games]
    assert listed_slugs == slugs[:0:-1]


def test_home_names_the_winners_of_finished_games_only(
    database: Database, guests: list[Guest]
) -> None:
    finished_slug, running_slug = deal_short_game(database, guests), deal_game(database, guests)
    play_to_end(database, finished_slug, guests)
    winners = stored_game(database, finished_slug, guests[0]).state.winners
    assert winners
    for seat, guest in enumerate(guests):
        page = _home(database, guest)
        [finished_game], [unfinished_game] = page.finished_games, page.my_running_games
        other_winners = tuple(guests[winner].person.name for winner in winners if winner != seat)
        assert (finished_game.i_won, finished_game.other_winners) == (
            seat in winners,
            other_winners,
        )
        assert unfinished_game.table.slug == running_slug
        assert (unfinished_game.i_won, unfinished_game.other_winners) == (False, ())


@pytest.mark.parametrize("format_change", ["state_format = 0, ", ""])
def test_winners_in_an_unreadable_snapshot_are_left_out(
    database: Database, guests: list[Guest], format_change: str
) -> None:
    slug = deal_short_game(database, guests)
    play_to_end(database, slug, guests)
    with transaction(database) as tx:
        tx.execute(text(f"UPDATE game SET {format_change}state = 'unreadable'"))
    [game] = _home(database, guests[0]).finished_games
    assert (game.i_won, game.other_winners) == (False, ())


def test_positions_of_own_games_are_read_for_their_thumbnails(
    database: Database, guests: list[Guest]
) -> None:
    finished_slug, running_slug = deal_short_game(database, guests), deal_game(database, guests)
    play_to_end(database, finished_slug, guests)
    with read_only(database) as tx:
        rows = games.find_listed(tx, guests[0].person.id, limit=50)
    assert {row.slug for row in rows if row.state is not None} == {finished_slug, running_slug}


def test_held_turn_does_not_wait_for_its_player_and_is_shown_to_them_alone(
    database: Database, guests: list[Guest]
) -> None:
    held_slug, other_slug = deal_game(database, guests), deal_game(database, guests)
    alice, bob, _ = guests
    hold_turn(database, held_slug, enable_held_turns(database, alice))
    games_by_slug = {game.table.slug: game for game in _home(database, alice).my_running_games}
    held_game, other_game = games_by_slug[held_slug], games_by_slug[other_slug]
    assert (held_game.my_turn, held_game.held_until) == (False, NOON + timedelta(minutes=10))
    assert (other_game.my_turn, other_game.held_until) == (True, None)
    with read_only(database) as tx:
        assert next_slug(tx, alice.cookie) == other_slug
        rows = games.find_listed(tx, bob.person.id, limit=50)
    assert {row.held_turn for row in rows} == {None}
    withdraw_held_turn(database, held_slug, alice, now=NOON)
    page = _home(database, alice)
    assert all(game.my_turn and game.held_until is None for game in page.my_running_games)


def test_home_lists_a_lost_seat_for_its_player_until_it_is_taken(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal_game(database, guests)
    set_late_rules(database, slug)
    make_public(database, slug)
    let_time_run_out(database, slug)
    [game] = _home(database, guests[0]).my_running_games
    assert (game.table.slug, game.is_seat_lost, game.my_turn) == (slug, True, False)
    assert [game.is_seat_lost for game in _home(database, guests[1]).my_running_games] == [False]
    with read_only(database) as tx:
        assert next_slug(tx, guests[0].cookie) is None
    take_seat(database, slug, sign_in_guest(database, DAVE))
    assert _home(database, guests[0]).my_running_games == ()
