"""Tables before the deal: the row of the game, its seats and secrets, and for how long it has waited."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    SQLColumnExpression,
    bindparam,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.dialects import postgresql

from webapp.accounts.schema import Account
from webapp.kernel.game_status import GameStatus
from webapp.kernel.statements import Statement
from webapp.kernel.tx import Tx
from webapp.lobby.schema import Seat, is_alone_with_bots
from webapp.play.schema import Game, GameResult, Secret, has_status


class GameCounts(msgspec.Struct, frozen=True):
    """``current``: games and tables that are not over, in which the person has a seat; ``finished``: in which they had one at the end.

    Games with bots alone do not count as finished: with them anyone could get rid of the limits of newcomers in an hour.
    """

    current: int
    finished: int


def count_games(tx: Tx, account_id: int) -> GameCounts:
    [row] = _COUNT_STATEMENT.run(tx, account_id=account_id)
    return GameCounts(current=row[0], finished=row[1])


def has_room(*, max_of_newcomer: int, max_games: int) -> ColumnElement[bool]:
    """Return the condition that an account may be in another game: up to those it has finished and some, and a limit."""
    own_limit = _finished_count(Account.id) + max_of_newcomer
    return _current_count(Account.id) < func.least(own_limit, max_games)


def _current_count(account_id: SQLColumnExpression[int]) -> ColumnElement[int]:
    is_current = has_status(
        GameStatus.OPEN, GameStatus.READY_CHECK, GameStatus.RUNNING, GameStatus.PAUSED
    )
    return (
        select(func.count())
        .select_from(Seat)
        .join(Game, Game.id == Seat.game_id)
        .where(Seat.account_id == account_id, is_current)
        .correlate(Account)
        .scalar_subquery()
    )


def _finished_count(account_id: SQLColumnExpression[int]) -> ColumnElement[int]:
    return (
        select(func.count())
        .select_from(GameResult)
        .where(GameResult.account_id == account_id)
        .where(~is_alone_with_bots(GameResult.game_id, GameResult.seat))
        .correlate(Account)
        .scalar_subquery()
    )


_account_id = bindparam("account_id", type_=BigInteger)
_COUNT_STATEMENT = Statement(
    lambda: select(_current_count(_account_id), _finished_count(_account_id))
)


_MAX_COUNT: Final = 2**15 - 1
"""The largest number that the columns of counts can hold."""


class NewTable(msgspec.Struct, frozen=True, kw_only=True):
    """A game to be stored. Its repr hides the secrets."""

    slug: str
    host_id: int
    host_name: str
    rulebook: str
    house: dict[str, Any]
    seats: int
    starter: int | None
    allowance: timedelta
    pace: dict[str, Any]
    late_rules: dict[str, Any]
    public: bool
    opened_at: datetime
    secrets: tuple[bytes, bytes, bytes, bytes]
    commitments: str
    thread_id: str
    club_id: int | None = None
    table_name: str = ""

    def __repr__(self) -> str:
        return f"<NewTable {self.slug}>"


class UnansweredTable(NamedTuple):
    """A table whose ready-check has waited for long; ``is_reminded``: those who have not answered were asked again."""

    game_id: int
    is_reminded: bool


def slug_exists(tx: Tx, slug: str) -> bool:
    return tx.execute(select(exists().where(Game.slug == slug))).scalar_one()


def add_table(tx: Tx, table: NewTable) -> int | None:
    """Store a new game with free seats and its secrets; return its id, or None if the slug exists."""
    game_id: int | None = tx.execute(
        postgresql.insert(Game)
        .values(
            slug=table.slug,
            host_id=table.host_id,
            host_name=table.host_name,
            table_name=table.table_name,
            rulebook=table.rulebook,
            house=table.house,
            seat_count=table.seats,
            starter=table.starter,
            allowance=table.allowance,
            pace=table.pace,
            late_rules=table.late_rules,
            public=table.public,
            club_id=table.club_id,
            status=GameStatus.OPEN,
            opened_at=table.opened_at,
            waiting_since=table.opened_at,
            thread_id=table.thread_id,
        )
        .on_conflict_do_nothing(index_elements=[Game.slug])
        .returning(Game.id)
    ).scalar_one_or_none()
    if game_id is None:
        return None
    seats = [{"game_id": game_id, "number": number} for number in range(table.seats)]
    tx.execute(insert(Seat), seats)
    tx.execute(insert(Secret), _secret_row(game_id, table))
    return game_id


def _secret_row(game_id: int, table: NewTable) -> dict[str, Any]:
    gold, round_1, round_2, round_3 = table.secrets
    return {
        "game_id": game_id,
        "gold": gold,
        "round_1": round_1,
        "round_2": round_2,
        "round_3": round_3,
        "commitments": table.commitments,
    }


def count_before_deal(tx: Tx, host_id: int) -> int:
    """Return how many tables of this host have not been dealt."""
    is_before_deal = has_status(GameStatus.OPEN, GameStatus.READY_CHECK)
    return tx.execute(
        select(func.count()).select_from(Game).where(Game.host_id == host_id, is_before_deal)
    ).scalar_one()


def count_opened(tx: Tx, host_id: int, *, since: datetime) -> int:
    """Return how many tables this host has opened since an instant, also those that were cancelled."""
    return tx.execute(
        select(func.count())
        .select_from(Game)
        .where(Game.host_id == host_id, Game.opened_at > since)
    ).scalar_one()


def seat_person(tx: Tx, game_id: int, number: int, *, account_id: int, name: str) -> None:
    """Give a seat to a person, who has this name in the game from now on."""
    _change_seat(tx, game_id, number, account_id=account_id, name=name)


def seat_bots(tx: Tx, game_id: int, bots: Sequence[tuple[int, str]], *, level: str) -> None:
    """Give seats to bots of one level, which are ready at once; ``bots`` are seat numbers and names."""
    for number, name in bots:
        _change_seat(tx, game_id, number, bot_name=name, bot_level=level, is_ready=True)


def free_seat(tx: Tx, game_id: int, number: int) -> None:
    """Let no person and no bot have a seat."""
    no_one: dict[str, object] = dict.fromkeys(("account_id", "name", "bot_name", "bot_level"))
    _change_seat(tx, game_id, number, **no_one, is_ready=False, salt=b"")


def set_ready(tx: Tx, game_id: int, number: int, *, salt: bytes) -> None:
    _change_seat(tx, game_id, number, is_ready=True, salt=salt)


def set_not_ready(tx: Tx, game_id: int, number: int) -> None:
    _change_seat(tx, game_id, number, is_ready=False)


def reset_ready(tx: Tx, game_id: int) -> None:
    """Mark every person as not ready; bots always are."""
    tx.execute(
        update(Seat).where(Seat.game_id == game_id, Seat.bot_name.is_(None)).values(is_ready=False)
    )


def set_status(
    tx: Tx, game_id: int, status: GameStatus, *, ended_at: datetime | None = None
) -> None:
    _change_game(tx, game_id, status=status, ended_at=ended_at)


def begin_ready_check(tx: Tx, game_id: int) -> int:
    """Start a ready-check and return its number, which stops growing at the limit of its column."""
    number: int = tx.execute(
        update(Game)
        .where(Game.id == game_id)
        .values(
            status=GameStatus.READY_CHECK,
            waiting_since=tx.now,
            is_waiting_warned=False,
            ready_check_count=func.least(Game.ready_check_count, _MAX_COUNT - 1) + 1,
        )
        .returning(Game.ready_check_count)
    ).scalar_one()
    return number


def count_removal(tx: Tx, game_id: int) -> None:
    """Count one more removed person, up to the limit of the column."""
    removal_count = func.least(Game.removal_count, _MAX_COUNT - 1) + 1
    _change_game(tx, game_id, removal_count=removal_count)


def set_starter(tx: Tx, game_id: int, starter: int | None) -> None:
    _change_game(tx, game_id, starter=starter)


def save_freeze_record(tx: Tx, game_id: int, record: bytes) -> None:
    _change_game(tx, game_id, freeze_record=record)


def restart_waiting(tx: Tx, game_id: int) -> None:
    """Count the time that a table waits for players from now on, because its seats have changed."""
    _change_game(tx, game_id, waiting_since=tx.now, is_waiting_warned=False)


def mark_waiting_warned(tx: Tx, game_id: int, *, waiting_since: datetime) -> None:
    """Record that the players know that the table closes soon, and since when it counts as waiting."""
    _change_game(tx, game_id, waiting_since=waiting_since, is_waiting_warned=True)


def lock_next_unfilled(
    tx: Tx,
    *,
    warned_before: datetime,
    closed_before: datetime,
    skipped_ids: Collection[int],
) -> tuple[int, bool] | None:
    """Lock an open table that has waited for too long; return its id and whether its players were warned.

    Tables that are locked already are skipped too.
    """
    query = unfilled_query(
        warned_before=warned_before, closed_before=closed_before, skipped_ids=skipped_ids
    )
    row = tx.execute(query.with_for_update(skip_locked=True)).first()
    return None if row is None else (row.id, row.is_waiting_warned)


def unfilled_query(
    *, warned_before: datetime, closed_before: datetime, skipped_ids: Collection[int]
) -> Select[int, bool]:
    """Return the query for the open table that has waited for longest, of those to be warned or closed."""
    is_due = or_(~Game.is_waiting_warned, Game.waiting_since <= closed_before)
    return (
        select(Game.id, Game.is_waiting_warned)
        .where(has_status(GameStatus.OPEN), Game.waiting_since <= warned_before, is_due)
        .where(Game.id.not_in(skipped_ids))
        .order_by(Game.waiting_since)
        .limit(1)
    )


def lock_next_unanswered(
    tx: Tx, *, asked_before: datetime, ended_before: datetime, after_id: int
) -> UnansweredTable | None:
    """Lock the next table after ``after_id`` whose ready-check has waited for too long. Tables that are locked already are skipped."""
    query = unanswered_query(
        asked_before=asked_before, ended_before=ended_before, after_id=after_id
    )
    row = tx.execute(query.with_for_update(skip_locked=True)).first()
    return None if row is None else UnansweredTable(*row)


def unanswered_query(
    *, asked_before: datetime, ended_before: datetime, after_id: int
) -> Select[int, bool]:
    """Return the query for the next table whose players are to be asked again, or whose ready-check ends."""
    is_due = or_(~Game.is_waiting_warned, Game.waiting_since <= ended_before)
    return (
        select(Game.id, Game.is_waiting_warned)
        .where(has_status(GameStatus.READY_CHECK), Game.waiting_since <= asked_before, is_due)
        .where(Game.id > after_id)
        .order_by(Game.id)
        .limit(1)
    )


def _change_seat(tx: Tx, game_id: int, number: int, **values: object) -> None:
    tx.execute(update(Seat).where(Seat.game_id == game_id, Seat.number == number).values(values))


def _change_game(tx: Tx, game_id: int, **values: object) -> None:
    tx.execute(update(Game).where(Game.id == game_id).values(values))
