"""Absences: for which times people have said to be away."""

from datetime import datetime
from typing import Literal, TypeAlias

import msgspec
from sqlalchemy import delete, func, insert, select, update

from webapp.clock.schema import Absence
from webapp.kernel.game_status import GameStatus
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.lobby.schema import Seat
from webapp.play.schema import Game, has_status

AbsenceKind: TypeAlias = Literal["dates", "holiday"]


class AbsenceRow(Redacted, frozen=True, kw_only=True):
    """An absence that is not over."""

    id: int
    kind: AbsenceKind
    from_at: datetime
    until_at: datetime


class NewAbsence(Redacted, frozen=True, kw_only=True):
    account_id: int
    kind: AbsenceKind
    from_at: datetime
    until_at: datetime
    declared_at: datetime


def lock_games(tx: Tx, account_id: int) -> list[int]:
    """Lock and return all games in which this person sits and that are not over, also those where another player is on turn.

    Only then does no turn begin for the person unnoticed: one that was written before is seen after the lock, and one that
    was only computed before is refused when ``increment_player_changes`` is committed.
    """
    candidates = (
        select(Game.id)
        .join(Seat, Seat.game_id == Game.id)
        .where(Seat.account_id == account_id)
        .where(~has_status(GameStatus.FINISHED, GameStatus.CANCELLED))
    )
    rows = tx.execute(candidates.order_by(Game.id).with_for_update(of=Game))
    return list(rows.scalars())


def pending(tx: Tx, account_id: int) -> tuple[AbsenceRow, ...]:
    """Return the absences of an account that are not over, the earliest first."""
    rows = tx.execute(
        select(Absence.id, Absence.kind, Absence.from_at, Absence.until_at)
        .where(
            Absence.account_id == account_id, Absence.until_at > tx.now, Absence.ended_at.is_(None)
        )
        .order_by(Absence.from_at)
    )
    return tuple(
        AbsenceRow(id=row.id, kind=row.kind, from_at=row.from_at, until_at=row.until_at)
        for row in rows
    )


def count_declared_absences(tx: Tx, account_id: int, *, since: datetime) -> int:
    """Return how many absences the account has declared since an instant."""
    count: int = tx.execute(
        select(func.count())
        .select_from(Absence)
        .where(Absence.account_id == account_id, Absence.declared_at > since)
    ).scalar_one()
    return count


def add(tx: Tx, absence: NewAbsence) -> None:
    tx.execute(insert(Absence).values(msgspec.structs.asdict(absence)))


def move(tx: Tx, absence_id: int, *, from_at: datetime, until_at: datetime) -> None:
    """Give an absence other times."""
    tx.execute(
        update(Absence).where(Absence.id == absence_id).values(from_at=from_at, until_at=until_at)
    )


def end(tx: Tx, absence_id: int, *, at: datetime) -> None:
    """Record that the person is back."""
    tx.execute(update(Absence).where(Absence.id == absence_id).values(ended_at=at))


def withdraw(tx: Tx, absence_id: int) -> None:
    """Delete an absence that has not begun."""
    tx.execute(delete(Absence).where(Absence.id == absence_id))


def delete_old(tx: Tx, before: datetime) -> int:
    """Delete absences that were over before an instant; return how many."""
    return tx.execute(delete(Absence).where(Absence.until_at < before)).rowcount
