"""What the simulation of a year reads from its own database; it changes games only through the services."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

from sqlalchemy import Connection, func, select

from webapp.game_status import GameStatus
from webapp.store.accounts import accounts
from webapp.store.play.rows import AccountRow
from webapp.store.schema.clock import DeadlineEvent
from webapp.store.schema.lobby import Seat
from webapp.store.schema.notifications import Notification
from webapp.store.schema.play import Game

_UNFINISHED: Final = tuple(status for status in GameStatus if not status.is_over)


class DueTimes(NamedTuple):
    """When the clock, bots and emails have something to do next."""

    clock_at: datetime | None
    bots_at: datetime | None
    emails_at: datetime | None
    unfinished_games: int


class RecordedGame(NamedTuple):
    """How a game went, as its row has it."""

    id: int
    slug: str
    status: str
    ended_at: datetime | None
    turn_seq: int
    deadline_at: datetime | None


class RecordedEvent(NamedTuple):
    """One event of a deadline."""

    game_id: int
    turn_seq: int
    at: datetime
    kind: str
    seat: int | None
    account_id: int | None
    deadline_at: datetime | None
    cause: str


class RecordedEmail(NamedTuple):
    """One row of the outbox."""

    id: int
    kind: str
    game_id: int | None
    seq: int | None
    account_id: int | None
    status: str
    dedup_key: int


class RecordedSeat(NamedTuple):
    """One seat as it is now."""

    game_id: int
    number: int
    account_id: int | None
    strikes: int


def has_games(connection: Connection) -> bool:
    """Return whether the database holds any game."""
    return connection.execute(select(Game.id).limit(1)).first() is not None


def create_account(connection: Connection, address: str, zone: str, *, now: datetime) -> AccountRow:
    """Return a new account without a name."""
    return accounts.find_or_create(connection, address, language="en", zone=zone, now=now)


def due_times(connection: Connection) -> DueTimes:
    """Return when there is something to do next."""
    is_running = Game.status == GameStatus.RUNNING
    email_at = func.greatest(Notification.due_at, Notification.lease_until)
    row = connection.execute(
        select(
            select(func.min(Game.wake_at)).where(is_running, ~Game.awaiting_bot).scalar_subquery(),
            select(func.min(Game.wake_at)).where(is_running, Game.awaiting_bot).scalar_subquery(),
            select(func.min(email_at)).where(Notification.status == "pending").scalar_subquery(),
            select(func.count())
            .where(Game.status.in_(_UNFINISHED))
            .select_from(Game)
            .scalar_subquery(),
        )
    ).one()
    return DueTimes(*row)


def recorded_games(connection: Connection) -> Sequence[RecordedGame]:
    """Return all games, the oldest first."""
    columns = (Game.id, Game.slug, Game.status, Game.ended_at, Game.turn_seq, Game.deadline_at)
    return [RecordedGame(*row) for row in connection.execute(select(*columns).order_by(Game.id))]


def recorded_events(connection: Connection) -> Sequence[RecordedEvent]:
    """Return all events of deadlines in the order in which they were stored."""
    columns = [getattr(DeadlineEvent, name) for name in RecordedEvent._fields]
    query = select(*columns).order_by(DeadlineEvent.id)
    return [RecordedEvent(*row) for row in connection.execute(query)]


def recorded_emails(connection: Connection) -> Sequence[RecordedEmail]:
    """Return the whole outbox, the oldest first."""
    columns = [getattr(Notification, name) for name in RecordedEmail._fields]
    query = select(*columns).order_by(Notification.id)
    return [RecordedEmail(*row) for row in connection.execute(query)]


def recorded_seats(connection: Connection) -> Sequence[RecordedSeat]:
    """Return every seat by game and number."""
    columns = (Seat.game_id, Seat.number, Seat.account_id, Seat.strikes)
    query = select(*columns).order_by(Seat.game_id, Seat.number)
    return [RecordedSeat(*row) for row in connection.execute(query)]
