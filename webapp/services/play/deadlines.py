"""The clock's hand: reminders, and the neutral action for whoever is late. Safe to run twice, and by many at once."""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

import msgspec

from engine.view import neutral_action, view_for
from webapp.services.play.access import LoadedGame, load_game
from webapp.services.play.turns import nudge_for, write_for
from webapp.services.tx import Tx
from webapp.store.errors import AWAY, Broken
from webapp.store.play import deadlines, games, turns
from webapp.store.play.deadlines import Reminder
from webapp.store.play.rows import GameRow
from webapp.store.play.turns import Write

PUSHED_FORWARD: Final = timedelta(minutes=5)
"""How much later a game that failed is tried again."""
AT_ONCE: Final = 50
"""Games of one sweep: so few that players who are in time never wait long for its locks."""
_log = logging.getLogger(__name__)


class Swept(msgspec.Struct, frozen=True, kw_only=True):
    """What one sweep did; ``more`` is due already."""

    reminded: int
    expired: int
    failed: int
    more: bool


def is_due(tx: Tx, *, now: datetime) -> bool:
    """Whether a sweep would find anything: one question, which takes no lock."""
    return deadlines.is_due(tx.connection, now=now)


def sweep(tx: Tx, *, now: datetime, pick: Callable[[int], int], limit: int = AT_ONCE) -> Swept:
    """Remind those whose time is running out, and play the neutral action for those whose time is up.

    ``pick(n)`` gives a number below n. A game that fails is pushed forward and does not hold up the others.
    """
    due = deadlines.lock_due(tx.connection, now=now, limit=limit)
    if not due:
        return Swept(reminded=0, expired=0, failed=0, more=False)
    found = games.find_many_to_play(tx.connection, due)
    # In an order on which nothing that a game holds has any bearing: rows come as they lie on the disk.
    rows = [found[game_id] for game_id in sorted(found)]
    expired, failed = _expire(tx, [row for row in rows if _is_late(row, now)], pick=pick, now=now)
    reminded = _remind(tx, [row for row in rows if not _is_late(row, now)], now=now)
    deadlines.push_forward(tx.connection, failed, until=now + PUSHED_FORWARD)
    return Swept(reminded=reminded, expired=expired, failed=len(failed), more=len(due) == limit)


def _is_late(row: GameRow, now: datetime) -> bool:
    # A game that is due without a deadline is broken: playing for it fails, and pushes it forward.
    return row.deadline_at is None or row.awaiting is None or row.deadline_at <= now


def _expire(
    tx: Tx, late: list[GameRow], *, pick: Callable[[int], int], now: datetime
) -> tuple[int, list[int]]:
    """How many were played for, and the ids of those for whom it failed."""
    writes: list[Write] = []
    failed: list[int] = []
    for row in late:
        try:
            writes.append(_neutral_turn(load_game(tx, row), pick, now))
        except AWAY:
            raise
        except Exception:  # noqa: BLE001 - whatever it is, the other games must go on
            _log.exception("The neutral action failed for game %s.", row.slug)
            failed.append(row.id)
    written, broken = _append(tx, writes)
    return written, failed + broken


def _neutral_turn(game: LoadedGame, pick: Callable[[int], int], now: datetime) -> Write:
    seat = game.row.awaiting
    assert seat is not None
    assert game.row.seats[seat].account_id is not None
    action = neutral_action(view_for(game.state, seat), pick)
    return write_for(game, seat, action=action, by="clock", now=now)


def _append(tx: Tx, writes: list[Write]) -> tuple[int, list[int]]:
    """Write all together; where the database refuses that, each by itself, to find the one that is broken."""
    if not writes:
        return 0, []
    try:
        written = turns.append_many(tx.connection, writes)
    except Broken:
        if len(writes) == 1:
            _log.exception("The neutral action could not be stored.")
            return 0, [writes[0].game_id]
        counts = [_append(tx, [write]) for write in writes]
        return sum(count for count, _ in counts), [game_id for _, ids in counts for game_id in ids]
    nudge_for(tx, writes)
    return len(written), []


def _remind(tx: Tx, rows: list[GameRow], *, now: datetime) -> int:
    """Owe a reminder for each deadline that draws near; a second sweep does not owe it again."""
    reminders = [reminder for row in rows if (reminder := _reminder(row))]
    deadlines.remind(tx.connection, reminders, now=now)
    if reminders:
        tx.nudges.add("emails")
    return len(reminders)


def _reminder(row: GameRow) -> Reminder | None:
    account_id = None if row.awaiting is None else row.seats[row.awaiting].account_id
    if account_id is None or row.deadline_at is None:
        return None
    return Reminder(
        game_id=row.id, account_id=account_id, turn_seq=row.turn_seq, deadline_at=row.deadline_at
    )
