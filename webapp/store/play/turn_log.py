"""The log of a game read back."""

from collections.abc import Sequence
from typing import Final

import msgspec
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Integer,
    SmallInteger,
    TableValuedAlias,
    bindparam,
    func,
    or_,
    select,
    true,
)
from sqlalchemy.orm import aliased
from sqlalchemy.sql.selectable import LateralFromClause

from webapp.store.play.turns import TurnRow
from webapp.store.schema.play import Turn
from webapp.store.statements import Statement, given_rows

BY_PERSON: Final = frozenset({"player", "mail"})
"""The ways in which a turn enters while its player looks on."""
_MOST: Final = 120
"""Turns told at once; who was away longer reads the history."""


class Asked(msgspec.Struct, frozen=True):
    """Whose news is asked for: the turns after the seat's person last acted, and those after ``floor`` in any case."""

    game_id: int
    seat: int | None
    floor: int


def news(connection: Connection, asked: Sequence[Asked]) -> list[list[TurnRow]]:
    """For each that asks, the newest turns as far back as asked for, oldest first."""
    found: list[list[TurnRow]] = [[] for _ in asked]
    rows = _NEWS.run(
        connection,
        numbers=list(range(len(asked))),
        ids=[ask.game_id for ask in asked],
        seats=[ask.seat for ask in asked],
        floors=[ask.floor for ask in asked],
    )
    for number, seq, seat, by, action, events, at in rows:
        found[number].append(
            TurnRow(seq=seq, seat=seat, by=by, action=action, events=events, at=at)
        )
    return [turns[::-1] for turns in found]


def all_turns(connection: Connection, game_id: int) -> list[TurnRow]:
    """The whole log, the first deal first."""
    rows = _ALL.run(connection, game_id=game_id)
    return [
        TurnRow(seq=seq, seat=seat, by=by, action=action, events=events, at=at)
        for seq, seat, by, action, events, at in rows
    ]


_COLUMNS = (Turn.seq, Turn.seat, Turn.by, Turn.action, Turn.events, Turn.at)


def _turns_for(asked: TableValuedAlias) -> LateralFromClause:
    since = func.least(asked.c.floors, func.coalesce(_last_own(asked), -1))
    return (
        select(*_COLUMNS)
        .where(Turn.game_id == asked.c.ids, Turn.seq > since)
        .order_by(Turn.seq.desc())
        .limit(_MOST)
        .lateral("news")
    )


def _last_own(asked: TableValuedAlias) -> ColumnElement[int | None]:
    own = aliased(Turn, name="own")
    return (
        select(own.seq)
        .where(own.game_id == asked.c.ids, own.seat == asked.c.seats)
        .where(or_(*(own.by == by for by in sorted(BY_PERSON))))
        .order_by(own.seq.desc())
        .limit(1)
        .correlate(asked)
        .scalar_subquery()
    )


def _news() -> Statement:
    asked = given_rows(
        numbers=Integer(), ids=BigInteger(), seats=SmallInteger(), floors=BigInteger()
    )
    found = _turns_for(asked)
    joined = asked.join(found, true())
    return Statement(
        select(asked.c.numbers, *found.c)
        .select_from(joined)
        .order_by(asked.c.numbers, found.c.seq.desc())
    )


_NEWS = _news()
_ALL = Statement(
    select(*_COLUMNS)
    .where(Turn.game_id == bindparam("game_id", type_=BigInteger))
    .order_by(Turn.seq)
)
