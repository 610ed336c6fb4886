"""A turn that was read before someone else changed the clock or the seats is computed again: it never brings back old times."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from sqlalchemy import select, update

from engine.actions import Action, Lay
from engine.cells import START_CELL
from engine.mine import Mine
from engine.view import neutral_action
from engine.wire import encode_state
from tests.support.acts import perform_act
from tests.support.calls import sweep_with_calls_sent
from tests.support.factories import DAY, Guest, deal_game, stored_game, table_settings
from tests.support.transactions import NOON, pick_first, transaction
from webapp.clock.schema import DeadlineEvent
from webapp.kernel.refusals import StaleTurn
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.play import access
from webapp.play.queries.rows import GameRow
from webapp.play.schema import Game
from webapp.play.turns.turns import take_turn

HOUR = timedelta(hours=1)
DEADLINE = NOON + DAY
REMIND_AT = NOON + 0.8 * DAY
TUNNEL = {f"{column}5": "path-rl" for column in "BCDEFG"} | {"H5": "path-tl", "H4": "path-rb"}
"""A path card at I4 reaches two goals at once, of which its player chooses one."""
LAST_CARD = Lay("path-trb", "I4", turned=True)


@pytest.fixture
def slug_before_choice(database: Database, guests: list[Guest]) -> str:
    """A game in which Alice can lay a card and then has to choose a goal, all in one turn."""
    slug = deal_game(database, guests, table_settings(rulebook="et-2007"))
    game = stored_game(database, slug, guests[0])
    mine = Mine(
        continue_path=game.state.mine.continue_path,
        build_from_goal_alone=game.state.mine.build_from_goal_alone,
        laid={START_CELL: "start"} | TUNNEL,
    )
    hands = ((LAST_CARD.card,), *game.state.hands[1:])
    state = msgspec.structs.replace(game.state, mine=mine, hands=hands)
    with transaction(database) as tx:
        statement = update(Game).where(Game.id == game.row.id)
        tx.execute(statement.values(state=encode_state(state)))
    return slug


def play_while(
    database: Database,
    slug: str,
    guest: Guest,
    change: Callable[[], object],
    *,
    action: Action | None = None,
    at: Any = NOON + HOUR,
) -> None:
    """Take a guest's turn, which another connection's change overtakes between its reading and its writing."""
    with transaction(database, at) as tx:
        loaded_game = access.game_for(tx, slug, guest.cookie, mode="play")
        game = loaded_game.game
        assert loaded_game.seat is not None
        change()
        action = action or neutral_action(game.view(loaded_game.seat), pick_first)
        take_turn(tx, loaded_game, action, seq=game.seq, by="player")


def row_of(database: Database, slug: str, guests: list[Guest]) -> GameRow:
    return stored_game(database, slug, guests[1]).row


def event_kinds(database: Database) -> list[str]:
    with transaction(database) as tx:
        query = select(DeadlineEvent.kind).order_by(DeadlineEvent.id)
        return list(tx.connection.scalars(query))


def sweep_at(database: Database, at: Any) -> None:
    with transaction(database) as tx:
        sweep_with_calls_sent(tx, now=at, random_below=pick_first)


def test_turn_that_continues_keeps_a_deadline_that_was_extended_meanwhile(
    database: Database, guests: list[Guest], slug_before_choice: str
) -> None:
    def extend() -> None:
        perform_act(database, slug_before_choice, GameRight.EXTEND, extra=DAY, now=NOON)

    play_while(database, slug_before_choice, guests[0], extend, action=LAST_CARD)
    row = row_of(database, slug_before_choice, guests)
    assert (row.awaiting, row.turn_seq, row.seq) == (0, 0, 1)
    assert row.deadline_at == DEADLINE + DAY
    assert row.remind_at == row.wake_at == REMIND_AT + DAY


def test_turn_that_continues_is_not_reminded_of_again(
    database: Database, guests: list[Guest], slug_before_choice: str
) -> None:
    def remind() -> None:
        sweep_at(database, REMIND_AT)

    play_while(
        database, slug_before_choice, guests[0], remind, action=LAST_CARD, at=REMIND_AT + HOUR
    )
    sweep_at(database, REMIND_AT + 2 * HOUR)
    assert event_kinds(database) == ["started", "reminded"]
    assert row_of(database, slug_before_choice, guests).wake_at == DEADLINE


def test_turn_counts_as_in_time_by_a_deadline_that_was_extended_meanwhile(
    database: Database, guests: list[Guest], slug: str
) -> None:
    def extend() -> None:
        perform_act(database, slug, GameRight.EXTEND, extra=DAY, now=DEADLINE - HOUR)

    play_while(database, slug, guests[0], extend, at=DEADLINE + HOUR)
    assert event_kinds(database) == ["started", "extended", "played", "started"]


def test_player_whose_seat_is_opened_meanwhile_does_not_play(
    database: Database, guests: list[Guest], slug: str
) -> None:
    def open_seat() -> None:
        perform_act(database, slug, GameRight.OPEN_SEAT, seat=0)

    with pytest.raises(StaleTurn):
        play_while(database, slug, guests[0], open_seat)
    row = row_of(database, slug, guests)
    assert (row.seq, row.seats[0].account_id, row.wake_at) == (0, None, DEADLINE)


def test_next_seat_that_is_opened_meanwhile_has_no_reminder(
    database: Database, guests: list[Guest], slug: str
) -> None:
    def open_seat() -> None:
        perform_act(database, slug, GameRight.OPEN_SEAT, seat=1)

    play_while(database, slug, guests[0], open_seat)
    row = stored_game(database, slug, guests[0]).row
    assert (row.awaiting, row.wake_at) == (1, DEADLINE + HOUR)


def test_open_seat_that_is_due_for_a_reminder_is_due_again_at_its_deadline(
    database: Database, guests: list[Guest], slug: str
) -> None:
    perform_act(database, slug, GameRight.OPEN_SEAT, seat=0)
    with transaction(database) as tx:
        tx.execute(update(Game).values(wake_at=REMIND_AT))
    sweep_at(database, REMIND_AT)
    assert row_of(database, slug, guests).wake_at == DEADLINE
    assert event_kinds(database) == ["started"]
