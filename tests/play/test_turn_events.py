"""The events of deadlines, and the time banks, that turns and acts leave behind."""

from datetime import datetime, time, timedelta
from typing import Any

import pytest
from sqlalchemy import select

from tests.support.acts import perform_act
from tests.support.calls import sweep_with_calls_sent
from tests.support.factories import DAY, Guest, deal_game, play_turn, table_settings
from tests.support.transactions import NOON, pick_first, transaction
from webapp.clock.pace.pace import Pace
from webapp.clock.schema import DeadlineEvent
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.lobby.schema import Seat
from webapp.operations import maintenance
from webapp.play.schema import Game

HOUR = timedelta(hours=1)
PACE_WITH_BANK = Pace(time_per_turn=10 * HOUR, bank=6 * HOUR, refill=HOUR)
OFFICE_HOURS = Pace(
    time_per_turn=10 * HOUR,
    zone="Europe/Riga",
    weekdays=(0, 1, 2, 3, 4),
    opens=time(9),
    closes=time(17),
)


def game_row(database: Database, slug: str) -> Any:
    with transaction(database) as tx:
        return tx.execute(select(Game).where(Game.slug == slug)).one()


def events_of(database: Database, slug: str) -> list[Any]:
    query = select(DeadlineEvent).where(DeadlineEvent.game_id == game_row(database, slug).id)
    with transaction(database) as tx:
        return list(tx.execute(query.order_by(DeadlineEvent.id)))


def kinds_of(database: Database, slug: str) -> list[tuple[str, int | None, str]]:
    return [(event.kind, event.seat, event.by) for event in events_of(database, slug)]


def bank_of(database: Database, slug: str, seat: int) -> timedelta | None:
    query = select(Seat.bank).where(
        Seat.game_id == game_row(database, slug).id, Seat.number == seat
    )
    with transaction(database) as tx:
        return tx.execute(query).scalar_one()


def sweep_at(database: Database, now: datetime) -> None:
    with transaction(database) as tx:
        sweep_with_calls_sent(tx, now=now, random_below=pick_first)


@pytest.fixture
def slug_with_bank(database: Database, guests: list[Guest]) -> str:
    return deal_game(database, guests, table_settings(pace=PACE_WITH_BANK))


def test_turn_in_time_ends_one_clock_and_starts_the_next(
    database: Database, guests: list[Guest], slug: str
) -> None:
    play_turn(database, slug, guests[0], now=NOON + HOUR)

    played_event, started_event = events_of(database, slug)[1:]
    assert (played_event.kind, played_event.turn_seq, played_event.account_id) == (
        "played",
        0,
        guests[0].person.id,
    )
    assert (played_event.at, played_event.deadline_at) == (NOON + HOUR, NOON + DAY)
    assert (started_event.kind, started_event.turn_seq, started_event.account_id) == (
        "started",
        1,
        guests[1].person.id,
    )
    assert started_event.deadline_at == NOON + HOUR + DAY == game_row(database, slug).deadline_at


def test_turn_after_the_deadline_but_before_the_sweep_is_late(
    database: Database, guests: list[Guest], slug: str
) -> None:
    play_turn(database, slug, guests[0], now=NOON + DAY)
    assert kinds_of(database, slug)[1] == ("late", 0, "player")


def test_turn_that_the_clock_plays_is_missed_after_its_reminder(
    database: Database, slug: str
) -> None:
    sweep_at(database, NOON + 0.9 * DAY)
    sweep_at(database, NOON + DAY)
    assert kinds_of(database, slug) == [
        ("started", 0, "player"),
        ("reminded", 0, "clock"),
        ("missed", 0, "clock"),
        ("started", 1, "clock"),
    ]


def test_bot_has_neither_a_deadline_nor_events(database: Database, guests: list[Guest]) -> None:
    slug = deal_game(database, guests[:1], table_settings(seats=3))
    play_turn(database, slug, guests[0], now=NOON + HOUR)
    assert kinds_of(database, slug) == [("started", 0, "player"), ("played", 0, "player")]


def test_acts_and_maintenance_leave_events_with_the_deadline_afterwards(
    database: Database, slug: str
) -> None:
    perform_act(database, slug, GameRight.EXTEND, now=NOON + HOUR, extra=5 * HOUR)
    perform_act(database, slug, GameRight.PAUSE, now=NOON + 2 * HOUR)
    perform_act(database, slug, GameRight.RESUME, now=NOON + 4 * HOUR)
    for change, at in ((maintenance.begin, 5 * HOUR), (maintenance.end, 6 * HOUR)):
        with transaction(database, NOON + at) as tx:
            change(tx)
    with transaction(database, NOON + 6 * HOUR) as tx:
        maintenance.shift_next_games(tx)

    last_events = events_of(database, slug)[1:]
    assert [(event.kind, event.by, event.cause) for event in last_events] == [
        ("extended", "moderator", ""),
        ("paused", "moderator", ""),
        ("resumed", "moderator", ""),
        ("shifted", "server", "maintenance"),
    ]
    assert [event.deadline_at - NOON - DAY for event in last_events] == [
        5 * HOUR,
        5 * HOUR,
        7 * HOUR,
        8 * HOUR,
    ]


def test_rewind_starts_another_clock_and_names_the_cause(
    database: Database, guests: list[Guest], slug: str
) -> None:
    play_turn(database, slug, guests[0], now=NOON + HOUR)
    perform_act(database, slug, GameRight.REWIND, now=NOON + 2 * HOUR, turn=0)

    last_event = events_of(database, slug)[-1]
    assert (last_event.kind, last_event.by, last_event.cause) == ("started", "moderator", "rewind")
    assert "missed" not in {event.kind for event in events_of(database, slug)}


def test_turn_has_the_time_per_turn_and_the_bank(database: Database, slug_with_bank: str) -> None:
    game = game_row(database, slug_with_bank)
    assert game.deadline_at == NOON + 16 * HOUR
    assert game.remind_at == NOON + 16 * HOUR * 0.8


def test_long_turn_takes_from_the_bank_and_every_turn_taken_puts_some_back(
    database: Database, guests: list[Guest], slug_with_bank: str
) -> None:
    play_turn(database, slug_with_bank, guests[0], now=NOON + 14 * HOUR)
    assert bank_of(database, slug_with_bank, 0) == 3 * HOUR
    for number in (1, 2):
        play_turn(database, slug_with_bank, guests[number], now=NOON + 14 * HOUR)
        assert bank_of(database, slug_with_bank, number) is None
    assert game_row(database, slug_with_bank).deadline_at == NOON + 27 * HOUR


def test_missed_turn_empties_the_bank(database: Database, slug_with_bank: str) -> None:
    sweep_at(database, NOON + 16 * HOUR)
    assert bank_of(database, slug_with_bank, 0) == timedelta(0)


def test_extension_and_pause_spare_the_bank(
    database: Database, guests: list[Guest], slug_with_bank: str
) -> None:
    perform_act(database, slug_with_bank, GameRight.EXTEND, now=NOON, extra=5 * HOUR)
    perform_act(database, slug_with_bank, GameRight.PAUSE, now=NOON)
    perform_act(database, slug_with_bank, GameRight.RESUME, now=NOON + DAY)
    play_turn(database, slug_with_bank, guests[0], now=NOON + DAY + 15 * HOUR)
    assert bank_of(database, slug_with_bank, 0) is None


def test_substitute_starts_with_a_full_bank(
    database: Database, guests: list[Guest], slug_with_bank: str
) -> None:
    play_turn(database, slug_with_bank, guests[0], now=NOON + 15 * HOUR)
    perform_act(database, slug_with_bank, GameRight.SEAT_BOT, now=NOON + 16 * HOUR, seat=0)
    assert bank_of(database, slug_with_bank, 0) is None


def test_open_seat_does_not_draw_on_a_bank(database: Database, slug_with_bank: str) -> None:
    perform_act(database, slug_with_bank, GameRight.OPEN_SEAT, now=NOON, seat=1)
    sweep_at(database, NOON + 16 * HOUR)
    assert game_row(database, slug_with_bank).deadline_at == NOON + 26 * HOUR


def test_deadline_lies_in_playing_hours_and_pauses_keep_them(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal_game(database, guests, table_settings(pace=OFFICE_HOURS))
    # Noon in UTC on a Monday is 14:00 in Riga: three hours today, seven tomorrow.
    assert game_row(database, slug).deadline_at == NOON + DAY + 2 * HOUR

    perform_act(database, slug, GameRight.PAUSE, now=NOON + HOUR)
    perform_act(database, slug, GameRight.RESUME, now=NOON + 5 * DAY)
    # Resumed on a Saturday, with nine hours left: eight on Monday, and one on Tuesday.
    assert game_row(database, slug).deadline_at == NOON + 8 * DAY - 4 * HOUR
