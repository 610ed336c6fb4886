"""How the server does: the two figures that tell, the oldest owed letter and the most overdue deadline, and a few counts."""

from datetime import datetime, timedelta
from typing import Final

import msgspec

from webapp.game_status import GameStatus
from webapp.services.play.deadlines import PUSHED_FORWARD
from webapp.services.tx import Tx
from webapp.store.notifications import outbox
from webapp.store.operations import migrate
from webapp.store.operations import totals as counts
from webapp.store.operations.migrate import OLDEST_POSTGRES
from webapp.store.operations.vitals import clock, major_version
from webapp.store.play import deadlines

__all__ = [
    "OLDEST_POSTGRES",
    "Pulse",
    "Totals",
    "Vitals",
    "is_behind",
    "pulse",
    "totals",
    "vitals",
]


class Pulse(msgspec.Struct, frozen=True, kw_only=True):
    """How long things have been waiting; None where nothing waits."""

    oldest_owed_letter: timedelta | None
    most_overdue_deadline: timedelta | None
    most_overdue_bot: timedelta | None


class Totals(msgspec.Struct, frozen=True, kw_only=True):
    """How much there is of everything; every fate and every status is there, with 0 where there is none."""

    turns: int
    letters: dict[str, int]
    games: dict[str, int]


class Vitals(msgspec.Struct, frozen=True, kw_only=True):
    """What the database says of itself."""

    postgres: int
    """The major version."""
    schema: str | None
    is_current: bool
    """Whether the schema is that of this release."""
    clock: datetime


_FATES: Final = ("owed", "sent", "dropped", "dead")


def pulse(tx: Tx, *, now: datetime) -> Pulse:
    """Take the pulse. A deadline in the future is not overdue."""
    # A game that failed is pushed forward by no more than this; it is overdue all the same.
    person, bot = deadlines.most_overdue(tx.connection, awake_by=now + PUSHED_FORWARD)
    return Pulse(
        oldest_owed_letter=_since(outbox.oldest_pending_since(tx.connection), now),
        most_overdue_deadline=_since(person, now),
        most_overdue_bot=_since(bot, now),
    )


def totals(tx: Tx) -> Totals:
    """Count. Reads every letter, so not to be asked for every second."""
    return Totals(
        turns=counts.count_turns(tx.connection),
        letters=dict.fromkeys(_FATES, 0) | counts.letters_by_status(tx.connection),
        games=dict.fromkeys(GameStatus, 0) | counts.games_by_status(tx.connection),
    )


def vitals(tx: Tx) -> Vitals:
    """Ask the database what it is."""
    schema = migrate.revision_at(tx.connection)
    return Vitals(
        postgres=major_version(tx.connection),
        schema=schema,
        is_current=schema == migrate.newest_revision(),
        clock=clock(tx.connection),
    )


def is_behind(tx: Tx) -> bool:
    """Whether the schema is older than this release. A newer one still serves the release before it."""
    return migrate.is_behind_at(tx.connection)


def _since(instant: datetime | None, now: datetime) -> timedelta | None:
    return None if instant is None or instant > now else now - instant
