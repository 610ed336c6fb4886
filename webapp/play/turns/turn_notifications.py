"""The notifications that a turn causes, and their recipients. Bots get none."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from engine.events import Dealt, Event, GameEnded
from engine.state import State
from webapp.clock.turn import Clock
from webapp.play.lost_seats import is_lost_by_strikes
from webapp.play.queries.rows import GameRow, SeatRow
from webapp.play.queries.turns import NotificationRow


class _Notice(NamedTuple):
    """One kind of email to several seats."""

    kind: str
    dedup_key: int
    recipients: tuple[SeatRow, ...]


def notifications_for(
    seats: tuple[SeatRow, ...],
    *,
    after: State,
    events: Iterable[Event],
    seat_on_turn: int | None,
    now: datetime,
) -> tuple[NotificationRow, ...]:
    """Return the notifications of these events; ``seat_on_turn`` is the seat whose turn began with them, if any did."""
    notices = list(_notices_to_all(seats, after, {type(event) for event in events}))
    if seat_on_turn is not None:
        notices.append(_Notice("your-turn", 0, (seats[seat_on_turn],)))
    return tuple(
        NotificationRow(
            seq=after.seq,
            kind=notice.kind,
            account_id=seat.account_id,
            dedup_key=notice.dedup_key,
            first_due_at=now,
            due_at=now,
        )
        for notice in notices
        for seat in notice.recipients
        if seat.account_id is not None
    )


def notification_of_default(
    row: GameRow, clock: Clock, *, is_over: bool, now: datetime
) -> tuple[NotificationRow, ...]:
    """Return the email to the player on turn in ``row`` for whom the clock has played; none for an open seat.

    Its dedup key is the seat that is open now, or the number of strikes; 0 for an excused turn.
    """
    assert row.awaiting is not None
    seat, strikes = row.seats[row.awaiting], clock.players[row.awaiting].strikes
    if seat.account_id is None:
        return ()
    kind, dedup_key = "turn-missed", strikes if strikes > seat.strikes else 0
    if not is_over and is_lost_by_strikes(row, strikes) and row.late_rules.replacement != "bot":
        kind, dedup_key = "seat-opened", seat.number
    return (
        NotificationRow(
            seq=clock.seq,
            kind=kind,
            account_id=seat.account_id,
            dedup_key=dedup_key,
            first_due_at=now,
            due_at=now,
        ),
    )


def _notices_to_all(
    seats: tuple[SeatRow, ...], after: State, kinds: set[type[Event]]
) -> Iterator[_Notice]:
    """Yield what every player is notified of: the end of the game, or a deal, first or after a round."""
    if GameEnded in kinds:
        yield _Notice("game-over", 0, seats)
    elif Dealt in kinds and after.round == 1:
        yield _Notice("dealt", 0, seats)
    elif Dealt in kinds:
        yield _Notice("round-over", after.round - 1, seats)
