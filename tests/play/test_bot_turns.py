from datetime import timedelta

import msgspec
import pytest
from sqlalchemy import select, update

from engine.actions import Discard
from engine.view import Awaiting
from tests.support.acts import perform_act
from tests.support.bots import decide
from tests.support.cast import ALICE, BOB
from tests.support.factories import Guest, deal_game, sign_in_guest, stored_game, table_settings
from tests.support.transactions import NOON, pick_first, pick_last, transaction, using
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.lobby.schema import Seat
from webapp.play.bots.bot_turns import (
    CLAIM_DURATION,
    BotTurn,
    claim_bot_turn,
    play_bot_turn,
    release_bot_turn,
)
from webapp.play.bots.thinking_time import (
    MAX_DECISION_TIME,
    THINKING_TIME_WITH_ONE_PERSON,
    USUAL_THINKING_TIME,
    RecentDecisions,
)
from webapp.play.schema import Game, Turn
from webapp.play.turns.turns import is_same_turn

ONE_MILLISECOND = timedelta(milliseconds=1)


@pytest.fixture
def table(database: Database) -> tuple[str, Guest]:
    """Alice and two bots; a bot is on turn."""
    alice = sign_in_guest(database, ALICE)
    return deal_game(database, [alice], table_settings(starter=1)), alice


def _claim(database: Database, after: timedelta = timedelta(0)) -> BotTurn | None:
    with transaction(database, NOON + after) as tx:
        return claim_bot_turn(tx)


def _require_claim(database: Database) -> BotTurn:
    turn = _claim(database)
    assert turn is not None
    return turn


def _play_bot_turn(database: Database, turn: BotTurn, action: Discard | None = None) -> bool:
    with transaction(database) as tx:
        chosen_action = action or decide(turn, pick_first)
        return play_bot_turn(tx, turn, chosen_action)


def _turns(database: Database) -> list[tuple[int | None, str]]:
    with transaction(database) as tx:
        rows = tx.execute(select(Turn.seat, Turn.by).order_by(Turn.seq))
        return [(row[0], row[1]) for row in rows]


def test_claimed_turn_is_left_to_its_worker_until_the_claim_expires(
    database: Database, table: tuple[str, Guest]
) -> None:
    assert _claim(database) is not None
    assert _claim(database) is None
    assert _claim(database, CLAIM_DURATION - ONE_MILLISECOND) is None
    assert _claim(database, CLAIM_DURATION) is not None


def test_turn_that_two_workers_decide_is_played_once(
    database: Database, table: tuple[str, Guest]
) -> None:
    first_claim, second_claim = _require_claim(database), _claim(database, CLAIM_DURATION)
    assert second_claim is not None
    assert _play_bot_turn(database, second_claim)
    assert not _play_bot_turn(database, first_claim)
    assert _turns(database) == [(None, "player"), (1, "bot")]


def test_released_turn_is_found_at_once(database: Database, table: tuple[str, Guest]) -> None:
    turn = _require_claim(database)
    with transaction(database) as tx:
        release_bot_turn(tx, turn)
    assert _claim(database) is not None


def test_releasing_an_old_claim_does_not_touch_a_later_turn(
    database: Database, table: tuple[str, Guest]
) -> None:
    slug, alice = table
    first_claim = _require_claim(database)
    assert _play_bot_turn(database, first_claim)
    earlier_wake_at = _require_claim(database) and stored_game(database, slug, alice).row.wake_at
    with transaction(database) as tx:
        release_bot_turn(tx, first_claim)
    assert stored_game(database, slug, alice).row.wake_at == earlier_wake_at


@pytest.mark.parametrize("act", [GameRight.PAUSE, GameRight.CANCEL_GAME])
def test_answer_to_a_game_that_no_longer_runs_is_dropped(
    database: Database, table: tuple[str, Guest], act: GameRight
) -> None:
    turn = _require_claim(database)
    perform_act(database, table[0], act)
    assert not _play_bot_turn(database, turn)
    assert (1, "bot") not in _turns(database)


def test_bot_that_breaks_the_rules_plays_the_neutral_action(
    database: Database, table: tuple[str, Guest], caplog: pytest.LogCaptureFixture
) -> None:
    turn = _require_claim(database)
    foreign_card = next(
        card for card in ("map", "rockfall", "path-tb") if card not in turn.view.hand
    )
    assert _play_bot_turn(database, turn, Discard(card=foreign_card))
    assert _turns(database)[-1] == (1, "bot")
    assert f"The bot in seat 2 of game {table[0]} broke the rules" in caplog.text
    assert foreign_card not in caplog.text


def test_answer_for_a_seat_that_is_not_on_turn_is_dropped_with_a_message(
    database: Database, table: tuple[str, Guest], caplog: pytest.LogCaptureFixture
) -> None:
    turn = _require_claim(database)
    assert not _play_bot_turn(
        database, msgspec.structs.replace(turn, seat=2), Discard(card=turn.view.hand[0])
    )
    assert _turns(database) == [(None, "player")]
    message = f"Game {table[0]} does not wait for the bot in seat 3; its answer is dropped."
    assert message in caplog.text
    assert _play_bot_turn(database, turn)


def test_turn_without_a_decision_is_the_neutral_action(
    database: Database, table: tuple[str, Guest]
) -> None:
    turn = _require_claim(database)
    with transaction(database) as tx:
        assert play_bot_turn(tx, turn, None)
    game = stored_game(database, *table)
    assert game.row.awaiting == 2
    assert game.state.discards


def test_answer_is_due_after_a_thought_from_the_range_of_the_claim(
    database: Database, table: tuple[str, Guest]
) -> None:
    assert _require_claim(database).answer_at == NOON + USUAL_THINKING_TIME.shortest
    decisions = RecentDecisions()
    decisions.add_duration(MAX_DECISION_TIME, level="keen")
    longer_thinking_time = decisions.thinking_time("steady")
    now = NOON + CLAIM_DURATION
    with transaction(database, now) as tx:
        turn = claim_bot_turn(using(tx, random_below=pick_last), decisions=decisions)
    assert turn is not None
    # It has been waiting for long, so that only a whole thought from now on hides how long it takes.
    assert turn.answer_at == now + longer_thinking_time.longest
    assert turn.thinking_time == longer_thinking_time


@pytest.mark.parametrize("people", [1, 2])
def test_bots_answer_soon_where_one_person_plays_with_bots_only(
    database: Database, people: int
) -> None:
    guests = [sign_in_guest(database, address) for address in (ALICE, BOB)[:people]]
    deal_game(database, guests, table_settings(starter=2))
    decisions = RecentDecisions()
    decisions.add_duration(timedelta(0), level="steady")
    with transaction(database) as tx:
        turn = claim_bot_turn(using(tx, random_below=pick_last), decisions=decisions)
    assert turn is not None
    expected_range = THINKING_TIME_WITH_ONE_PERSON if people == 1 else USUAL_THINKING_TIME
    assert turn.thinking_time == expected_range
    assert turn.answer_at == NOON + expected_range.longest


def test_bots_take_their_usual_time_while_a_seat_is_open(
    database: Database, table: tuple[str, Guest]
) -> None:
    decisions = RecentDecisions()
    decisions.add_duration(timedelta(0), level="steady")
    with transaction(database) as tx:
        open_seat = update(Seat).where(Seat.number == 2).values(bot_name=None, bot_level=None)
        tx.execute(open_seat)
        turn = claim_bot_turn(using(tx, random_below=pick_last), decisions=decisions)
    assert turn is not None
    assert turn.thinking_time == USUAL_THINKING_TIME


def test_bot_has_the_level_of_its_seat(database: Database, table: tuple[str, Guest]) -> None:
    assert _require_claim(database).level == "steady"


def test_choice_within_a_bots_turn_is_due_at_once(
    database: Database, table: tuple[str, Guest]
) -> None:
    _require_claim(database)
    row = stored_game(database, *table).row
    assert row.wake_at == NOON + CLAIM_DURATION
    assert is_same_turn(Awaiting(1, "turn"), Awaiting(1, "goal"))
    continued_clock = row.clock.continue_turn(seq=row.seq + 1, now=NOON + ONE_MILLISECOND).clock
    assert continued_clock.wake_at == NOON + ONE_MILLISECOND


def test_broken_game_is_postponed_and_the_next_one_claimed(
    database: Database, table: tuple[str, Guest], caplog: pytest.LogCaptureFixture
) -> None:
    with transaction(database) as tx:
        tx.execute(update(Game).values(state=b"{broken"))
    other = deal_game(database, [table[1]], table_settings(starter=1), now=NOON + ONE_MILLISECOND)
    turn = _claim(database, ONE_MILLISECOND)
    assert turn is not None
    assert turn.slug == other
    assert f"The bot failed in game {table[0]}." in caplog.text


def test_turn_shows_nothing_that_the_bot_knows(
    database: Database, table: tuple[str, Guest]
) -> None:
    assert repr(_require_claim(database)) == "<BotTurn>"
