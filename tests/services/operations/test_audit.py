"""The walk over all games: what it mends, what it only notes, and what the clock makes of that."""

import logging
from datetime import timedelta

import pytest
from sqlalchemy import text

from tests.support.factories import DAY, NOON, Guest, deal, first, look, open_table, play, wish
from webapp.services.operations.audit import EVERY, Soundness, Walked, soundness, walk
from webapp.services.play import bots, deadlines
from webapp.services.tx import Database, transaction


def say(database: Database, statement: str, **values: object) -> None:
    with transaction(database) as tx:
        tx.connection.execute(text(statement), values)


def walk_on(database: Database, *, after: timedelta = timedelta(0), limit: int = 50) -> Walked:
    with transaction(database) as tx:
        return walk(tx, now=NOON + after, limit=limit)


def known(database: Database) -> Soundness:
    with transaction(database) as tx:
        return soundness(tx)


def test_games_whose_logs_say_what_stands_beside_them_are_left_alone(
    database: Database, guests: list[Guest], slug: str
) -> None:
    play(database, slug, guests[0])
    open_table(database, guests[0])
    before = look(database, slug, guests[0]).row.state
    assert walk_on(database) == Walked(looked=2)
    assert look(database, slug, guests[0]).row.state == before
    assert known(database) == Soundness(disagreeing=0, mended=0, walked_at=NOON)


def test_a_snapshot_that_went_wrong_is_made_anew_from_a_whole_log(
    database: Database, guests: list[Guest], slug: str, caplog: pytest.LogCaptureFixture
) -> None:
    other = deal(database, guests)
    play(database, slug, guests[0])
    truth = look(database, slug, guests[0]).state
    stale = look(database, other, guests[0]).row.state
    for day, wrong in enumerate((stale, b"{broken", b"[]", None)):
        say(database, "UPDATE game SET state = :wrong WHERE slug = :slug", wrong=wrong, slug=slug)
        assert walk_on(database, after=day * EVERY).mended == (slug,)
        assert look(database, slug, guests[0]).state == truth
    assert known(database).mended == 4
    assert known(database).disagreeing == 0
    assert [record.levelno for record in caplog.records] == [logging.ERROR] * 4
    assert slug in caplog.text
    play(database, slug, guests[1])


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE turn SET events = 'x' WHERE seq = 1",
        "DELETE FROM turn WHERE seq = 0",
        "UPDATE game SET awaiting = 2",
        "UPDATE secret SET gold = round_1",
    ],
)
def test_what_no_whole_log_can_mend_is_noted_and_left_as_it_is(
    harm: str,
    database: Database,
    guests: list[Guest],
    slug: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    play(database, slug, guests[0])
    say(database, harm)
    before = look(database, slug, guests[0]).row
    assert walk_on(database).disagreeing == (slug,)
    assert look(database, slug, guests[0]).row == before
    assert known(database).disagreeing == 1
    assert f"Game {slug} disagrees with itself" in caplog.text


def test_nobody_is_played_for_while_a_game_disagrees_with_itself(
    database: Database, guests: list[Guest], slug: str
) -> None:
    say(database, "UPDATE game SET round = 2")
    walk_on(database)
    with transaction(database) as tx:
        assert not deadlines.sweep(tx, now=NOON + 2 * DAY, pick=first).expired
    say(database, "UPDATE game SET round = 1")
    walk_on(database, after=EVERY)
    with transaction(database) as tx:
        assert deadlines.sweep(tx, now=NOON + 2 * DAY, pick=first).expired == 1


def test_no_bot_plays_in_a_game_that_disagrees_with_itself(
    database: Database, guests: list[Guest]
) -> None:
    deal(database, guests[:1], wish(seats=3, starter=1))
    say(database, "UPDATE game SET round = 2")
    walk_on(database)
    with transaction(database) as tx:
        assert not bots.play_one(tx, now=NOON, pause=timedelta(0), pick=first)


def test_the_walk_goes_on_where_it_stopped_and_rests_until_the_next_day(
    database: Database, guests: list[Guest]
) -> None:
    for _ in range(3):
        deal(database, guests)
    hour = timedelta(hours=1)
    assert walk_on(database, limit=2) == Walked(looked=2, more=True)
    assert known(database).walked_at is None
    assert walk_on(database, after=hour, limit=2) == Walked(looked=1)
    assert known(database).walked_at == NOON + hour
    assert walk_on(database, after=EVERY - hour) == Walked()
    assert walk_on(database, after=EVERY, limit=2) == Walked(looked=2, more=True)
    assert known(database).walked_at == NOON + hour


def test_two_workers_do_not_walk_at_once(database: Database, slug: str) -> None:
    with transaction(database) as tx:
        assert walk(tx, now=NOON, limit=50).looked == 1
    with transaction(database) as one, transaction(database) as other:
        assert walk(one, now=NOON + EVERY, limit=50).looked == 1
        assert walk(other, now=NOON + EVERY, limit=50) == Walked()


def test_a_turn_that_comes_between_is_no_disagreement(
    database: Database, guests: list[Guest], slug: str
) -> None:
    with transaction(database) as tx:
        play(database, slug, guests[0])
        # The row was read at the turn before: what the log has beyond it is not looked at.
        say(
            database,
            "INSERT INTO turn SELECT game_id, seq + 1, seat, by, action, events, at FROM turn WHERE seq = 1",
        )
        assert walk(tx, now=NOON, limit=50) == Walked(looked=1)
