"""Reminders and expired deadlines. Safe to run twice, and in several workers at once.

The sweep reads again at which hours a player wants reminders before it reminds them. The planned instant is the dedup key of
the reminder, so each is sent once, and one whose instant has changed is superseded.
"""

import logging
from collections.abc import Callable, Collection
from datetime import datetime
from typing import Final

import msgspec

from engine.errors import IllegalAction
from engine.view import neutral_action, view_for
from webapp.clock.late_players import open_late_seats
from webapp.clock.turn import Clock, ClockChange
from webapp.clock.undelivered_turns import settle_uncalled_turns, tell_tables
from webapp.kernel.database_errors import UNAVAILABLE_ERRORS, WriteRefused
from webapp.kernel.tx import Tx
from webapp.mail.queries import outbox
from webapp.mail.queries.outbox import NewNotification
from webapp.play.access import LoadedGame, load_game
from webapp.play.queries import clocks, deadlines, games, turns
from webapp.play.queries.clocks import RETRY_AFTER, ClockUpdate
from webapp.play.queries.rows import GameRow
from webapp.play.queries.turns import GameUpdate
from webapp.play.turns.turns import add_nudges, update_for

BATCH_SIZE: Final = 50
"""Games of one sweep: so few that players who are in time never wait long for its locks."""
_log = logging.getLogger(__name__)


class SweepResult(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers of games that one sweep dealt with; ``has_more`` if others are due already."""

    reminded_count: int
    expired_count: int
    failed_count: int
    has_more: bool


def is_any_game_due(tx: Tx) -> bool:
    """Return whether a sweep would find a game; one query that takes no lock."""
    return deadlines.is_due(tx)


def sweep(
    tx: Tx,
    *,
    random_below: Callable[[int], int],
    limit: int = BATCH_SIZE,
    is_held_only: bool = False,
) -> SweepResult:
    """Remind players whose time is running out, play held turns, and the neutral action for those whose time is up.

    ``random_below(n)`` returns a number below n. A game that fails is postponed and does not hold up the others. With
    ``is_held_only`` only held turns are played: deadlines wait.
    """
    due_ids = deadlines.lock_due(tx, limit=limit, is_held_only=is_held_only)
    if not due_ids:
        return SweepResult(reminded_count=0, expired_count=0, failed_count=0, has_more=False)
    games_by_id = games.find_many_to_play(tx, due_ids)
    # By id: the order of the rows on disk depends on what the games hold, and may not show in what is sent.
    rows = [games_by_id[game_id] for game_id in sorted(games_by_id)]
    rows = [row for row in rows if _has_readable_clock(row)]
    unreadable_ids = sorted(games_by_id.keys() - {row.id for row in rows})
    if is_held_only:
        rows = [row for row in rows if row.clock.is_held_turn_due(now=tx.now)]
    rows = _rows_without_bot_turns(tx, rows)
    expired_count, failed_ids = _play_expired(
        tx, [row for row in rows if _has_turn_to_play(row, tx.now)], random_below
    )
    reminded_count = _send_reminders(
        tx, [row for row in rows if not _has_turn_to_play(row, tx.now)]
    )
    failed_ids += unreadable_ids
    clocks.postpone(tx, failed_ids, until=tx.now + RETRY_AFTER)
    return SweepResult(
        reminded_count=reminded_count,
        expired_count=expired_count,
        failed_count=len(failed_ids),
        has_more=len(due_ids) == limit and not is_held_only,
    )


def _has_readable_clock(row: GameRow) -> bool:
    try:
        return isinstance(row.clock, Clock)
    except Exception:  # noqa: BLE001 - one broken game must not stop the others
        _log.exception("The clock cannot be read in game %s.", row.slug)
        return False


def _rows_without_bot_turns(tx: Tx, rows: list[GameRow]) -> list[GameRow]:
    """Hand the turns of players who are away to bots where their tables have chosen that; return the other games."""
    bot_rows = [
        row for row in rows if row.clock.is_bot_turn(at=tx.now) and row.clock.held_turn is None
    ]
    if not bot_rows:
        return rows
    clocks.write(
        tx,
        *(ClockUpdate(row, ClockChange(row.clock.handed_on(now=tx.now))) for row in bot_rows),
    )
    tx.nudges.add("bots")
    return [row for row in rows if row not in bot_rows]


def _has_turn_to_play(row: GameRow, now: datetime) -> bool:
    # A game that is due without a deadline is broken: its neutral action fails, which postpones it.
    return row.clock.is_expired(now=now) or row.clock.is_held_turn_due(now=now)


def _play_expired(
    tx: Tx, rows: list[GameRow], random_below: Callable[[int], int]
) -> tuple[int, list[int]]:
    """Play the held turn or the neutral action in these games; return how many were played, and the ids of those that failed.

    A player whom no email about the turn has reached gets more time, or is excused.
    """
    updates: list[GameUpdate] = []
    failed_ids: list[int] = []
    uncalled = settle_uncalled_turns(tx, rows, random_below=random_below)
    rows = [row for row in rows if row.id not in uncalled.settled_ids]
    for row in rows:
        try:
            update = _turn_to_play(load_game(tx, row), random_below, tx.now, uncalled.excused_ids)
            updates.append(update)
        except UNAVAILABLE_ERRORS:
            raise
        except Exception:  # noqa: BLE001 - one broken game must not stop the others
            _log.exception("The neutral action failed in game %s.", row.slug)
            failed_ids.append(row.id)
    written_updates, refused_ids = _append_updates(tx, updates)
    open_late_seats(tx, rows, written_updates, random_below=random_below)
    played_ids = {update.game_id for update in written_updates}
    tell_tables(tx, rows, played_ids & uncalled.excused_ids)
    return len(written_updates), failed_ids + refused_ids


def _turn_to_play(
    game: LoadedGame,
    random_below: Callable[[int], int],
    now: datetime,
    excused_ids: Collection[int],
) -> GameUpdate:
    """Return the turn that its player has held, or the neutral one; that also if the rules of this release refuse the held one."""
    held_turn = game.row.clock.held_turn
    if held_turn is None or held_turn.action is None:
        return _neutral_turn(game, random_below, now, is_excused=game.row.id in excused_ids)
    try:
        return update_for(game, held_turn.seat, action=held_turn.action, by="player", now=now)
    except IllegalAction:
        if not game.row.clock.is_expired(now=now):
            raise
        return _neutral_turn(game, random_below, now, is_excused=False)


def _neutral_turn(
    game: LoadedGame, random_below: Callable[[int], int], now: datetime, *, is_excused: bool
) -> GameUpdate:
    seat = game.row.awaiting
    assert seat is not None
    # An open seat has neither a person nor a bot: its turns are all played by the clock.
    assert not game.row.seats[seat].is_bot
    action = neutral_action(view_for(game.state, seat), random_below)
    return update_for(game, seat, action=action, by="clock", now=now, is_excused=is_excused)


def _append_updates(tx: Tx, updates: list[GameUpdate]) -> tuple[list[GameUpdate], list[int]]:
    """Write all updates together; if the database refuses that, each by itself, to find the broken one.

    Return the updates that were written, and the ids of the games that refused theirs.
    """
    if not updates:
        return [], []
    try:
        written_ids = turns.append_many(tx, updates)
    except WriteRefused:
        if len(updates) == 1:
            _log.exception("The neutral action could not be stored.")
            return [], [updates[0].game_id]
        results = [_append_updates(tx, [update]) for update in updates]
        return [update for written_updates, _ in results for update in written_updates], [
            refused_id for _, ids in results for refused_id in ids
        ]
    add_nudges(tx, updates)
    return [update for update in updates if update.game_id in written_ids], []


def _send_reminders(tx: Tx, rows: list[GameRow]) -> int:
    """Add a reminder for each of these games but those in which it has to wait, and return how many; a second sweep adds none."""
    updates = [ClockUpdate(row, row.clock.remind(now=tx.now)) for row in rows]
    clocks.write(tx, *updates)
    reminders = [
        NewNotification(
            kind="reminder",
            game_id=update.row.id,
            seq=event.turn_seq,
            account_id=event.account_id,
            dedup_key=int(remind_at.timestamp()),
            due_at=tx.now,
        )
        for update in updates
        for event in update.change.events
        if (remind_at := update.change.clock.remind_at) is not None
    ]
    outbox.enqueue(tx, reminders)
    if reminders:
        tx.nudges.add("emails")
    return len(reminders)
