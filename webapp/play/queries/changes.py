"""Changes of a dealt game that are not turns: its clock, its stage, its host, and who sits in its seats.

Each expects the game as it was read under its lock, and writes nothing if it has moved on.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import and_, delete, func, insert, select, update

from webapp.accounts.schema import Account
from webapp.kernel.game_status import GameStatus
from webapp.kernel.tx import Tx
from webapp.lobby.schema import Seat, Sitting
from webapp.play.queries.rows import SeatRow
from webapp.play.schema import Game, Turn


class ExpectedPosition(NamedTuple):
    """The position at which a game must still stand."""

    game_id: int
    seq: int
    status: GameStatus


def lock_game(tx: Tx, game_id: int) -> None:
    """Lock a game until the transaction ends."""
    tx.execute(select(Game.id).where(Game.id == game_id).with_for_update())


def change_game(tx: Tx, expected: ExpectedPosition, values: dict[str, Any]) -> bool:
    """Change columns of the game's row; return False if the game has moved on."""
    changed_row = tx.execute(
        update(Game)
        .where(Game.id == expected.game_id, Game.seq == expected.seq)
        .where(Game.status == expected.status)
        .values(values)
    )
    return changed_row.rowcount == 1


def increment_player_changes(tx: Tx, game_ids: Sequence[int]) -> None:
    """Make these locked games refuse turns that were computed with other absences, or with other people in their seats."""
    tx.execute(
        update(Game).where(Game.id.in_(game_ids)).values(player_changes=Game.player_changes + 1)
    )


def change_seat(tx: Tx, game_id: int, number: int, values: dict[str, Any]) -> None:
    tx.execute(update(Seat).where(Seat.game_id == game_id, Seat.number == number).values(values))


def add_sitting(
    tx: Tx,
    game_id: int,
    seat: SeatRow,
    *,
    until: int,
) -> None:
    """Record who had a seat until the turn ``until``."""
    latest_until_seq = (
        select(func.count())
        .select_from(Sitting)
        .where(Sitting.game_id == game_id, Sitting.seat == seat.number)
        .scalar_subquery()
    )
    tx.execute(
        insert(Sitting).values(
            game_id=game_id,
            seat=seat.number,
            number=latest_until_seq + 1,
            account_id=seat.account_id,
            name=seat.bot_name or seat.name or "",
            bot_level=seat.bot_level,
            until_seq=until,
        )
    )


def remove_last_sitting(tx: Tx, game_id: int, seat: int) -> None:
    """Forget the latest former sitting of a seat, whose person has it again."""
    latest_sitting_seq = (
        select(func.max(Sitting.number))
        .where(Sitting.game_id == game_id, Sitting.seat == seat)
        .scalar_subquery()
    )
    tx.execute(
        delete(Sitting).where(
            Sitting.game_id == game_id, Sitting.seat == seat, Sitting.number == latest_sitting_seq
        )
    )


def arrival_seqs(tx: Tx, game_id: int) -> dict[int, int]:
    """Return, for each seat that had someone else before, the turn after which the present player came."""
    rows = tx.execute(
        select(Sitting.seat, func.max(Sitting.until_seq))
        .where(Sitting.game_id == game_id)
        .group_by(Sitting.seat)
    )
    return dict(rows.all())


class FormerSitting(NamedTuple):
    """Who had a seat until a turn, and when that was; only bots have a level."""

    name: str
    bot_level: str | None
    until_seq: int
    until_at: datetime


def sittings_of(tx: Tx, game_id: int) -> dict[int, list[FormerSitting]]:
    """Return who had the seats of a game before, by seat and in order."""
    rows = tx.execute(
        select(Sitting.seat, Sitting.name, Sitting.bot_level, Sitting.until_seq, Turn.at)
        .join(Turn, and_(Turn.game_id == Sitting.game_id, Turn.seq == Sitting.until_seq))
        .where(Sitting.game_id == game_id)
        .order_by(Sitting.seat, Sitting.number)
    )
    sittings: dict[int, list[FormerSitting]] = {}
    for seat, name, level, until_seq, until_at in rows:
        sittings.setdefault(seat, []).append(FormerSitting(name, level, until_seq, until_at))
    return sittings


def has_sat(tx: Tx, game_id: int, account_id: int) -> bool:
    """Return whether this person had a seat of the game before."""
    former_sittings = tx.execute(
        select(Sitting.number)
        .where(Sitting.game_id == game_id, Sitting.account_id == account_id)
        .limit(1)
    )
    return former_sittings.first() is not None


def last_former_player_id(tx: Tx, game_id: int, seat: int) -> int | None:
    """Return the account that had a seat last before the present; None if no one had, or if it was deleted."""
    row = tx.execute(
        select(Sitting.account_id, Account.address)
        .outerjoin(Account, Account.id == Sitting.account_id)
        .where(Sitting.game_id == game_id, Sitting.seat == seat)
        .order_by(Sitting.number.desc())
        .limit(1)
    ).first()
    return None if row is None or row.address is None else row.account_id


def lock_existing_account(tx: Tx, account_id: int) -> bool:
    """Keep an account from being deleted until the transaction ends; return False if it is deleted already."""
    kept_row = tx.execute(
        select(Account.id)
        .where(Account.id == account_id, Account.address.is_not(None))
        .with_for_update(read=True)
    )
    return kept_row.first() is not None
