"""The database of a simulated year: a new one, and what is read from it. Games are changed only through the services."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Final, NamedTuple, TypeVar

import msgspec
from sqlalchemy import BigInteger, Select, bindparam, func, literal_column, select
from sqlalchemy.orm import InstrumentedAttribute

from tests.support.transactions import transaction
from webapp.accounts.person import Person
from webapp.accounts.profile import change_profile
from webapp.accounts.queries import accounts
from webapp.clock.schema import DeadlineEvent
from webapp.kernel.game_status import GameStatus
from webapp.kernel.operator_errors import UnsuitableDatabase
from webapp.kernel.schema import Base
from webapp.kernel.statements import Statement
from webapp.kernel.tx import Database, Tx
from webapp.lobby.schema import Seat
from webapp.mail.schema import Notification
from webapp.operations.queries.migrate import upgrade_schema
from webapp.play.schema import Ballot, Game, Vote, has_status

_Row = TypeVar("_Row", bound=NamedTuple)
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


class SimulatedYearRecords(msgspec.Struct, frozen=True, kw_only=True):
    """Everything of a simulated year that its checks read."""

    games: Sequence[RecordedGame]
    events: Sequence[RecordedEvent]
    emails: Sequence[RecordedEmail]
    seats: Sequence[RecordedSeat]
    votes: Sequence[RecordedVote] = ()


@contextmanager
def scratch_database(url: str) -> Iterator[Database]:
    """Upgrade the schema and yield the database. Raises UnsuitableDatabase if it holds games, and Misconfigured."""
    upgrade_schema(url)
    database = Database(url, pool_size=2)
    try:
        with transaction(database) as tx:
            holds_games = tx.execute(select(Game.id).limit(1)).first() is not None
        if holds_games:
            raise UnsuitableDatabase(
                "This database holds games. Use an empty one: a simulated year fills it with its own."
            )
        yield database
    finally:
        database.dispose()


def sign_up(tx: Tx, *, address: str, name: str, zone: str, now: datetime) -> Person:
    """Return the person of a new account, as someone who has signed in and chosen a name."""
    account = accounts.find_or_create(tx.at(now), address, language="en", zone=zone)
    return change_profile(tx, account, name=name, language="en", zone=zone, picks_gold=True)


def due_times(tx: Tx) -> DueTimes:
    """Return when the clock, bots, emails and votes have something to do next."""
    [row] = _DUE_TIMES_STATEMENT.run(tx)
    return DueTimes(*row)


def tables_of(tx: Tx, person: Person) -> Sequence[TableOfPerson]:
    """Return the running games in which this person has a seat, in the order in which they were opened."""
    rows = _TABLES_STATEMENT.run(tx, account_id=person.id)
    return [TableOfPerson(*row) for row in rows]


def games_with_open_seats(tx: Tx) -> Sequence[str]:
    """Return the slugs of running games in which a seat has neither a person nor a bot, in the order in which they were opened."""
    query = (
        select(Game.slug)
        .join_from(Game, Seat, Game.id == Seat.game_id)
        .where(has_status(GameStatus.RUNNING), Seat.account_id.is_(None), Seat.bot_level.is_(None))
        .order_by(Game.id)
    )
    return tx.execute(query).scalars().all()


def open_ballots(tx: Tx, person: Person) -> Sequence[OpenBallot]:
    """Return the votes that wait for the answer of this person, the oldest first."""
    query = (
        select(Game.slug, Vote.id, Vote.kind)
        .join_from(Ballot, Vote, Vote.id == Ballot.vote_id)
        .join(Game, Game.id == Vote.game_id)
        .where(Ballot.account_id == person.id, Ballot.is_yes.is_(None), Vote.ended_at.is_(None))
        .order_by(Vote.id)
    )
    return [OpenBallot(*row) for row in tx.execute(query)]


def records(tx: Tx) -> SimulatedYearRecords:
    """Return everything that the checks read, the oldest first."""
    return SimulatedYearRecords(
        games=_rows(tx, RecordedGame, Game, Game.id),
        events=_rows(tx, RecordedEvent, DeadlineEvent, DeadlineEvent.id),
        emails=_rows(tx, RecordedEmail, Notification, Notification.id),
        seats=_rows(tx, RecordedSeat, Seat, Seat.game_id, Seat.number),
        votes=_rows(tx, RecordedVote, Vote, Vote.id),
    )


def _rows(
    tx: Tx, row_type: type[_Row], table: type[Base], *order: InstrumentedAttribute[int]
) -> Sequence[_Row]:
    """Return every row of a table, with the columns that the fields of ``row_type`` are named after."""
    columns = [getattr(table, name) for name in row_type._fields]
    return [row_type(*row) for row in tx.execute(select(*columns).order_by(*order))]


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


_DUE_TIMES_STATEMENT: Final = Statement(_due_times_query)
_TABLES_STATEMENT: Final = Statement(_tables_query)
