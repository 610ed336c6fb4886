"""Answer times of players, from the events of their turns."""

from datetime import timedelta

from tests.support.factories import Guest, deal_game, play_turn, table_settings
from tests.support.transactions import NOON, read_only, transaction
from webapp.clock.paces import median_answer_times
from webapp.clock.queries.reliability import MIN_TURNS
from webapp.kernel.tx import Database

HOUR = timedelta(hours=1)


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
