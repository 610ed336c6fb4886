from datetime import timedelta

import pytest
from sqlalchemy import insert, select

from engine.game import advance
from engine.view import awaiting, neutral_action
from tests.support.acts import ledger_acts, recipients
from tests.support.calls import sweep_with_calls_sent
from tests.support.factories import DAY, Guest, play_turn, stored_game
from tests.support.late_games import emails_of_kinds, miss_turn, set_late_rules, sweep_at, take_seat
from tests.support.transactions import NOON, pick_first, transaction
from webapp.clock.absences import declare_future_absence, start_holiday
from webapp.clock.local_periods import LocalPeriod
from webapp.clock.schema import Absence, DeadlineEvent
from webapp.kernel.game_status import GameStatus
from webapp.kernel.refusals import NotFound
from webapp.kernel.tx import Database
from webapp.lobby.schema import Sitting


def _events(database: Database, kind: str) -> list[tuple[int, int | None, int | None, str]]:
    query = select(
        DeadlineEvent.turn_seq, DeadlineEvent.seat, DeadlineEvent.account_id, DeadlineEvent.cause
    ).where(DeadlineEvent.kind == kind)
    with transaction(database) as tx:
        return [tuple(row) for row in tx.execute(query)]


def test_missed_turn_is_a_strike_and_its_player_gets_an_email(
    database: Database, guests: list[Guest], slug: str
) -> None:
    miss_turn(database, slug, guests[0])
    row = stored_game(database, slug, guests[0]).row
    assert [seat.strikes for seat in row.seats] == [1, 0, 0]
    emails = emails_of_kinds(database, "turn-missed", "seat-opened")
    assert emails == [("turn-missed", guests[0].person.id, 1)]
    assert row.seats[0].account_id == guests[0].person.id


def test_second_sweep_gives_no_second_strike(
    database: Database, guests: list[Guest], slug: str
) -> None:
    now = miss_turn(database, slug, guests[0])
    sweep_at(database, now)
    assert stored_game(database, slug, guests[0]).row.seats[0].strikes == 1
    assert len(emails_of_kinds(database, "turn-missed")) == 1


def test_late_turn_before_the_sweep_counts_and_is_no_strike(
    database: Database, guests: list[Guest], slug: str
) -> None:
    set_late_rules(database, slug)
    later = NOON + DAY + timedelta(hours=1)
    play_turn(database, slug, guests[0], now=later)
    assert sweep_at(database, later).expired_count == 0
    row = stored_game(database, slug, guests[0]).row
    assert (row.awaiting, row.seats[0].strikes) == (1, 0)
    assert [event[1] for event in _events(database, "late")] == [0]
    assert emails_of_kinds(database, "turn-missed", "seat-opened") == []


def test_turn_missed_in_a_declared_absence_is_excused(
    database: Database, guests: list[Guest], slug: str
) -> None:
    set_late_rules(database, slug)
    absence = {
        "account_id": guests[0].person.id,
        "kind": "dates",
        "from_at": NOON,
        "until_at": NOON + 3 * DAY,
        "declared_at": NOON,
    }
    with transaction(database) as tx:
        tx.execute(insert(Absence).values(absence))
    miss_turn(database, slug, guests[0])
    seat = stored_game(database, slug, guests[0]).row.seats[0]
    assert (seat.strikes, seat.account_id) == (0, guests[0].person.id)
    assert _events(database, "missed") == [(0, 0, guests[0].person.id, "away")]
    assert emails_of_kinds(database, "turn-missed") == [("turn-missed", guests[0].person.id, 0)]


def test_turn_missed_in_an_absence_longer_than_the_table_waits_is_excused(
    database: Database, guests: list[Guest], slug: str
) -> None:
    set_late_rules(database, slug, absence_cap=DAY)
    alice = guests[0].person
    holiday = LocalPeriod(first_day=NOON.date(), last_day=NOON.date() + 9 * DAY)
    with transaction(database) as tx:
        start_holiday(tx, alice, holiday)
    assert sweep_at(database, NOON + 2 * DAY).expired_count == 1
    row = stored_game(database, slug, guests[0]).row
    assert (row.seats[0].strikes, row.seats[0].absence_used) == (0, DAY)
    assert _events(database, "missed") == [(0, 0, alice.id, "away")]


def test_turn_missed_after_an_absence_and_turn_taken_in_one_in_time_are_not_excused(
    database: Database, guests: list[Guest], slug: str
) -> None:
    set_late_rules(database, slug, limit=3)
    alice, tomorrow = guests[0].person, NOON.date() + DAY
    today = LocalPeriod(first_day=NOON.date(), last_day=NOON.date())
    with transaction(database) as tx:
        start_holiday(tx, alice, today)
        declare_future_absence(
            tx, guests[1].person, LocalPeriod(first_day=tomorrow, last_day=tomorrow)
        )
    miss_turn(database, slug, guests[0])
    play_turn(database, slug, guests[1], now=NOON + DAY)
    assert stored_game(database, slug, guests[0]).row.seats[0].strikes == 1
    assert _events(database, "missed") == [(0, 0, alice.id, "")]
    assert _events(database, "played") == [(1, 1, guests[1].person.id, "")]


def test_late_turn_of_an_absent_player_is_excused(
    database: Database, guests: list[Guest], slug: str
) -> None:
    holiday = LocalPeriod(first_day=NOON.date(), last_day=NOON.date() + 3 * DAY)
    with transaction(database) as tx:
        start_holiday(tx, guests[0].person, holiday)
    play_turn(database, slug, guests[0], now=NOON + DAY + timedelta(minutes=1))
    assert _events(database, "late") == [(0, 0, guests[0].person.id, "away")]


def test_seat_opens_with_the_turn_that_is_missed_last(
    database: Database, guests: list[Guest], slug: str
) -> None:
    set_late_rules(database, slug, limit=2)
    leaver = guests[0].person.id
    miss_turn(database, slug, guests[0])
    for guest in guests[1:]:
        play_turn(database, slug, guest, now=NOON + DAY)
    assert stored_game(database, slug, guests[0]).row.seats[0].account_id == leaver
    miss_turn(database, slug, guests[0])
    game = stored_game(database, slug, guests[1])
    assert (game.row.seats[0].is_free, game.row.seats[0].strikes) == (True, 2)
    assert _events(database, "opened") == [(3, 0, leaver, "strikes")]
    with transaction(database) as tx:
        sittings = tx.execute(select(Sitting.seat, Sitting.account_id, Sitting.until_seq)).all()
    assert sittings == [(0, leaver, game.seq)]
    assert ledger_acts(database) == ["open-seat"]
    assert emails_of_kinds(database, "seat-opened") == [("seat-opened", leaver, 0)]
    assert recipients(database) == [guests[1].person.id, guests[2].person.id]


def test_opened_seat_is_played_by_the_clock_without_strikes_and_emails(
    database: Database, guests: list[Guest], slug: str
) -> None:
    set_late_rules(database, slug)
    miss_turn(database, slug, guests[0])
    for guest in guests[1:]:
        play_turn(database, slug, guest, now=NOON + DAY)
    miss_turn(database, slug, guests[1])
    row = stored_game(database, slug, guests[1]).row
    assert (row.awaiting, row.seats[0].strikes) == (1, 1)
    assert len(emails_of_kinds(database, "turn-missed", "seat-opened")) == 1


def test_bot_takes_over_at_once_where_the_table_chose_that(
    database: Database, guests: list[Guest], slug: str
) -> None:
    set_late_rules(database, slug, replacement="bot")
    miss_turn(database, slug, guests[0])
    seat = stored_game(database, slug, guests[1]).row.seats[0]
    assert (seat.is_bot, seat.bot_level, seat.strikes) == (True, "steady", 0)
    assert ledger_acts(database) == ["seat-bot"]
    assert recipients(database) == sorted(guest.person.id for guest in guests)
    with pytest.raises(NotFound):
        take_seat(database, slug, guests[0])


def test_turn_and_opening_are_rolled_back_together(
    database: Database, guests: list[Guest], slug: str
) -> None:
    set_late_rules(database, slug)
    with pytest.raises(RuntimeError), transaction(database) as tx:  # noqa: PT012 - the rollback is the point
        sweep_with_calls_sent(tx, now=NOON + DAY, random_below=pick_first)
        raise RuntimeError
    game = stored_game(database, slug, guests[0])
    assert (game.seq, game.row.seats[0].strikes) == (0, 0)
    assert game.row.seats[0].account_id == guests[0].person.id
    assert emails_of_kinds(database, "seat-opened", "moderator-act") == []


def test_turn_that_ends_the_game_opens_no_seat(
    database: Database, guests: list[Guest], slug: str
) -> None:
    while (row := stored_game(database, slug, guests[0]).row).deadline_at is not None:
        # Every turn but the last is without consequences.
        is_last = _is_last_turn(database, slug, guests[0])
        set_late_rules(database, slug, limit=1 if is_last else 0)
        sweep_at(database, row.deadline_at)
    assert row.status == GameStatus.FINISHED
    assert not any(seat.is_free for seat in row.seats)
    assert emails_of_kinds(database, "seat-opened") == []


def _is_last_turn(database: Database, slug: str, guest: Guest) -> bool:
    game = stored_game(database, slug, guest)
    assert game.row.awaiting is not None
    action = neutral_action(game.view(game.row.awaiting), pick_first)
    state, _ = advance(game.state, game.row.awaiting, action, game.chance())
    return awaiting(state) is None
