"""How far the audit has come, and what it found."""

from collections.abc import Collection, Sequence
from datetime import datetime

import msgspec
from sqlalchemy import Connection, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert

from webapp.store.schema.operations import Audit, Inconsistency


class Place(msgspec.Struct, frozen=True):
    """Where the walk stands that began last. ``ended_at`` is the end of the last that came to its end."""

    begun_at: datetime
    ended_at: datetime | None
    position: int
    """The game that was looked at last."""
    repaired: int


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """Something that disagrees in a game."""

    game_id: int
    why: str


def place_of(connection: Connection) -> Place | None:
    """Where the walk stands; None before the first."""
    row = connection.execute(select(*_PLACE)).first()
    return None if row is None else Place(*row)


def lock_place(connection: Connection, *, now: datetime) -> Place | None:
    """Where the walk stands, for who goes on with it; None while somebody else does."""
    row = connection.execute(select(*_PLACE).with_for_update(skip_locked=True)).first()
    if row is not None:
        return Place(*row)
    return _first_place(connection, now) if place_of(connection) is None else None


def _first_place(connection: Connection, now: datetime) -> Place | None:
    fresh = {"id": 1, "begun_at": now, "position": 0, "repaired": 0}
    made = insert(Audit).values(fresh).on_conflict_do_nothing().returning(*_PLACE)
    row = connection.execute(made).first()
    return None if row is None else Place(*row)


def keep_place(connection: Connection, place: Place) -> None:
    connection.execute(update(Audit).values(msgspec.structs.asdict(place)))


def note(
    connection: Connection, ids: Collection[int], found: Sequence[Found], *, now: datetime
) -> None:
    """Remember what disagrees in these games, and forget what was found of them before."""
    connection.execute(delete(Inconsistency).where(Inconsistency.game_id.in_(ids)))
    if found:
        rows = [{"game_id": one.game_id, "why": one.why, "found_at": now} for one in found]
        connection.execute(insert(Inconsistency), rows)


def count_disagreeing(connection: Connection) -> int:
    """The games in which something disagrees."""
    games = select(func.count(Inconsistency.game_id.distinct()))
    return int(connection.execute(games).scalar_one())


_PLACE = (Audit.begun_at, Audit.ended_at, Audit.position, Audit.repaired)
