"""The log of a game, read."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Executable,
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

from webapp.clock.turn import SOURCES_PLAYED_IN_PERSON
from webapp.kernel.statements import Statement, array_rows
from webapp.kernel.tx import Tx
from webapp.play.queries.turns import TurnRow
from webapp.play.schema import Turn

_MAX_RECENT_TURNS: Final = 120
"""Recent turns read at once; after a longer absence players use the history page."""


class TurnRequest(msgspec.Struct, frozen=True):
    """The turns to read of a game: the last one that the seat's player played in person, all since, and all after ``after_seq``."""

    game_id: int
    seat: int | None
    after_seq: int


def recent_turns(tx: Tx, turn_requests: Sequence[TurnRequest]) -> list[list[TurnRow]]:
    """Return the wanted turns of each game, oldest first."""
    turns_by_request: list[list[TurnRow]] = [[] for _ in turn_requests]
    rows = _RECENT_TURNS_STATEMENT.run(
        tx,
        numbers=list(range(len(turn_requests))),
        ids=[request.game_id for request in turn_requests],
        seats=[request.seat for request in turn_requests],
        after_seqs=[request.after_seq for request in turn_requests],
    )
    for number, *columns in rows:
        turns_by_request[number].append(_turn_row(columns))
    return [turns[::-1] for turns in turns_by_request]


def all_turns(tx: Tx, game_id: int) -> list[TurnRow]:
    """Return the whole log, beginning with the first deal."""
    rows = _ALL_TURNS_STATEMENT.run(tx, game_id=game_id)
    return list(map(_turn_row, rows))


def heads(tx: Tx, game_id: int) -> list[bytes]:
    """Return the head of the chain after every turn of a game, from the first deal on."""
    return [head for (head,) in _HEADS_STATEMENT.run(tx, game_id=game_id)]


def _turn_row(columns: Sequence[Any]) -> TurnRow:
    seq, seat, by, action, events, head, at = columns
    return TurnRow(seq=seq, seat=seat, by=by, action=action, events=events, head=head, at=at)


_TURN_COLUMNS = (Turn.seq, Turn.seat, Turn.by, Turn.action, Turn.events, Turn.head, Turn.at)


def _turns_of(turn_requests: TableValuedAlias) -> LateralFromClause:
    own_turn_seq = func.coalesce(_last_own_turn_seq(turn_requests), 0)
    after_seq = func.least(turn_requests.c.after_seqs, own_turn_seq - 1)
    return (
        select(*_TURN_COLUMNS)
        .where(Turn.game_id == turn_requests.c.ids, Turn.seq > after_seq)
        .order_by(Turn.seq.desc())
        .limit(_MAX_RECENT_TURNS)
        .lateral("recent")
    )


def _last_own_turn_seq(turn_requests: TableValuedAlias) -> ColumnElement[int | None]:
    own_turn = aliased(Turn, name="own")
    return (
        select(own_turn.seq)
        .where(own_turn.game_id == turn_requests.c.ids, own_turn.seat == turn_requests.c.seats)
        .where(or_(*(own_turn.by == by for by in sorted(SOURCES_PLAYED_IN_PERSON))))
        .order_by(own_turn.seq.desc())
        .limit(1)
        .correlate(turn_requests)
        .scalar_subquery()
    )


def _recent_statement() -> Executable:
    turn_requests = array_rows(
        numbers=Integer(), ids=BigInteger(), seats=SmallInteger(), after_seqs=BigInteger()
    )
    recent_turns_of_games = _turns_of(turn_requests)
    requests_with_turns = turn_requests.join(recent_turns_of_games, true())
    return (
        select(turn_requests.c.numbers, *recent_turns_of_games.c)
        .select_from(requests_with_turns)
        .order_by(turn_requests.c.numbers, recent_turns_of_games.c.seq.desc())
    )


_RECENT_TURNS_STATEMENT = Statement(_recent_statement)
_ALL_TURNS_STATEMENT = Statement(
    lambda: (
        select(*_TURN_COLUMNS)
        .where(Turn.game_id == bindparam("game_id", type_=BigInteger))
        .order_by(Turn.seq)
    )
)
_HEADS_STATEMENT = Statement(
    lambda: (
        select(Turn.head)
        .where(Turn.game_id == bindparam("game_id", type_=BigInteger))
        .order_by(Turn.seq)
    )
)
