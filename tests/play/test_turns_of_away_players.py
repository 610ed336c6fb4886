"""Where a table has chosen that, a bot takes the turns of players who are away, and hands them back when they return."""

from datetime import datetime, time, timedelta

import pytest
from sqlalchemy import insert, select, update

from tests.clock.test_running_turns import deal, period_of_day, row_of
from tests.play.test_turn_events import events_of
from tests.support.acts import perform_act
from tests.support.bots import decide
from tests.support.factories import DAY, Guest, play_turn
from tests.support.held_turns import enable_held_turns, hold_turn, withdraw_held_turn
from tests.support.transactions import NOON, pick_first, transaction
from webapp.clock.absences import declare_future_absence, end_absence, own_absences, start_holiday
from webapp.clock.local_periods import LocalPeriod
from webapp.clock.pace.pace import LateRules
from webapp.clock.queries.reliability import Reliability
from webapp.clock.reliability import reliability_of
from webapp.clock.schema import Absence
from webapp.clock.sweep import sweep
from webapp.kernel.bot_levels import USUAL_LEVEL
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.mail.schema import Notification
from webapp.play.bots.bot_turns import BotTurn, claim_bot_turn, play_bot_turn
from webapp.play.bots.thinking_time import USUAL_THINKING_TIME
from webapp.play.schema import Game, Turn

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
TODAY = NOON.date()
BOT_RULES = LateRules(absence="bot", strikes_until_open=1)


@pytest.fixture
def slug_with_bots(database: Database, guests: list[Guest]) -> str:
    """A game of three people at a table where bots play for those who are away; Alice is on turn."""
    return deal(database, guests, BOT_RULES)


def go_away(database: Database, guest: Guest, now: datetime = NOON, days: int = 4) -> None:
    with transaction(database, now) as tx:
        period = LocalPeriod(first_day=TODAY, last_day=TODAY + days * DAY)
        start_holiday(tx, guest.person, period)


def come_back(database: Database, guest: Guest, now: datetime) -> None:
    with transaction(database, now) as tx:
        [absence] = own_absences(tx, guest.person)
        end_absence(tx, guest.person, absence.id)


def claim(database: Database, now: datetime) -> BotTurn | None:
    with transaction(database, now) as tx:
        return claim_bot_turn(tx)


def play_claim(database: Database, turn: BotTurn | None, now: datetime) -> bool:
    assert turn is not None
    with transaction(database, now) as tx:
        return play_bot_turn(tx, turn, decide(turn, pick_first))


def sweep_at(database: Database, now: datetime) -> int:
    with transaction(database, now) as tx:
        return sweep(tx).expired_count


def who_played_each_turn(database: Database) -> list[str]:
    with transaction(database) as tx:
        return list(tx.connection.scalars(select(Turn.by).order_by(Turn.seq)))


def call_count(database: Database, guest: Guest) -> int:
    with transaction(database) as tx:
        query = select(Notification.id).where(
            Notification.kind == "your-turn", Notification.account_id == guest.person.id
        )
        return len(list(tx.connection.scalars(query)))


def is_bot_awaited(database: Database) -> bool:
    with transaction(database) as tx:
        return bool(tx.execute(select(Game.awaiting_bot)).scalar_one())


def test_bot_plays_soon_for_a_player_who_is_away(
    database: Database, guests: list[Guest], slug_with_bots: str
) -> None:
    go_away(database, guests[1])
    play_turn(database, slug_with_bots, guests[0], now=NOON + HOUR)
    turn = claim(database, NOON + HOUR)
    assert turn is not None
    assert (turn.seat, turn.level) == (1, USUAL_LEVEL)
    assert turn.answer_at == NOON + HOUR + USUAL_THINKING_TIME.shortest
    assert play_claim(database, turn, NOON + HOUR + MINUTE)
    assert who_played_each_turn(database) == ["player", "player", "away"]
    assert row_of(database, slug_with_bots, guests).awaiting == 2
    assert not is_bot_awaited(database)
    assert call_count(database, guests[1]) == 0


def test_turn_of_a_bot_for_an_away_player_costs_nothing_and_says_why(
    database: Database, guests: list[Guest], slug_with_bots: str
) -> None:
    go_away(database, guests[0])
    assert play_claim(database, claim(database, NOON), NOON + 25 * HOUR)
    ended = events_of(database, slug_with_bots)[1]
    assert (ended.kind, ended.by, ended.cause) == ("played", "bot", "away")
    assert row_of(database, slug_with_bots, guests).seats[0].strikes == 0
    with transaction(database, NOON + 26 * HOUR) as tx:
        record = reliability_of(tx, guests[0].person.id)
    assert record == Reliability()


def test_absence_that_begins_during_a_turn_hands_it_to_a_bot(
    database: Database, guests: list[Guest], slug_with_bots: str
) -> None:
    with transaction(database) as tx:
        declare_future_absence(tx, guests[0].person, period_of_day(TODAY + DAY))
    begins_at = row_of(database, slug_with_bots, guests).wake_at
    assert begins_at == NOON + 10 * HOUR  # Midnight in Riga.
    assert claim(database, NOON + 9 * HOUR) is None
    assert sweep_at(database, begins_at) == 0
    assert is_bot_awaited(database)
    assert play_claim(database, claim(database, begins_at), begins_at)


def test_absence_declared_before_the_turn_begins_hands_it_over_in_time(
    database: Database, guests: list[Guest], slug_with_bots: str
) -> None:
    with transaction(database) as tx:
        declare_future_absence(tx, guests[1].person, period_of_day(TODAY + DAY))
    play_turn(database, slug_with_bots, guests[0], now=NOON + HOUR)
    assert row_of(database, slug_with_bots, guests).wake_at == NOON + 10 * HOUR
    assert not is_bot_awaited(database)


def test_player_who_returns_before_the_bot_has_played_plays_themselves(
    database: Database, guests: list[Guest], slug_with_bots: str
) -> None:
    go_away(database, guests[0])
    turn = claim(database, NOON)
    come_back(database, guests[0], NOON + MINUTE)
    assert not play_claim(database, turn, NOON + 2 * MINUTE)
    assert not is_bot_awaited(database)
    assert row_of(database, slug_with_bots, guests).wake_at == NOON + 0.8 * DAY
    assert call_count(database, guests[0]) == 2
    play_turn(database, slug_with_bots, guests[0], now=NOON + HOUR)
    assert who_played_each_turn(database) == ["player", "player"]


def test_player_may_take_the_turn_that_a_bot_is_thinking_about(
    database: Database, guests: list[Guest], slug_with_bots: str
) -> None:
    go_away(database, guests[0])
    turn = claim(database, NOON)
    play_turn(database, slug_with_bots, guests[0], now=NOON + MINUTE)
    assert not play_claim(database, turn, NOON + 2 * MINUTE)
    assert who_played_each_turn(database) == ["player", "player"]


def test_turn_that_no_bot_has_played_by_the_end_of_the_absence_is_handed_back(
    database: Database, guests: list[Guest], slug_with_bots: str
) -> None:
    go_away(database, guests[0], days=0)
    after_absence = NOON + 11 * HOUR
    assert claim(database, after_absence) is None
    assert not is_bot_awaited(database)
    assert row_of(database, slug_with_bots, guests).wake_at == NOON + 0.8 * DAY
    assert call_count(database, guests[0]) == 2


def test_bot_plays_even_a_turn_whose_time_ran_out_while_its_player_was_away(
    database: Database, guests: list[Guest], slug_with_bots: str
) -> None:
    with transaction(database) as tx:
        values = {
            "account_id": guests[0].person.id,
            "kind": "holiday",
            "from_at": NOON + HOUR,
            "until_at": NOON + 3 * DAY,
            "declared_at": NOON,
        }
        tx.execute(insert(Absence).values(values))
    assert sweep_at(database, NOON + 25 * HOUR) == 0
    assert play_claim(database, claim(database, NOON + 25 * HOUR), NOON + 25 * HOUR)
    assert row_of(database, slug_with_bots, guests).seats[0].strikes == 0


def test_seat_that_opens_while_a_bot_was_to_play_waits_for_its_deadline(
    database: Database, guests: list[Guest], slug_with_bots: str
) -> None:
    go_away(database, guests[0])
    perform_act(database, slug_with_bots, GameRight.OPEN_SEAT, seat=0)
    assert claim(database, NOON + DAY) is None
    assert sweep_at(database, NOON + DAY) == 1


def test_missed_turn_of_an_away_player_is_excused_where_the_clock_runs_on(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal(database, guests, LateRules(absence="neutral", strikes_until_open=1))
    go_away(database, guests[0])
    with transaction(database) as tx:
        tx.execute(update(Notification).values(status="sent", settled_at=NOON))
    assert claim(database, NOON + 23 * HOUR) is None
    assert sweep_at(database, NOON + DAY) == 1
    ended = next(event for event in events_of(database, slug) if event.kind == "missed")
    assert ended.cause == "away"
    seat = row_of(database, slug, guests).seats[0]
    assert (seat.strikes, seat.account_id) == (0, guests[0].person.id)


def test_turn_held_during_an_absence_ends_it_and_no_bot_plays(
    database: Database, slug_with_bots: str, guests: list[Guest]
) -> None:
    alice = enable_held_turns(database, guests[0], minutes=5)
    go_away(database, alice)
    turn = claim(database, NOON + MINUTE)
    hold_turn(database, slug_with_bots, alice, now=NOON + MINUTE)
    assert not play_claim(database, turn, NOON + 2 * MINUTE)
    assert claim(database, NOON + 5 * MINUTE) is None
    sweep_at(database, NOON + 7 * MINUTE)
    row = row_of(database, slug_with_bots, guests)
    assert (row.seq, row.seats[0].away) == (1, None)
    assert who_played_each_turn(database)[-1] == "player"


def test_turn_held_before_an_absence_does_not_end_it(
    database: Database, slug_with_bots: str, guests: list[Guest]
) -> None:
    alice = enable_held_turns(database, guests[0], minutes=5)
    hold_turn(database, slug_with_bots, alice, now=NOON + 57 * MINUTE)
    go_away(database, alice, now=NOON + HOUR)
    sweep_at(database, NOON + HOUR + 3 * MINUTE)
    row = row_of(database, slug_with_bots, guests)
    assert (row.seq, bool(row.seats[0].away)) == (1, True)


def test_bot_plays_for_an_away_player_who_withdraws_a_held_turn(
    database: Database, slug_with_bots: str, guests: list[Guest]
) -> None:
    alice = enable_held_turns(database, guests[0], minutes=5)
    go_away(database, alice)
    hold_turn(database, slug_with_bots, alice, now=NOON + MINUTE)
    withdraw_held_turn(database, slug_with_bots, alice, now=NOON + 2 * MINUTE)
    sweep_at(database, NOON + 2 * MINUTE)
    assert is_bot_awaited(database)


def test_paused_game_of_an_away_player_is_played_by_a_bot_only_once_it_is_resumed(
    database: Database, guests: list[Guest], slug_with_bots: str
) -> None:
    perform_act(database, slug_with_bots, GameRight.PAUSE, now=NOON + HOUR)
    go_away(database, guests[0], now=NOON + 2 * HOUR)
    assert claim(database, NOON + 3 * HOUR) is None
    perform_act(database, slug_with_bots, GameRight.RESUME, now=NOON + 4 * HOUR)
    assert play_claim(database, claim(database, NOON + 4 * HOUR), NOON + 4 * HOUR)


def test_extension_and_reminder_do_not_delay_the_bot_of_an_absence_to_come(
    database: Database, guests: list[Guest], slug_with_bots: str
) -> None:
    with transaction(database) as tx:
        day = TODAY + 2 * DAY
        period = LocalPeriod(first_day=day, first_time=time(12), last_day=day)
        declare_future_absence(tx, guests[0].person, period)
    perform_act(database, slug_with_bots, GameRight.EXTEND, extra=DAY, now=NOON)
    begins_at = NOON + 46 * HOUR  # Noon in Riga.
    row = row_of(database, slug_with_bots, guests)
    assert row.wake_at is not None
    assert row.wake_at == row.remind_at < begins_at
    assert sweep_at(database, row.wake_at) == 0
    assert row_of(database, slug_with_bots, guests).wake_at == begins_at
    sweep_at(database, begins_at)
    assert is_bot_awaited(database)
