"""What the simulation of a year reads from its own database; it changes games only through the services."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import BigInteger, Connection, Select, bindparam, func, literal_column, select

from webapp.game_status import GameStatus
from webapp.store.accounts import accounts
from webapp.store.play.rows import AccountRow
from webapp.store.schema.clock import DeadlineEvent
from webapp.store.schema.lobby import Seat
from webapp.store.schema.notifications import Notification
from webapp.store.schema.play import Game, has_status
from webapp.store.schema.votes import Ballot, Vote
from webapp.store.statements import Statement

_UNFINISHED: Final = tuple(status for status in GameStatus if not status.is_over)


class DueTimes(NamedTuple):
    """When the clock, bots, emails and votes have something to do next."""

    clock_at: datetime | None
    bots_at: datetime | None
    emails_at: datetime | None
    votes_at: datetime | None
    unfinished_games: int


class TableOfPerson(NamedTuple):
    """A running game in which a person has a seat."""

    slug: str
    waits_for_person: bool
    """Whether it waits for this person."""
    turn_started_at: datetime | None


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
    by: str


class RecordedVote(NamedTuple):
    """How a vote of players ended; None if it is open."""

    kind: str
    outcome: str | None


class OpenBallot(NamedTuple):
    """A vote that a person can answer."""

    slug: str
    vote_id: int
    kind: str


class RecordedEmail(NamedTuple):
    """One row of the outbox."""

    id: int
    kind: str
    game_id: int | None
    seq: int | None
    account_id: int | None
    status: str
    dedup_key: int
    first_due_at: datetime


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
    return DueTimes(*_DUE_TIMES_STATEMENT.run(connection).one())


def tables_of(connection: Connection, account_id: int) -> Sequence[TableOfPerson]:
    """Return the running games in which a person has a seat, in the order in which they were opened."""
    rows = _TABLES_STATEMENT.run(connection, account_id=account_id)
    return [TableOfPerson(*row) for row in rows]


def open_seats(connection: Connection) -> Sequence[str]:
    """Return the slugs of running games in which a seat has neither a person nor a bot, in the order in which they were opened."""
    return connection.execute(_OPEN_SEATS_STATEMENT).scalars().all()


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


def open_ballots(connection: Connection, account_id: int) -> Sequence[OpenBallot]:
    """Return the votes that wait for the answer of a person, the oldest first."""
    query = (
        select(Game.slug, Vote.id, Vote.kind)
        .join_from(Ballot, Vote, Vote.id == Ballot.vote_id)
        .join(Game, Game.id == Vote.game_id)
        .where(Ballot.account_id == account_id, Ballot.is_yes.is_(None), Vote.ended_at.is_(None))
        .order_by(Vote.id)
    )
    return [OpenBallot(*row) for row in connection.execute(query)]


def recorded_votes(connection: Connection) -> Sequence[RecordedVote]:
    """Return all votes, the oldest first."""
    query = select(Vote.kind, Vote.outcome).order_by(Vote.id)
    return [RecordedVote(*row) for row in connection.execute(query)]


def recorded_seats(connection: Connection) -> Sequence[RecordedSeat]:
    """Return every seat by game and number."""
    columns = (Seat.game_id, Seat.number, Seat.account_id, Seat.strikes)
    query = select(*columns).order_by(Seat.game_id, Seat.number)
    return [RecordedSeat(*row) for row in connection.execute(query)]


def _due_times_query() -> Select[*tuple[Any, ...]]:
    """Return the columns of ``DueTimes``; each is read from an index."""
    is_running, is_bot = has_status(GameStatus.RUNNING), Game.awaiting_bot
    is_person = is_bot == literal_column("false")
    email_at = func.greatest(Notification.due_at, Notification.lease_until)
    is_pending = Notification.status == literal_column("'pending'")
    open_vote_end = select(func.min(Vote.expires_at)).where(Vote.ended_at.is_(None))
    pause_end = select(func.min(Vote.pause_ends_at)).where(Vote.pause_ends_at.is_not(None))
    unfinished_games = select(func.count()).where(has_status(*_UNFINISHED)).select_from(Game)
    return select(
        select(func.min(Game.wake_at)).where(is_running, is_person).scalar_subquery(),
        select(func.min(Game.wake_at)).where(is_running, is_bot).scalar_subquery(),
        select(func.min(email_at)).where(is_pending).scalar_subquery(),
        func.least(open_vote_end.scalar_subquery(), pause_end.scalar_subquery()),
        unfinished_games.scalar_subquery(),
    )


def _tables_query() -> Select[*tuple[Any, ...]]:
    """Return the columns of ``TableOfPerson``."""
    waits_for_person = (Game.awaiting == Seat.number).is_(True)
    return (
        select(Game.slug, waits_for_person, Game.turn_started_at)
        .join_from(Seat, Game, Game.id == Seat.game_id)
        .where(Seat.account_id == bindparam("account_id", type_=BigInteger))
        .where(has_status(GameStatus.RUNNING))
        .order_by(Game.id)
    )


_OPEN_SEATS_STATEMENT: Final = (
    select(Game.slug)
    .join_from(Game, Seat, Game.id == Seat.game_id)
    .where(has_status(GameStatus.RUNNING), Seat.account_id.is_(None), Seat.bot_level.is_(None))
    .order_by(Game.id)
)
_DUE_TIMES_STATEMENT: Final = Statement(_due_times_query())
_TABLES_STATEMENT: Final = Statement(_tables_query())
