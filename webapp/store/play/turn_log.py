"""The log of a game, read."""

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

from engine.record import TurnSource
from webapp.store.play.turns import TurnRow
from webapp.store.schema.play import Turn
from webapp.store.statements import Statement, array_rows

SOURCES_PLAYED_IN_PERSON: Final[frozenset[TurnSource]] = frozenset({"player", "mail"})
"""How turns are played by a player who sees the game at that moment."""
_MAX_RECENT_TURNS: Final = 120
"""Recent turns read at once; after a longer absence players use the history page."""


class TurnsWanted(msgspec.Struct, frozen=True):
    """The turns to read of a game: all since the seat's player last played in person, and all after ``after_seq``."""

    game_id: int
    seat: int | None
    after_seq: int


def recent_turns(
    connection: Connection, turns_wanted: Sequence[TurnsWanted]
) -> list[list[TurnRow]]:
    """Return the wanted turns of each game, oldest first."""
    found: list[list[TurnRow]] = [[] for _ in turns_wanted]
    rows = _RECENT_TURNS_STATEMENT.run(
        connection,
        numbers=list(range(len(turns_wanted))),
        ids=[one.game_id for one in turns_wanted],
        seats=[one.seat for one in turns_wanted],
        after_seqs=[one.after_seq for one in turns_wanted],
    )
    for number, seq, seat, by, action, events, at in rows:
        found[number].append(
            TurnRow(seq=seq, seat=seat, by=by, action=action, events=events, at=at)
        )
    return [turns[::-1] for turns in found]


def all_turns(connection: Connection, game_id: int) -> list[TurnRow]:
    """Return the whole log, beginning with the first deal."""
    rows = _ALL_TURNS_STATEMENT.run(connection, game_id=game_id)
    return [
        TurnRow(seq=seq, seat=seat, by=by, action=action, events=events, at=at)
        for seq, seat, by, action, events, at in rows
    ]


_TURN_COLUMNS = (Turn.seq, Turn.seat, Turn.by, Turn.action, Turn.events, Turn.at)


def _turns_of(turns_wanted: TableValuedAlias) -> LateralFromClause:
    after_seq = func.least(
        turns_wanted.c.after_seqs, func.coalesce(_last_own_turn_seq(turns_wanted), -1)
    )
    return (
        select(*_TURN_COLUMNS)
        .where(Turn.game_id == turns_wanted.c.ids, Turn.seq > after_seq)
        .order_by(Turn.seq.desc())
        .limit(_MAX_RECENT_TURNS)
        .lateral("recent")
    )


def _last_own_turn_seq(turns_wanted: TableValuedAlias) -> ColumnElement[int | None]:
    own_turn = aliased(Turn, name="own")
    return (
        select(own_turn.seq)
        .where(own_turn.game_id == turns_wanted.c.ids, own_turn.seat == turns_wanted.c.seats)
        .where(or_(*(own_turn.by == by for by in sorted(SOURCES_PLAYED_IN_PERSON))))
        .order_by(own_turn.seq.desc())
        .limit(1)
        .correlate(turns_wanted)
        .scalar_subquery()
    )


def _recent_statement() -> Statement:
    turns_wanted = array_rows(
        numbers=Integer(), ids=BigInteger(), seats=SmallInteger(), after_seqs=BigInteger()
    )
    found = _turns_of(turns_wanted)
    joined = turns_wanted.join(found, true())
    return Statement(
        select(turns_wanted.c.numbers, *found.c)
        .select_from(joined)
        .order_by(turns_wanted.c.numbers, found.c.seq.desc())
    )


_RECENT_TURNS_STATEMENT = _recent_statement()
_ALL_TURNS_STATEMENT = Statement(
    select(*_TURN_COLUMNS)
    .where(Turn.game_id == bindparam("game_id", type_=BigInteger))
    .order_by(Turn.seq)
)
