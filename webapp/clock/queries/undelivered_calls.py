"""Emails that call players to their turns and that no relay accepted, and how often that moved a deadline before."""

from collections.abc import Sequence
from typing import Final

import msgspec
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Executable,
    FromClause,
    Integer,
    ScalarSelect,
    SmallInteger,
    and_,
    case,
    exists,
    func,
    literal_column,
    or_,
    select,
    true,
)
from sqlalchemy.orm import aliased

from webapp.clock.schema import DeadlineEvent
from webapp.kernel.statements import Statement, array_rows
from webapp.kernel.tx import Tx
from webapp.mail.schema import Notification

CALL_KINDS: Final = ("dealt", "your-turn")
"""Emails that say whose turn it is as it begins."""
_INFORMING_KINDS: Final = (*CALL_KINDS, "reminder", "nudge")
_REASONS_OF_PLAYER: Final = ("unsubscribed", "banned")
"""Why a call was dropped because of what its recipient did; it counts as delivered."""


class CalledTurn(msgspec.Struct, frozen=True, kw_only=True):
    """The turn that a game waits for."""

    game_id: int
    turn_seq: int
    seat: int
    account_id: int


class UndeliveredCall(msgspec.Struct, frozen=True):
    """A turn of whose emails the relay has accepted none."""

    game_id: int
    has_failed: bool
    """Whether the relay refused the call for good; otherwise it still waits to be sent."""
    failed_count: int
    """How often the deadlines of this player in this seat were moved because a call had failed."""
    pending_count: int
    """How often in a row they were moved because a call was waiting: since the player's last turn."""


def find_undelivered(tx: Tx, turns: Sequence[CalledTurn]) -> dict[int, UndeliveredCall]:
    """Return the undelivered calls to these turns by game. A turn without a stored call counts as called. One statement."""
    if not turns:
        return {}
    rows = _FIND_STATEMENT.run(
        tx,
        game_ids=[turn.game_id for turn in turns],
        turn_seqs=[turn.turn_seq for turn in turns],
        seats=[turn.seat for turn in turns],
        account_ids=[turn.account_id for turn in turns],
    )
    return {row[0]: UndeliveredCall(*row) for row in rows}


def _find_statement() -> Executable:
    turns = array_rows(
        game_ids=BigInteger(),
        turn_seqs=BigInteger(),
        seats=SmallInteger(),
        account_ids=BigInteger(),
    )
    status = Notification.status
    is_call = _has_kind(CALL_KINDS)
    is_open_call = and_(is_call, status == literal_column("'pending'"))
    was_dropped_by_player = (Notification.reason == reason for reason in _REASONS_OF_PLAYER)
    has_reached_player = or_(
        and_(_has_kind(_INFORMING_KINDS), status == "sent"),
        and_(is_call, status == "dropped", or_(*was_dropped_by_player)),
    )
    is_pending, has_failed = _any(is_open_call), _any(and_(is_call, status == "failed"))
    emails = (
        select(
            is_pending.label("is_pending"),
            has_failed.label("has_failed"),
            _any(has_reached_player).label("has_reached_player"),
        )
        .where(Notification.game_id == turns.c.game_ids, Notification.seq == turns.c.turn_seqs)
        .where(Notification.account_id == turns.c.account_ids)
        .lateral("emails")
    )
    is_undelivered = and_(
        ~emails.c.has_reached_player, or_(emails.c.is_pending, emails.c.has_failed)
    )
    return (
        select(
            turns.c.game_ids,
            ~emails.c.is_pending,
            _moved_deadlines(turns, "failed"),
            _moved_deadlines(turns, "pending"),
        )
        .select_from(turns.join(emails, true()))
        .where(is_undelivered)
    )


def _moved_deadlines(turns: FromClause, cause: str) -> ScalarSelect[int]:
    """Return how often the deadlines of a player in a seat were moved; for waiting calls only since their last turn."""
    event, turn_end = aliased(DeadlineEvent, name="moved"), aliased(DeadlineEvent, name="turn_end")
    is_newer_turn_end = exists().where(
        turn_end.game_id == event.game_id,
        turn_end.seat == event.seat,
        turn_end.account_id == event.account_id,
        turn_end.id > event.id,
        or_(
            turn_end.kind == "played",
            turn_end.kind == "late",
            and_(turn_end.kind == "missed", turn_end.cause != "undelivered"),
        ),
    )
    count = func.count()
    counted = count if cause == "failed" else count.filter(~is_newer_turn_end)
    return (
        select(counted)
        .select_from(event)
        .where(event.game_id == turns.c.game_ids, event.seat == turns.c.seats)
        .where(event.account_id == turns.c.account_ids)
        .where(event.kind == "undelivered", event.cause == cause)
        .scalar_subquery()
    )


def _any(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    one = literal_column("1", Integer)
    return func.count(case((condition, one))) > literal_column("0", Integer)


def _has_kind(kinds: Sequence[str]) -> ColumnElement[bool]:
    return or_(*(Notification.kind == kind for kind in kinds))


_FIND_STATEMENT: Final = Statement(_find_statement)
