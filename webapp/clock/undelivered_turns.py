"""Turns whose players were never called, because no relay has accepted an email about them: they get the whole time again.

That happens once if the relay refused the email for good, and then their seat opens. While an email only waits, it happens a
few times, and then the turn is played without a strike. An email that its recipient has switched off counts as delivered.
"""

import logging
from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from typing import Final, NamedTuple

from engine.view import awaiting
from webapp.clock.late_players import UNREACHED_REASON, LateSeat, open_late_seat
from webapp.clock.pace.arithmetic import has_passed
from webapp.clock.queries import undelivered_calls
from webapp.clock.queries.undelivered_calls import CalledTurn, UndeliveredCall
from webapp.clock.turn import CHOICES_WITHIN_A_TURN
from webapp.kernel.database_errors import UNAVAILABLE_ERRORS
from webapp.kernel.rights import SERVER, GameRight
from webapp.kernel.tx import Tx
from webapp.mail.queries import outbox, pending_emails
from webapp.mail.queries.outbox import NewNotification
from webapp.play.access import LoadedGame, load_game
from webapp.play.change_writer import queue_emails_about_act, write_and_record
from webapp.play.changes.clock_changes import turn_email
from webapp.play.changes.public_change import ChangeSource, PlannedChange, PublicChange, PublicFacts
from webapp.play.queries import clocks
from webapp.play.queries.clocks import ClockUpdate
from webapp.play.queries.rows import GameRow

MAX_RESTARTS_WHILE_PENDING: Final = 3
"""How often in a row a player gets the whole time again while an email about their turn waits to be sent."""
MAX_RESTARTS_AFTER_FAILURE: Final = 1
"""How often a player in a seat gets it again because the relay has refused an email for good."""
_log = logging.getLogger(__name__)


class UncalledTurns(NamedTuple):
    """What becomes of the turns whose players were not called, by the ids of their games."""

    settled_ids: frozenset[int]
    """Their deadlines have moved, or their seats are open: no turn is played for them now."""
    excused_ids: frozenset[int]
    """Their turns are played without a strike."""


def settle_uncalled_turns(
    tx: Tx, rows: Iterable[GameRow], *, random_below: Callable[[int], int]
) -> UncalledTurns:
    """Give the whole time again to players whose time is up in these locked games, and who were not called.

    One statement reads what became of all their emails; only for those who were not called there are more.
    """
    rows_by_id = {row.id: row for row in rows}
    turns = [turn for row in rows_by_id.values() if (turn := _expired_turn(row, tx.now))]
    calls = undelivered_calls.find_undelivered(tx, turns)
    settled_ids: set[int] = set()
    excused_ids: set[int] = set()
    for game_id in sorted(calls):
        row, call = rows_by_id[game_id], calls[game_id]
        if not _has_begun_turn(tx, row):
            (settled_ids if _settle(tx, row, call, random_below) else excused_ids).add(game_id)
    return UncalledTurns(frozenset(settled_ids), frozenset(excused_ids))


def tell_tables(tx: Tx, rows: Iterable[GameRow], played_ids: Collection[int]) -> None:
    """Record for everyone at these tables that a turn was played because its player could not be reached, and email the others."""
    for row in rows:
        if row.id in played_ids:
            _tell_table(tx, load_game(tx, row))


def _expired_turn(row: GameRow, now: datetime) -> CalledTurn | None:
    """Return the turn whose time is up, if a person has it and holds nothing that can be played."""
    if row.awaiting is None or row.deadline_at is None or row.clock.held_turn is not None:
        return None
    account_id = row.seats[row.awaiting].account_id
    if account_id is None or not has_passed(row.deadline_at, now=now):
        return None
    return CalledTurn(
        game_id=row.id, turn_seq=row.turn_seq, seat=row.awaiting, account_id=account_id
    )


def _has_begun_turn(tx: Tx, row: GameRow) -> bool:
    """Return whether the player has begun the turn that the game waits for, and so knows of it."""
    try:
        awaited = awaiting(load_game(tx, row).state)
    except UNAVAILABLE_ERRORS:
        raise
    except Exception:  # noqa: BLE001 - a broken game is found when its turn is played
        return True
    return awaited is None or awaited.kind in CHOICES_WITHIN_A_TURN


def _settle(
    tx: Tx, row: GameRow, call: UndeliveredCall, random_below: Callable[[int], int]
) -> bool:
    """Restart the clock, or open the seat of someone who can't be reached. Return False if the turn is to be played."""
    if call.has_failed and call.failed_count >= MAX_RESTARTS_AFTER_FAILURE:
        return row.late_rules.strikes_until_open > 0 and _open_seat(tx, row, random_below)
    if call.pending_count >= MAX_RESTARTS_WHILE_PENDING and not call.has_failed:
        return False
    _restart_clock(tx, row, call)
    return True


def _restart_clock(tx: Tx, row: GameRow, call: UndeliveredCall) -> None:
    """Let the turn begin again with the whole time, and its email be written again with the new deadline."""
    cause = "failed" if call.has_failed else "pending"
    change = row.clock.restart(cause=cause, now=tx.now)
    if not clocks.write(tx, ClockUpdate(row, change)):
        return
    if call.has_failed:
        outbox.enqueue(tx, turn_email(row, tx.now))
    else:
        pending_emails.discard_messages(tx, [row.id])
    tx.nudges.add("emails")


def _open_seat(tx: Tx, row: GameRow, random_below: Callable[[int], int]) -> bool:
    """Open the seat of a player who can't be reached, without a strike; return False if that fails."""
    assert row.awaiting is not None
    seat = row.seats[row.awaiting]
    late_seat = LateSeat(row.id, row.turn_seq, seat, cause="undelivered")
    try:
        with tx.connection.begin_nested():
            open_late_seat(tx, row, late_seat, random_below=random_below)
            if row.late_rules.replacement != "bot":
                outbox.enqueue(tx, [_email_about_seat(row, tx.now)])
    except UNAVAILABLE_ERRORS:
        raise
    except Exception:  # noqa: BLE001 - the turns of all games must be stored nevertheless
        _log.exception("The seat of an unreachable player was not opened in game %s.", row.id)
        return False
    return True


def _email_about_seat(row: GameRow, now: datetime) -> NewNotification:
    assert row.awaiting is not None
    return NewNotification(
        kind="seat-opened",
        game_id=row.id,
        seq=row.seq,
        account_id=row.seats[row.awaiting].account_id,
        dedup_key=row.awaiting,
        due_at=now,
    )


def _tell_table(tx: Tx, game: LoadedGame) -> None:
    row = game.row
    assert row.awaiting is not None
    account_id = row.seats[row.awaiting].account_id
    change = PublicChange(
        seat=row.awaiting,
        account_id=account_id,
        before=PublicFacts(turn=row.seq),
        after=PublicFacts(turn=row.seq + 1),
    )
    entry_id = write_and_record(
        ChangeSource(tx, game),
        GameRight.PLAY_NEUTRAL,
        PlannedChange(change=change),
        by=(SERVER, UNREACHED_REASON),
    )
    other_ids = {seat.account_id for seat in row.seats} - {None, account_id}
    queue_emails_about_act(tx, game, entry_id, sorted(filter(None, other_ids)))
