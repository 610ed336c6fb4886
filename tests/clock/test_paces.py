"""Answer times of players, from the events of their turns, and how long a round takes with them."""

from datetime import time, timedelta

from tests.support.factories import Guest, deal_game, play_turn, table_settings
from tests.support.transactions import NOON, read_only, transaction
from webapp.clock.pace.pace import Pace, named_pace
from webapp.clock.paces import TURNS_PER_ROUND, expected_round_time, median_answer_times
from webapp.clock.queries.reliability import MIN_TURNS
from webapp.kernel.tx import Database

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def test_median_answer_time_is_known_after_enough_turns(
    database: Database, guests: list[Guest]
) -> None:
    slug, now = deal_game(database, guests, table_settings()), NOON
    ids = [guest.person.id for guest in guests]
    for number in range(MIN_TURNS):
        for hours, guest in zip((1 + number % 3, 5, 7), guests, strict=True):
            now += hours * HOUR
            play_turn(database, slug, guest, now=now)
        with read_only(database, now) as tx:
            medians = median_answer_times(tx, ids)
        assert len(medians) == (3 if number + 1 == MIN_TURNS else 0)
    assert medians == [2 * HOUR, 5 * HOUR, 7 * HOUR]
    with read_only(database, now + timedelta(days=400)) as tx:
        assert median_answer_times(tx, ids) == []


def test_answers_in_games_with_bots_alone_say_nothing(
    database: Database, guests: list[Guest]
) -> None:
    slug, now = deal_game(database, guests, table_settings()), NOON
    for _ in range(MIN_TURNS):
        for guest in guests:
            now += HOUR
            play_turn(database, slug, guest, now=now)
    with transaction(database, now) as tx:
        assert median_answer_times(tx, [guests[0].person.id]) == [HOUR]
        tx.connection.exec_driver_sql(
            "UPDATE seat SET account_id = NULL, name = NULL, bot_name = 'Agate',"
            " bot_level = 'steady' WHERE number > 0"
        )
        assert median_answer_times(tx, [guests[0].person.id]) == []


def test_round_is_expected_to_be_shorter_when_its_players_answer_quickly() -> None:
    relaxed_pace = named_pace("relaxed", "UTC")

    typical_time = expected_round_time(5, relaxed_pace)
    assert typical_time == 12 * HOUR * TURNS_PER_ROUND
    assert expected_round_time(5, relaxed_pace, [2 * HOUR] * 5) == 2 * HOUR * TURNS_PER_ROUND
    assert typical_time > expected_round_time(5, relaxed_pace, [2 * HOUR]) > typical_time / 2
    assert expected_round_time(5, relaxed_pace, [90 * DAY] * 5) == 3 * DAY * TURNS_PER_ROUND


def test_playing_hours_make_the_expected_round_longer() -> None:
    half_day_pace = Pace(time_per_turn=DAY, opens=time(8), closes=time(20))

    assert expected_round_time(5, half_day_pace) == 2 * expected_round_time(
        5, Pace(time_per_turn=DAY)
    )
