"""From a full table to the first deal: everybody is asked, everything is frozen, the cards are dealt."""

from datetime import datetime, timedelta
from typing import Final

import msgspec

from engine.fairness import FrozenSeat, FrozenTable, freeze
from webapp.services.errors import StaleTurn
from webapp.services.play.access import LoadedGame
from webapp.services.play.turns import first_deal, nudge_for
from webapp.services.tx import Tx
from webapp.store.lobby import tables
from webapp.store.notifications import outbox
from webapp.store.notifications.outbox import NewNotification
from webapp.store.play import games, turns
from webapp.store.play.rows import GameRow, SeatRow

MOST_AT_ONCE: Final = 10
"""Ready-checks of one table that are mailed at once: who sits down and stands up again and again fills nobody's mailbox."""
PAUSE: Final = timedelta(hours=1)
"""How long each later one waits; while it does, nobody is owed another."""
_MARGIN: Final = timedelta(minutes=1)
"""A letter that is due sooner may be written before this transaction is over."""


def read_again(tx: Tx, game: LoadedGame) -> LoadedGame:
    """The locked game as this transaction has left it."""
    return LoadedGame(games.find_many_to_play(tx.connection, [game.row.id])[game.row.id])


def begin_if_full(tx: Tx, game: LoadedGame, *, now: datetime) -> None:
    """Ask everybody at a table that is full now whether they are ready."""
    if any(seat.is_free for seat in game.row.seats):
        return
    check = tables.begin_check(tx.connection, game.row.id)
    outbox.owe(tx.connection, _calls(tx, game.row, check, now))
    tx.nudges.add("emails")


def begin_if_all_are_ready(tx: Tx, game: LoadedGame, *, now: datetime) -> bool:
    """Freeze the table and deal, once every seat is taken and ready; whether it was."""
    if not all(seat.ready for seat in game.row.seats):
        return False
    record = _record(game)
    tables.freeze(tx.connection, game.row.id, record)
    frozen = LoadedGame(msgspec.structs.replace(game.row, record=record))
    write = first_deal(frozen, now=now)
    if not turns.append(tx.connection, write):
        raise StaleTurn
    nudge_for(tx, (write,))
    return True


def _calls(tx: Tx, row: GameRow, check: int, now: datetime) -> list[NewNotification]:
    """A letter to everybody who is not ready, unless one is going to be written that will say how things stand then."""
    number = max(check, outbox.last_dedup_key(tx.connection, row.id, "ready-check") + 1)
    due_at = now if number <= MOST_AT_ONCE else now + PAUSE
    waiting = outbox.waiting(tx.connection, row.id, "ready-check", until=now + _MARGIN)
    persons = {seat.account_id: seat.ready for seat in row.seats if seat.account_id is not None}
    return [
        NewNotification(
            kind="ready-check", game_id=row.id, account_id=person, occasion=number, now=due_at
        )
        for person, is_ready in persons.items()
        if not is_ready and person not in waiting
    ]


def _record(game: LoadedGame) -> bytes:
    gold, round_1, round_2, round_3 = game.row.commitments.split()
    table = FrozenTable(
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
