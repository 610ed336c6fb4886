"""The sweep: it sends reminders, plays turns whose time is up, and opens the seats of players who missed too many.

It is safe to run twice, and in several workers at once.

The sweep reads again at which hours a player wants reminders before it reminds them. The planned instant is the dedup key of
the reminder, so each is sent once, and one whose instant has changed is superseded.

The sweep that plays the last missed turn opens the seat in the same transaction, as an act of the server in the ledger.

Players who were never called to their turn, because no relay has accepted an email about it, get the whole time again.
That happens once if the relay refused the email for good, and then their seat opens. While an email only waits, it
happens a few times, and then the turn is played without a strike. An email that its recipient has switched off counts
as delivered.
"""

import logging
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from typing import Final, Literal, NamedTuple

import msgspec

from engine.errors import IllegalAction
from engine.view import awaiting, neutral_action, view_for
from webapp.clock.pace.calendar import has_passed
from webapp.clock.queries import deadline_events, undelivered_calls
from webapp.clock.queries.deadline_events import GameEvent
from webapp.clock.queries.undelivered_calls import CalledTurn, UndeliveredCall
from webapp.clock.turn import CHOICES_WITHIN_A_TURN, Clock, ClockChange
from webapp.kernel.bot_levels import USUAL_LEVEL
from webapp.kernel.database import UNAVAILABLE_ERRORS, WriteRefused
from webapp.kernel.game_status import GameStatus
from webapp.kernel.public_acts import PublicFacts, ServerReason
from webapp.kernel.rights import SERVER, GameRight
from webapp.kernel.tx import Tx
from webapp.mail.queries import outbox, pending_emails
from webapp.mail.queries.outbox import NewNotification
from webapp.play.access import LoadedGame, load_game
from webapp.play.change_writer import queue_emails_about_act, write_and_record
from webapp.play.changes.public_change import ChangeSource, PlannedChange, PublicChange, turn_email
from webapp.play.lost_seats import is_lost_by_strikes
from webapp.play.queries import clocks, games, turns
from webapp.play.queries.clocks import RETRY_AFTER, ClockUpdate
from webapp.play.queries.rows import GameRow, SeatRow
from webapp.play.queries.turns import GameUpdate
from webapp.play.seats.seat_changes import open_seat, seat_bot
from webapp.play.turns.turns import add_nudges, update_for

MAX_RESTARTS_WHILE_PENDING: Final = 3
"""How often in a row a player gets the whole time again while an email about their turn waits to be sent."""
MAX_RESTARTS_AFTER_FAILURE: Final = 1
"""How often a player in a seat gets it again because the relay has refused an email for good."""
BATCH_SIZE: Final = 50
"""Games of one sweep: so few that players who are in time never wait long for its locks."""
_REASONS: Final = {
    "strikes": ServerReason.TURNS_MISSED,
    "undelivered": ServerReason.EMAILS_UNDELIVERED,
}
_log = logging.getLogger(__name__)


class UncalledTurns(NamedTuple):
    """The turns whose players were not called, by the ids of their games."""

    settled_ids: frozenset[int]
    """Their deadlines have moved, or their seats are open: no turn is played for them now."""
    excused_ids: frozenset[int]
    """Their turns are played without a strike."""


class LateSeat(NamedTuple):
    """A seat whose player has missed too many turns or can't be reached; ``turn_seq`` is the turn after which it is taken away."""

    game_id: int
    turn_seq: int
    seat: SeatRow
    cause: Literal["strikes", "undelivered"] = "strikes"


class SweepResult(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers of games that one sweep dealt with; ``has_more`` if others are due already."""

    reminded_count: int
    expired_count: int
    failed_count: int
    has_more: bool


def sweep(
    tx: Tx,
    *,
    limit: int = BATCH_SIZE,
    is_held_only: bool = False,
) -> SweepResult:
    """Remind players whose time is running out, play held turns, and the neutral action for those whose time is up.

    A game that fails is postponed and does not hold up the others. With ``is_held_only`` only held turns are played: deadlines wait.
    """
    due_ids = clocks.lock_due(tx, limit=limit, is_held_only=is_held_only)
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
        tx, [row for row in rows if _has_turn_to_play(row, tx.now)]
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


def _play_expired(tx: Tx, rows: list[GameRow]) -> tuple[int, list[int]]:
    """Play the held turn or the neutral action in these games; return how many were played, and the ids of those that failed.

    A player whom no email about the turn has reached gets more time, or is excused.
    """
    updates: list[GameUpdate] = []
    failed_ids: list[int] = []
    uncalled = _settle_uncalled_turns(tx, rows)
    rows = [row for row in rows if row.id not in uncalled.settled_ids]
    for row in rows:
        try:
            update = _turn_to_play(
                load_game(tx, row), tx.random_below, tx.now, uncalled.excused_ids
            )
            updates.append(update)
        except UNAVAILABLE_ERRORS:
            raise
        except Exception:  # noqa: BLE001 - one broken game must not stop the others
            _log.exception("The neutral action failed in game %s.", row.slug)
            failed_ids.append(row.id)
    written_updates, refused_ids = _append_updates(tx, updates)
    _open_late_seats(tx, rows, written_updates)
    played_ids = {update.game_id for update in written_updates}
    _record_unreached_turns(tx, rows, played_ids & uncalled.excused_ids)
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
    return len(reminders)


def _open_late_seats(
    tx: Tx,
    rows: Iterable[GameRow],
    updates: Sequence[GameUpdate],
) -> None:
    """Open the seats of players who have just missed one turn too many, or give them to bots, as their tables have chosen.

    ``updates`` are the written turns of games that are locked, and ``rows`` these games before. A seat that can't be opened
    now is opened when its next turn is missed.
    """
    rows_by_id = {row.id: row for row in rows}
    late_seats = [
        LateSeat(update.game_id, row.turn_seq, _seat_on_turn(row))
        for update in updates
        if _is_seat_lost(update, row := rows_by_id[update.game_id])
    ]
    if not late_seats:
        return
    games_by_id = games.find_many_to_play(tx, [late_seat.game_id for late_seat in late_seats])
    for late_seat in late_seats:
        try:
            with tx.connection.begin_nested():
                _open_late_seat(
                    tx,
                    games_by_id[late_seat.game_id],
                    late_seat,
                )
        except UNAVAILABLE_ERRORS:
            raise
        except Exception:  # noqa: BLE001 - the turns of all games must be stored nevertheless
            _log.exception(
                "The seat of a late player was not opened in game %s.", late_seat.game_id
            )


def _open_late_seat(tx: Tx, row: GameRow, late_seat: LateSeat) -> None:
    """Open the seat of a locked game, or give it to a bot, as its table has chosen; everyone else at it gets an email."""
    number, leaver_id = late_seat.seat.number, late_seat.seat.account_id
    game = load_game(tx, row)
    source = ChangeSource(tx, game, by=SERVER)
    is_bot_next = row.late_rules.replacement == "bot"
    act = GameRight.SEAT_BOT if is_bot_next else GameRight.OPEN_SEAT
    planned_change = (
        seat_bot(source, number, USUAL_LEVEL) if is_bot_next else open_seat(source, number)
    )
    entry_id = write_and_record(source, act, planned_change, by=(SERVER, _REASONS[late_seat.cause]))
    people = {seat.account_id for seat in row.seats} - {None, None if is_bot_next else leaver_id}
    queue_emails_about_act(tx, game, entry_id, sorted(filter(None, people)))
    opened_event = GameEvent(
        game_id=row.id,
        turn_seq=late_seat.turn_seq,
        at=tx.now,
        kind="opened",
        seat=number,
        account_id=leaver_id,
        by="clock",
        cause=late_seat.cause,
    )
    deadline_events.append(tx, [opened_event])


def _is_seat_lost(update: GameUpdate, row: GameRow) -> bool:
    counts = (clock.strikes for clock in update.seat_clocks if clock.number == row.awaiting)
    strikes, is_running = next(counts, 0), update.position.status == GameStatus.RUNNING
    return is_running and is_lost_by_strikes(row, strikes)


def _seat_on_turn(row: GameRow) -> SeatRow:
    assert row.awaiting is not None
    return row.seats[row.awaiting]


def _settle_uncalled_turns(tx: Tx, rows: Iterable[GameRow]) -> UncalledTurns:
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
            (settled_ids if _settle(tx, row, call) else excused_ids).add(game_id)
    return UncalledTurns(frozenset(settled_ids), frozenset(excused_ids))


def _record_unreached_turns(tx: Tx, rows: Iterable[GameRow], played_ids: Collection[int]) -> None:
    """Record for everyone at these tables that a turn was played because its player could not be reached, and email the others."""
    for row in rows:
        if row.id in played_ids:
            _record_unreached_turn(tx, load_game(tx, row))


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


def _settle(tx: Tx, row: GameRow, call: UndeliveredCall) -> bool:
    """Restart the clock, or open the seat of someone who can't be reached. Return False if the turn is to be played."""
    if call.has_failed and call.failed_count >= MAX_RESTARTS_AFTER_FAILURE:
        return row.late_rules.strikes_until_open > 0 and _open_seat(tx, row)
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


def _open_seat(tx: Tx, row: GameRow) -> bool:
    """Open the seat of a player who can't be reached, without a strike; return False if that fails."""
    assert row.awaiting is not None
    seat = row.seats[row.awaiting]
    late_seat = LateSeat(row.id, row.turn_seq, seat, cause="undelivered")
    try:
        with tx.connection.begin_nested():
            _open_late_seat(tx, row, late_seat)
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


def _record_unreached_turn(tx: Tx, game: LoadedGame) -> None:
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
        by=(SERVER, ServerReason.EMAILS_UNDELIVERED),
    )
    other_ids = {seat.account_id for seat in row.seats} - {None, account_id}
    queue_emails_about_act(tx, game, entry_id, sorted(filter(None, other_ids)))
