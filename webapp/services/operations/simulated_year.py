"""What the simulation of a year needs beside the services of players: its own accounts, when something is due, and the records.

Only for a scratch database: ``prepare_scratch_database`` refuses one that holds games.
"""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from webapp.operator_errors import UnsuitableDatabase
from webapp.services.accounts.person import Person, person_from
from webapp.services.accounts.profile import change_profile
from webapp.services.tx import Database, Tx, transaction
from webapp.store.operations import migrate, simulated_year
from webapp.store.operations.simulated_year import (
    DueTimes,
    OpenBallot,
    RecordedEmail,
    RecordedEvent,
    RecordedGame,
    RecordedSeat,
    RecordedVote,
    TableOfPerson,
)

__all__ = [
    "DueTimes",
    "OpenBallot",
    "RecordedEmail",
    "RecordedEvent",
    "RecordedGame",
    "RecordedVote",
    "SimulatedYearRecords",
    "TableOfPerson",
    "due_times",
    "games_with_open_seats",
    "open_ballots",
    "prepare_scratch_database",
    "records",
    "sign_up",
    "tables_of",
]


class SimulatedYearRecords(msgspec.Struct, frozen=True, kw_only=True):
    """Everything of a simulated year that its checks read."""

    games: Sequence[RecordedGame]
    events: Sequence[RecordedEvent]
    emails: Sequence[RecordedEmail]
    seats: Sequence[RecordedSeat]
    votes: Sequence[RecordedVote] = ()


def prepare_scratch_database(url: str) -> Database:
    """Upgrade the schema and return the database. Raises UnsuitableDatabase if it holds games, and Misconfigured."""
    migrate.upgrade_schema(url)
    database = Database(url, pool_size=2)
    with transaction(database) as tx:
        holds_games = simulated_year.has_games(tx.connection)
    if holds_games:
        database.dispose()
        raise UnsuitableDatabase(
            "This database holds games. Use an empty one: a simulated year fills it with its own."
        )
    return database


def sign_up(tx: Tx, *, address: str, name: str, zone: str, now: datetime) -> Person:
    """Return the person of a new account, as someone who has signed in and chosen a name."""
    account = simulated_year.create_account(tx.connection, address, zone, now=now)
    return change_profile(
        tx, person_from(account), name=name, language="en", zone=zone, picks_gold=True
    )


def due_times(tx: Tx) -> DueTimes:
    """Return when the clock, bots, emails and votes have something to do next."""
    return simulated_year.due_times(tx.connection)


def tables_of(tx: Tx, person: Person) -> Sequence[TableOfPerson]:
    """Return the running games in which this person has a seat."""
    return simulated_year.tables_of(tx.connection, person.id)


def open_ballots(tx: Tx, person: Person) -> Sequence[OpenBallot]:
    """Return the votes that wait for the answer of this person."""
    return simulated_year.open_ballots(tx.connection, person.id)


def games_with_open_seats(tx: Tx) -> Sequence[str]:
    """Return the slugs of running games in which a seat is open for a substitute."""
    return simulated_year.open_seats(tx.connection)


def records(tx: Tx) -> SimulatedYearRecords:
    """Return everything that the checks of a simulated year read."""
    return SimulatedYearRecords(
        games=simulated_year.recorded_games(tx.connection),
        events=simulated_year.recorded_events(tx.connection),
        emails=simulated_year.recorded_emails(tx.connection),
        seats=simulated_year.recorded_seats(tx.connection),
        votes=simulated_year.recorded_votes(tx.connection),
    )
