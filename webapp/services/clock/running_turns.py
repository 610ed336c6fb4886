"""The running turns of a person whose absences change: their deadlines move with them, in the same transaction."""

from collections.abc import Iterator
from contextlib import contextmanager

from webapp.clock.turn import Clock
from webapp.pace.calendar import Interval
from webapp.services.accounts.person import Person
from webapp.services.play.clock_changes import account_on_turn, turn_email
from webapp.services.tx import Tx
from webapp.store.clock import absences
from webapp.store.notifications import outbox
from webapp.store.play import changes, clocks, games
from webapp.store.play.clocks import ClockUpdate
from webapp.store.play.rows import GameRow


@contextmanager
def moving_deadlines(tx: Tx, person: Person) -> Iterator[None]:
    """Move the deadlines of all turns that wait for the person by what the body changes in their absences.

    Locks all the person's games before anything else, as everyone locks games before an account. As much playing time is left
    as before. A turn that another player is taking at the same time reads the absences again.
    """
    ids = absences.lock_games(tx.connection, person.id)
    rows_before = games.find_many_to_play(tx.connection, ids)
    yield
    changes.increment_player_changes(tx.connection, ids)
    rows_after = games.find_many_to_play(tx.connection, ids)
    rows = [rows_before[game_id] for game_id in ids]
    updates = [
        ClockUpdate(row, row.clock.absences_changed(_absences_in(rows_after[row.id]), now=tx.now))
        for row in rows
        if account_on_turn(row) == person.id
    ]
    clocks.write(tx.connection, *updates)
    for row, change, _ in updates:
        _tell_next_player(tx, row, change.clock)


def _absences_in(row: GameRow) -> tuple[Interval, ...]:
    """Return the absences of the player on turn."""
    player = row.clock.player
    return () if player is None else player.away


def _tell_next_player(tx: Tx, row: GameRow, clock: Clock) -> None:
    """Nudge bots to take the turn of a player who is away now, or call the player who has their turn back from a bot."""
    if clock.is_bot_turn(at=tx.now) and clock.held_turn is None:
        tx.nudges.add("bots")
    elif row.clock.is_bot_turn(at=tx.now) and row.clock.held_turn is None:
        outbox.enqueue(tx.connection, turn_email(row, tx.now))
        tx.nudges.add("emails")
