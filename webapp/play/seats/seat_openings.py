"""Opening a seat of a dealt game, and giving it back to the person who had it.

What that person has planned or held stays in the game's row, and counts again if they return while it still can; no one else
ever sees it, and it is deleted once someone else has the seat.
"""

from webapp.clock.turn import ClockChange
from webapp.kernel.errors import DenialReason, NotAllowed
from webapp.kernel.game_status import GameStatus
from webapp.kernel.rights import SERVER
from webapp.kernel.tx import Nudge
from webapp.mail.queries import pending_emails
from webapp.mail.queries.outbox import NewNotification
from webapp.play.changes.clock_changes import require_status
from webapp.play.changes.public_change import (
    EMAILS,
    ChangedPlayers,
    ChangeSource,
    ChangeValue,
    EndedSitting,
    PlannedChange,
    PublicChange,
    PublicFacts,
    ReturnedSeat,
    SeatValues,
)
from webapp.play.queries import changes, games
from webapp.play.queries.clocks import ClockUpdate
from webapp.play.seats.seat_changes import seat_in_play


def open_seat(source: ChangeSource, number: int) -> PlannedChange:
    """Take a person's seat away; until someone takes it over, the clock plays its turns."""
    row, seat = source.game.row, seat_in_play(source, number)
    if seat.account_id is None:
        raise NotAllowed(DenialReason.SEAT_IS_OPEN)

    opened_seat = {
        "account_id": None,
        "opened_at": source.tx.now,
        "leaver_id": seat.account_id,
        "is_lost": source.by == SERVER,
    }
    values: list[ChangeValue] = [
        EndedSitting(seat),
        SeatValues(number, opened_seat),
        # Their turn may be on its way, or one after which they would be reminded of the next.
        ChangedPlayers(),
    ]
    if row.awaiting == number:
        values.append(ClockUpdate(row, ClockChange(row.clock.vacate())))
    change = PublicChange(
        seat=seat.number,
        account_id=seat.account_id,
        before=PublicFacts(account_id=seat.account_id),
    )
    return PlannedChange(change=change, values=tuple(values))


def reseat(source: ChangeSource, number: int | None, account_id: int | None) -> PlannedChange:
    """Give an open seat back to the person who had it last. Raises NotAllowed if that is no longer possible."""
    row = source.game.row
    if number is None or account_id is None or not row.seats[number].is_free:
        raise NotAllowed(DenialReason.CANNOT_BE_UNDONE)
    # Someone else may have had the seat since then, and have seen more.
    if changes.last_former_player_id(source.tx, row.id, number) != account_id:
        raise NotAllowed(DenialReason.CANNOT_BE_UNDONE)
    require_status(row, GameStatus.RUNNING, GameStatus.PAUSED)

    change = PublicChange(
        seat=number, account_id=account_id, after=PublicFacts(account_id=account_id)
    )
    return PlannedChange(change=change, values=(ReturnedSeat(number, account_id),))


def call_for_returned_player(source: ChangeSource, account_id: int) -> PlannedChange:
    """Return the clock for the player who has the seat on turn again, and the email that calls them to it.

    They have time to react, and workers look at the game next at a reminder, a held turn or the deadline.
    """
    game_id = source.game.row.id
    row = games.find_many_to_play(source.tx, [game_id])[game_id]
    clock_change = row.clock.reseat(
        by=source.by,
        now=source.tx.now,
        actor_id=source.actor.id,
        since=source.clock.time_shown(source.tx.now),
    )
    # One that was dropped while the seat was open would keep another with its key from being queued.
    was_dropped = pending_emails.was_dropped(
        source.tx, row.id, "your-turn", account_id, row.turn_seq
    )
    call = NewNotification(
        kind="your-turn",
        game_id=row.id,
        seq=row.turn_seq,
        account_id=account_id,
        dedup_key=int(source.tx.now.timestamp()) if was_dropped else 0,
        due_at=source.tx.now,
    )
    bots = frozenset[Nudge]({"bots"} if clock_change.events else ())
    return PlannedChange(
        change=PublicChange(), values=(ClockUpdate(row, clock_change), call), nudges=EMAILS | bots
    )
