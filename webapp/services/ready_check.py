"""From a full table to the first deal: everybody is asked, everything is frozen, the cards are dealt."""

from datetime import datetime
from typing import Final

import msgspec

from engine.fairness import Frozen, FrozenSeat, freeze
from webapp.services.access import Game
from webapp.services.errors import StaleTurn
from webapp.services.turns import first_deal, nudge_for
from webapp.services.tx import Tx
from webapp.store import games, letters, tables, turns
from webapp.store.game_rows import GameRow, SeatRow
from webapp.store.letters import NewLetter

MOST_CALLS: Final = 10
"""Ready-checks that one table gets by mail: who sits down and stands up again and again fills nobody's mailbox."""


def read_again(tx: Tx, game: Game) -> Game:
    """The locked game as this transaction has left it."""
    return Game(games.find_many_to_play(tx.connection, [game.row.id])[game.row.id])


def begin_if_full(tx: Tx, game: Game, *, now: datetime) -> None:
    """Ask everybody at a table that is full now whether they are ready."""
    if any(seat.is_free for seat in game.row.seats):
        return
    check = tables.begin_check(tx.connection, game.row.id)
    if check > MOST_CALLS:
        return
    letters.owe(tx.connection, _letters(game.row, check, now))
    tx.nudges.add("post")


def begin_if_all_are_ready(tx: Tx, game: Game, *, now: datetime) -> bool:
    """Freeze the table and deal, once every seat is taken and ready; whether it was."""
    if not all(seat.ready for seat in game.row.seats):
        return False
    record = _record(game)
    tables.freeze(tx.connection, game.row.id, record)
    frozen = Game(msgspec.structs.replace(game.row, record=record))
    write = first_deal(frozen, now=now)
    if not turns.append(tx.connection, write):
        raise StaleTurn
    nudge_for(tx, (write,))
    return True


def _letters(row: GameRow, check: int, now: datetime) -> list[NewLetter]:
    return [
        NewLetter(
            kind="ready-check", game_id=row.id, account_id=seat.account_id, occasion=check, now=now
        )
        for seat in row.seats
        if seat.account_id is not None and not seat.ready
    ]


def _record(game: Game) -> bytes:
    gold, round_1, round_2, round_3 = game.row.commitments.split()
    table = Frozen(
        game=game.row.slug,
        rulebook=game.row.rulebook,
        house=game.house,
        starter=game.row.starter,
        commitments=(gold, round_1, round_2, round_3),
        seats=tuple(map(_frozen_seat, game.row.seats)),
    )
    return freeze(table)


def _frozen_seat(seat: SeatRow) -> FrozenSeat:
    return FrozenSeat(seat.bot or seat.name or "", bytes.fromhex(seat.salt))
