"""Signs of life of the parts of the server."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from sqlalchemy import delete, select, text, update
from sqlalchemy.dialects.postgresql import insert

from webapp.kernel.tx import Tx
from webapp.operations import schema as operations
from webapp.operations.schema import Heartbeat

WORKER_PART: Final = "worker"
BEAT_PART: Final = "beat"
BOTS_PART: Final = "bots"
WEB_PART: Final = "web"
SCHEDULE_PART: Final = operations.SCHEDULE_PART


_LAST_SWEEP: Final = select(Heartbeat.at).where(
    Heartbeat.part == SCHEDULE_PART, Heartbeat.instance == ""
)


class LastSeen(NamedTuple):
    """When a part was last seen."""

    part: str
    instance: str
    at: datetime
    clock_ahead: timedelta = timedelta(0)
    """How far its clock is ahead of the database's; negative if it is behind."""
    started_at: datetime | None = None
    """When a worker or a beat was first seen."""


def record(tx: Tx, seen: Sequence[LastSeen]) -> None:
    """Store the newest sign of life of each part; when it was first seen stays as it is."""
    statement = insert(Heartbeat).values([last_seen._asdict() for last_seen in seen])
    tx.execute(
        statement.on_conflict_do_update(
            index_elements=[Heartbeat.part, Heartbeat.instance],
            set_={"at": statement.excluded.at, "clock_ahead": statement.excluded.clock_ahead},
            where=Heartbeat.at < statement.excluded.at,
        )
    )


def record_sweep(tx: Tx, at: datetime) -> None:
    """Store that a worker looked for deadlines then."""
    record(tx, [LastSeen(SCHEDULE_PART, "", at)])


def rewrite(tx: Tx, last_seen: LastSeen) -> None:
    """Store a sign of life whatever is stored, so that the database has to write in any case."""
    statement = insert(Heartbeat).values(last_seen._asdict())
    tx.execute(
        statement.on_conflict_do_update(
            index_elements=[Heartbeat.part, Heartbeat.instance],
            set_={"at": statement.excluded.at},
        )
    )


def limit_waiting(tx: Tx, *, seconds: float) -> None:
    """Let each statement of this transaction fail if it takes longer than this."""
    tx.execute(
        text("SELECT set_config('statement_timeout', :limit, true)"),
        {"limit": f"{seconds * 1000:.0f}ms"},
    )


def use_disk(tx: Tx) -> None:
    """Let the database write a temporary file of a megabyte, which it deletes at once; fail if the disk is full.

    A heartbeat is no proof that it isn't: it replaces a row, which needs no new space.
    """
    for name, value in (("work_mem", "64kB"), ("temp_tablespaces", "")):
        tx.execute(text("SELECT set_config(:name, :value, true)"), {"name": name, "value": value})
    tx.execute(text("SELECT count(*) FROM generate_series(1, 50000)"))


def record_wrong_clock(tx: Tx, *, instance: str, clock_ahead: timedelta) -> None:
    """Store how far the clock of a worker is ahead of the database's, until its next heartbeat."""
    tx.execute(
        update(Heartbeat)
        .where(Heartbeat.part == WORKER_PART, Heartbeat.instance == instance)
        .values(clock_ahead=clock_ahead)
    )


def remove_heartbeat(tx: Tx, *, part: str, instance: str) -> None:
    """Forget a part that has ended properly."""
    tx.execute(delete(Heartbeat).where(Heartbeat.part == part, Heartbeat.instance == instance))


def delete_old(tx: Tx, before: datetime) -> int:
    """Forget parts that have been silent since then, but not the schedule; return how many."""
    is_old = (Heartbeat.at < before, Heartbeat.part != SCHEDULE_PART)
    return tx.execute(delete(Heartbeat).where(*is_old)).rowcount


def last_sweep(tx: Tx) -> datetime | None:
    """Return when a worker last looked for deadlines."""
    return tx.execute(_LAST_SWEEP).scalar()


def set_last_sweep(tx: Tx, at: datetime) -> None:
    """Store that a worker last looked for deadlines then, also if that is earlier than what is stored."""
    tx.execute(
        update(Heartbeat)
        .where(Heartbeat.part == SCHEDULE_PART, Heartbeat.instance == "")
        .values(at=at)
    )


def lock_last_sweep(tx: Tx) -> datetime | None:
    """Return when a worker last looked for deadlines; no other worker reads this until the transaction ends."""
    at: datetime | None = tx.execute(_LAST_SWEEP.with_for_update()).scalar()
    return at


def all_heartbeats(tx: Tx) -> list[LastSeen]:
    """Return the last sign of life of every part, the newest first."""
    columns = [getattr(Heartbeat, name) for name in LastSeen._fields]
    rows = tx.execute(select(*columns).order_by(Heartbeat.at.desc(), Heartbeat.instance))
    return [LastSeen(*row) for row in rows]
