"""A person's games, in the order in which they want attention."""

from datetime import UTC, datetime
from typing import Final

from webapp.game_status import GameStatus
from webapp.services.accounts.person import Person, Viewer
from webapp.services.accounts.sessions import person_for
from webapp.services.play.page_data import HomePage, MyGame
from webapp.services.play.showing import name_of, table_card
from webapp.services.tx import Tx
from webapp.store.play import games
from webapp.store.play.rows import GameRow, SeatRow

_LISTED: Final = 50
_NEVER: Final = datetime.max.replace(tzinfo=UTC)


def home_page(tx: Tx, viewer: Viewer, *, now: datetime) -> HomePage:
    """The reader's games, those that wait for the reader first, and the tables that anybody may join."""
    me = viewer if isinstance(viewer, Person) else person_for(tx, viewer, now=now)
    rows = games.find_listed(tx.connection, None if me is None else me.id, most=_LISTED)
    mine = [row for row in rows if _is_mine(row, me)]
    return HomePage(
        me=me,
        mine=tuple(sorted((_my_game(row, me) for row in mine if not _is_over(row)), key=_urgency)),
        open_tables=tuple(table_card(row) for row in _newest(rows) if not _is_mine(row, me)),
        finished=tuple(_my_game(row, me) for row in _newest(mine) if _is_over(row)),
    )


def next_slug(tx: Tx, viewer: Viewer, *, now: datetime) -> str | None:
    """The game where it is the reader's turn with the least time left."""
    page = home_page(tx, viewer, now=now)
    waiting = (game.table.slug for game in page.mine if game.my_turn)
    return next(waiting, None)


def _is_mine(row: GameRow, me: Person | None) -> bool:
    return me is not None and (row.is_hosted_by(me.id) or row.seat_of(me.id) is not None)


def _is_over(row: GameRow) -> bool:
    return row.status == GameStatus.FINISHED


def _newest(rows: tuple[GameRow, ...] | list[GameRow]) -> list[GameRow]:
    return sorted(rows, key=lambda row: (row.opened_at, row.id), reverse=True)


def _my_game(row: GameRow, me: Person | None) -> MyGame:
    return MyGame(
        table=table_card(row),
        my_turn=_waits_for(row, row.seat_of(None if me is None else me.id)),
        deadline_at=row.deadline_at,
        waiting_for="" if row.awaiting is None else name_of(row.seats[row.awaiting]),
        seq=row.seq,
        round=row.round,
    )


def _waits_for(row: GameRow, seat: SeatRow | None) -> bool:
    if seat is None:
        return False
    if row.status == GameStatus.READY_CHECK:
        return not seat.ready
    return row.awaiting == seat.number


def _urgency(game: MyGame) -> tuple[bool, datetime, str]:
    return not game.my_turn, game.deadline_at or _NEVER, game.table.slug
