"""A person leaves a dealt game for good, because they delete their account: their seat is opened, or the game ends."""

from collections.abc import Sequence
from datetime import datetime

from webapp.accounts.person import Person
from webapp.clock.turn import ClockChange
from webapp.kernel.public_acts import ServerReason
from webapp.kernel.rights import SERVER, GameRight
from webapp.kernel.tx import Tx
from webapp.mail.queries import outbox
from webapp.mail.queries.outbox import NewNotification
from webapp.play.access import LoadedGame, game_for
from webapp.play.change_writer import queue_emails_about_act, write_and_record, write_change
from webapp.play.changes.game_changes import cancel, make_host
from webapp.play.changes.public_change import ChangeSource
from webapp.play.plans import decode_plans, encode_plans
from webapp.play.queries import changes, clocks, games
from webapp.play.queries.clocks import ClockUpdate
from webapp.play.queries.rows import GameRow, SeatRow
from webapp.play.seats.seat_changes import open_seat
from webapp.play.summaries import name_of


def others_playing(game: LoadedGame, leaver_id: int) -> tuple[SeatRow, ...]:
    """Return the seats of the people who still play besides the one who leaves."""
    seats_gone = game.state.gone if game.is_dealt else ()
    return tuple(
        seat
        for seat in game.row.seats
        if seat.account_id not in {None, leaver_id} and seat.number not in seats_gone
    )


def name_another_host(tx: Tx, game: LoadedGame, leaver_id: int) -> int | None:
    """Make the person who has been sitting there longest the host, and return the entry of the ledger.

    Return None if no other person plays there. Needs the game locked; the caller sends the emails. The table takes the name of its new host, because the former host's name is deleted.
    """
    arrival_seqs = changes.arrival_seqs(tx, game.row.id)
    other_seats = others_playing(game, leaver_id)
    new_host_seat = min(
        other_seats, key=lambda seat: (arrival_seqs.get(seat.number, -1), seat.number), default=None
    )
    if new_host_seat is None or new_host_seat.account_id is None:
        return None
    planned_change = make_host(game.row, new_host_seat.account_id, host_name=name_of(new_host_seat))
    by = (SERVER, ServerReason.HOST_LEFT)
    return write_and_record(
        ChangeSource(tx, game), GameRight.HAND_OVER_TABLE, planned_change, by=by
    )


def _end_without_players(source: ChangeSource) -> int:
    """End a game that no person plays any more; return the entry of the ledger."""
    by = (SERVER, ServerReason.NO_PERSON_LEFT)
    return write_and_record(source, GameRight.CANCEL_GAME, cancel(source), by=by)


def leave_game(tx: Tx, slug: str, person: Person) -> None:
    """Open the person's seat, name another host if they are the host, and inform the others.

    A game in which no other person is left is cancelled: bots alone would play for no one. Nothing happens if the game has
    ended meanwhile. Raises NotFound, and StaleTurn if the game has moved on.
    """
    game, seat, _ = game_for(tx, slug, person, mode="change")
    if not game.status.is_under_way:
        return
    other_account_ids = [
        seat.account_id for seat in game.row.seats if seat.account_id not in {None, person.id}
    ]
    source = ChangeSource(tx, game)
    if not others_playing(game, person.id):
        entry_id = _end_without_players(source)
        queue_emails_about_act(tx, game, entry_id, other_account_ids)
        return
    is_host = game.is_hosted_by(person)
    hand_over_entry_id = name_another_host(tx, game, person.id) if is_host else None
    if seat is not None and seat not in game.state.gone:
        write_change(source, open_seat(source, seat))
        outbox.enqueue(
            tx,
            [_seat_notification(game.row, seat, other, tx.now) for other in other_account_ids],
        )
    elif hand_over_entry_id is not None:
        queue_emails_about_act(tx, game, hand_over_entry_id, other_account_ids)


def delete_planned_and_held_turns(tx: Tx, account_id: int, game_ids: Sequence[int]) -> None:
    """Delete what a person has planned or held in these locked games, in which their seat is open."""
    for row in games.find_many_to_play(tx, game_ids).values():
        plans = decode_plans(row.plans)
        kept_plans = tuple(plan for plan in plans if plan.account_id != account_id)
        expected = changes.ExpectedPosition(row.id, row.seq, row.status)
        changes.change_game(tx, expected, {"plans": encode_plans(kept_plans)})
        clock = row.clock.without_turns_held_by(account_id)
        clocks.write(tx, ClockUpdate(row, ClockChange(clock)))


def _seat_notification(
    row: GameRow, seat: int, recipient: int | None, now: datetime
) -> NewNotification:
    return NewNotification(
        kind="player-left",
        game_id=row.id,
        seq=row.seq,
        account_id=recipient,
        dedup_key=seat,
        due_at=now,
    )
