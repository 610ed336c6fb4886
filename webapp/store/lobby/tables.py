"""Tables before the deal: opened, sat down at, made ready, cancelled."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, exists, func, insert, select, update
from sqlalchemy.dialects import postgresql

from webapp.game_status import GameStatus
from webapp.store.schema.lobby import Seat
from webapp.store.schema.play import Game, Secret, has_status

_MOST_CHECKS: Final = 2**15 - 1


class NewTable(msgspec.Struct, frozen=True, kw_only=True):
    """A game as it is opened; holds its secrets, blank in tracebacks."""

    slug: str
    host_id: int
    host_name: str
    rulebook: str
    house: dict[str, Any]
    seats: int
    starter: int | None
    allowance: timedelta
    public: bool
    opened_at: datetime
    secrets: tuple[bytes, bytes, bytes, bytes]
    commitments: str

    def __repr__(self) -> str:
        return f"<NewTable {self.slug}>"


def is_there(connection: Connection, slug: str) -> bool:
    """Whether there is a game of this name."""
    return connection.execute(select(exists().where(Game.slug == slug))).scalar_one()


def open_table(connection: Connection, table: NewTable) -> int | None:
    """Store a new game with its free seats and its secrets; its id, or None where there is one of its name."""
    game_id: int | None = connection.execute(
        postgresql.insert(Game)
        .values(
            slug=table.slug,
            host_id=table.host_id,
            host_name=table.host_name,
            rulebook=table.rulebook,
            house=table.house,
            seats=table.seats,
            starter=table.starter,
            allowance=table.allowance,
            public=table.public,
            status=GameStatus.OPEN,
            opened_at=table.opened_at,
        )
        .on_conflict_do_nothing(index_elements=[Game.slug])
        .returning(Game.id)
    ).scalar_one_or_none()
    if game_id is None:
        return None
    seats = [{"game_id": game_id, "number": number} for number in range(table.seats)]
    connection.execute(insert(Seat), seats)
    connection.execute(insert(Secret), _secret_row(game_id, table))
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


def count_open(connection: Connection, host_id: int) -> int:
    """How many tables of this host have not begun."""
    waiting = has_status(GameStatus.OPEN, GameStatus.READY_CHECK)
    return connection.execute(
        select(func.count()).select_from(Game).where(Game.host_id == host_id, waiting)
    ).scalar_one()


def seat_person(
    connection: Connection,
    game_id: int,
    number: int,
    *,
    account_id: int,
    name: str,
    now: datetime,
) -> None:
    """Let a person sit down, to be called so in this game."""
    _change_seat(connection, game_id, number, account_id=account_id, name=name)


def seat_bots(
    connection: Connection, game_id: int, bots: Sequence[tuple[int, str]], *, now: datetime
) -> None:
    """Let bots sit down, ready at once: seat numbers and names."""
    for number, name in bots:
        _change_seat(connection, game_id, number, bot=name, ready=True)


def free_seat(connection: Connection, game_id: int, number: int) -> None:
    nobody = {"account_id": None, "name": None, "ready": False, "salt": b""}
    _change_seat(connection, game_id, number, **nobody)


def make_ready(connection: Connection, game_id: int, number: int, *, salt: bytes) -> None:
    _change_seat(connection, game_id, number, ready=True, salt=salt)


def make_unready(connection: Connection, game_id: int, number: int) -> None:
    _change_seat(connection, game_id, number, ready=False)


def make_all_unready(connection: Connection, game_id: int) -> None:
    """Nobody is ready any more, except bots, which always are."""
    connection.execute(
        update(Seat).where(Seat.game_id == game_id, Seat.bot.is_(None)).values(ready=False)
    )


def set_status(
    connection: Connection, game_id: int, status: GameStatus, *, ended_at: datetime | None = None
) -> None:
    _change_game(connection, game_id, status=status, ended_at=ended_at)


def begin_check(connection: Connection, game_id: int) -> int:
    """The table is full; the number of this ready-check, which grows no higher than its column can hold."""
    number: int = connection.execute(
        update(Game)
        .where(Game.id == game_id)
        .values(status=GameStatus.READY_CHECK, checks=func.least(Game.checks, _MOST_CHECKS - 1) + 1)
        .returning(Game.checks)
    ).scalar_one()
    return number


def set_starter(connection: Connection, game_id: int, starter: int | None) -> None:
    _change_game(connection, game_id, starter=starter)


def freeze(connection: Connection, game_id: int, record: bytes) -> None:
    """Keep the freeze record, once and for all."""
    _change_game(connection, game_id, record=record)


def _change_seat(connection: Connection, game_id: int, number: int, **values: object) -> None:
    connection.execute(
        update(Seat).where(Seat.game_id == game_id, Seat.number == number).values(values)
    )


def _change_game(connection: Connection, game_id: int, **values: object) -> None:
    connection.execute(update(Game).where(Game.id == game_id).values(values))
