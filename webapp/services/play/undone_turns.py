"""Which turns a rewind takes back, and the seats that their players would not have lost without them.

A player gets a seat back if strikes of those turns have cost it and no one else has it; any other open seat stays open.
"""

from collections.abc import Sequence

from engine.state import State
from engine.view import awaiting
from webapp.clock.turn import CHOICES_WITHIN_A_TURN, ClockEvent
from webapp.services.play.lost_seats import give_seat_back
from webapp.services.tx import Tx
from webapp.store.clock import undone_turns
from webapp.store.play import games
from webapp.store.play.rows import GameRow


def undone_turns_of(tx: Tx, row: GameRow, to_turn: int, state: State) -> tuple[ClockEvent, ...]:
    """Return how the turns began and ended that a return to ``state``, the position after a turn, takes back."""
    awaited = awaiting(state)
    is_within_turn = awaited is not None and awaited.kind in CHOICES_WITHIN_A_TURN
    return undone_turns.turn_starts_and_ends_since(
        tx.connection, row.id, to_turn, includes_turn_before=is_within_turn
    )


def give_lost_seats_back(tx: Tx, row: GameRow, turns: Sequence[ClockEvent]) -> GameRow:
    """Give the open seats back that their players would not have lost without these turns; return the game as it is then."""
    players_before = row.clock.take_back(turns, now=tx.now).clock.players
    seats = [
        (seat.number, seat.leaver_id)
        for seat, player in zip(row.seats, players_before, strict=True)
        if seat.is_lost and player.strikes < seat.strikes
        if player.strikes < row.late_rules.strikes_until_open
    ]
    for number, leaver_id in seats:
        if leaver_id is not None:
            give_seat_back(tx, row.id, number, leaver_id)
    return games.find_many_to_play(tx.connection, [row.id])[row.id] if seats else row
