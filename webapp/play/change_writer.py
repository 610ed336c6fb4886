"""The one writer of planned changes: it stores their values in the locked game, in their order.

What the server does by itself, or all players together, it also records: the ledger and the table read of it as of the acts of
moderators, which ``webapp.moderation.performing`` records.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import msgspec

from engine.evolve import initial_state, positions
from engine.game import hand_over_seat, rewind, shorten_game
from engine.state import State
from engine.view import awaiting, neutral_action
from engine.wire import decode_events
from webapp.accounts.security_log import record_act
from webapp.clock.queries import deadline_events
from webapp.clock.queries.deadline_events import GameEvent
from webapp.clock.turn import CHOICES_WITHIN_A_TURN, ClockChange, ClockEvent
from webapp.kernel.public_acts import ServerReason
from webapp.kernel.refusals import DenialReason, NotAllowed, StaleTurn
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Tx
from webapp.lobby.queries import seat_offers
from webapp.mail.queries import bounces, outbox, pending_emails
from webapp.mail.queries.outbox import NewNotification
from webapp.mail.queries.pending_emails import EmailSelection
from webapp.moderation.queries.games_under_moderation import GameUnderModeration
from webapp.moderation.queries.ledger import NewLedgerEntry
from webapp.play.access import LoadedGame, load_game
from webapp.play.changes.acts import Act
from webapp.play.changes.public_change import (
    Actor,
    ChangedPlayers,
    ChangeSource,
    EarlierPosition,
    EmailSentAgain,
    EndedOffer,
    EndedSitting,
    ExistingAccount,
    GameValues,
    HandedOverSeat,
    LastRound,
    NeutralTurn,
    NewOffer,
    PlannedChange,
    ReturnedSeat,
    SeatValues,
    TakenOffer,
)
from webapp.play.lost_seats import give_seat_back
from webapp.play.plans import plans_after_rewind, plans_without_seat
from webapp.play.queries import changes, clocks, games, turn_log, turns, votes
from webapp.play.queries.clocks import ClockUpdate
from webapp.play.queries.rows import GameRow
from webapp.play.queries.turns import GameUpdate
from webapp.play.seats.seat_changes import call_for_returned_player
from webapp.play.seats.seat_offers import store_offer
from webapp.play.turns.turns import TurnStep, add_nudges, game_update, update_for


def change_source(
    tx: Tx,
    game: GameUnderModeration,
    actor: Actor,
) -> ChangeSource:
    """Return what a change of this game is planned from."""
    row = games.find_many_to_play(tx, [game.id])[game.id]
    return ChangeSource(tx, load_game(tx, row), game.maintenance, actor=actor)


def write_act(source: ChangeSource, act: Act[Any], planned_change: PlannedChange) -> None:
    """Write the change of an act to the locked game. It ends the players' open vote, and their pause, if it decides what they vote on."""
    write_change(source, planned_change)
    if act.outdates_votes:
        votes.mark_outdated(
            source.tx,
            source.game.row.id,
            is_pause_over=act.ends_agreed_pause,
        )


def write_and_record(
    source: ChangeSource,
    act: GameRight,
    planned_change: PlannedChange,
    *,
    by: tuple[str, ServerReason],
) -> int:
    """Write a change to the locked game and return its entry of the ledger; ``by`` is as what the change is made, and the reason."""
    write_change(source, planned_change)
    (acted_as, reason), change = by, planned_change.change
    game, now = source.game, source.tx.now
    entry = NewLedgerEntry(
        act=act,
        actor_id=None,
        acted_as=acted_as,
        game_id=game.row.id,
        seat=change.seat,
        seq=game.row.seq,
        account_id=change.account_id,
        before=msgspec.to_builtins(change.before),
        after=msgspec.to_builtins(change.after),
        reason=reason,
        form_id=f"{acted_as} {act} {game.row.id} {change.before.account_id or 0} {now.isoformat()}",
        at=now,
    )
    entry_id = record_act(source.tx, entry)
    # The game is locked, and nothing else happens to it in this transaction.
    assert entry_id is not None
    return entry_id


def queue_emails_about_act(
    tx: Tx, game: LoadedGame, entry_id: int, account_ids: Iterable[int | None]
) -> None:
    """Queue the email about an entry of the ledger for these people."""
    notices = [
        NewNotification(
            kind="moderator-act",
            game_id=game.row.id,
            seq=game.row.seq,
            account_id=account_id,
            dedup_key=entry_id,
            due_at=tx.now,
        )
        for account_id in account_ids
    ]
    outbox.enqueue(tx, notices)


def write_change(source: ChangeSource, planned_change: PlannedChange) -> None:
    """Store a change. Raises StaleTurn if the game has moved on, NotAllowed if an account or an offer is gone meanwhile."""
    for value in planned_change.values:
        _WRITERS[type(value)](source, value)
    source.tx.nudges |= planned_change.nudges


def _write_clock(source: ChangeSource, clock_update: ClockUpdate) -> None:
    if not clocks.write(source.tx, clock_update):
        raise StaleTurn


def _write_game(source: ChangeSource, game_values: GameValues) -> None:
    row = source.game.row
    expected = changes.ExpectedPosition(row.id, row.seq, row.status)
    if not changes.change_game(source.tx, expected, game_values.values):
        raise StaleTurn


def _write_seat(source: ChangeSource, seat_values: SeatValues) -> None:
    seat, values = seat_values
    changes.change_seat(source.tx, source.game.row.id, seat, values)


def _require_account(source: ChangeSource, account: ExistingAccount) -> None:
    if not changes.lock_existing_account(source.tx, account.id):
        raise NotAllowed(account.denial)


def _record_sitting(source: ChangeSource, sitting: EndedSitting) -> None:
    game = source.game
    changes.add_sitting(source.tx, game.row.id, sitting.seat, until=game.seq)


def _change_players(source: ChangeSource, _: ChangedPlayers) -> None:
    changes.increment_player_changes(source.tx, [source.game.row.id])


def _return_seat(source: ChangeSource, returned: ReturnedSeat) -> None:
    row = source.game.row
    give_seat_back(source.tx, row.id, returned.seat, returned.account_id)
    if row.awaiting == returned.seat:
        write_change(source, call_for_returned_player(source, returned.account_id))


def _end_offer(source: ChangeSource, offer: EndedOffer) -> None:
    tx, game_id = source.tx, source.game.row.id
    seat_offers.end_open_offer(tx, game_id, offer.seat, ended_as=offer.ended_as)


def _take_offer(source: ChangeSource, offer: TakenOffer) -> None:
    tx, account_id = source.tx, offer.account_id
    if not seat_offers.mark_accepted(tx, offer.id, account_id=account_id):
        raise NotAllowed(DenialReason.OFFER_NO_LONGER_OPEN)


def _send_again(source: ChangeSource, sent_again: EmailSentAgain) -> None:
    tx, email = source.tx, sent_again.email
    pending_emails.retry(tx, EmailSelection(ids=(sent_again.id,)))
    tx.nudges.add("emails")
    if email.account_id is not None:
        bounces.forget_score(tx, email.account_id)


def _append_event(source: ChangeSource, event: GameEvent) -> None:
    deadline_events.append(source.tx, [event])


def _enqueue(source: ChangeSource, notification: NewNotification) -> None:
    outbox.enqueue(source.tx, [notification])


def _play_neutral(source: ChangeSource, turn: NeutralTurn) -> None:
    game = source.game
    action = neutral_action(game.view(turn.seat), source.tx.random_below)
    _append(source, update_for(game, turn.seat, action=action, by="moderator", now=source.tx.now))


def _rewind(source: ChangeSource, position: EarlierPosition) -> None:
    tx, game, now = source.tx, source.game, source.tx.now
    state, events = rewind(_states_of_game(tx, game), position.turn)
    step = TurnStep(seat=None, by="moderator", action=None, events=events, seq=state.seq)
    undone_turns = _undone_turns_of(tx, game.row, position.turn, state)
    row = _give_lost_seats_back(tx, game.row, undone_turns)
    plans, ended = plans_after_rewind(game.plans), row.clock.take_back(undone_turns, now=now)
    _append(source, game_update(LoadedGame(row), state, [step], plans, ended=ended, now=now))


def _shorten(source: ChangeSource, _: LastRound) -> None:
    game = source.game
    state, events = shorten_game(game.state)
    step = TurnStep(seat=None, by="vote", action=None, events=events, seq=state.seq)
    _append(source, game_update(game, state, [step], game.plans, ended=None, now=source.tx.now))


def _hand_over_seat(source: ChangeSource, handed_over: HandedOverSeat) -> None:
    tx, row, seat = source.tx, source.game.row, handed_over.seat
    # Read again: the clock depends on the absences and wishes of the new player.
    game = load_game(tx, games.find_many_to_play(tx, [row.id])[row.id])
    state, events = hand_over_seat(game.state, seat)
    step = TurnStep(seat=seat, by="moderator", action=None, events=events, seq=state.seq)
    plans = plans_without_seat(game.plans, seat)
    ended = ClockChange(game.row.clock) if row.awaiting == seat else None
    _append(source, game_update(game, state, [step], plans, ended=ended, now=source.tx.now))


def _append(source: ChangeSource, update: GameUpdate) -> None:
    """Write an update and note who has something to do. Raises StaleTurn if the game has moved on."""
    if not turns.append(source.tx, update):
        raise StaleTurn
    add_nudges(source.tx, (update,))


def _states_of_game(tx: Tx, game: LoadedGame) -> list[State]:
    """Return the position after every turn, from the log."""
    row = game.row
    log = [decode_events(turn.events) for turn in turn_log.all_turns(tx, row.id)]
    return positions(initial_state(row.rulebook, game.house, row.seat_count), log)


_WRITERS: Final[dict[type, Callable[[ChangeSource, Any], None]]] = {
    ClockUpdate: _write_clock,
    GameValues: _write_game,
    SeatValues: _write_seat,
    ExistingAccount: _require_account,
    EndedSitting: _record_sitting,
    ChangedPlayers: _change_players,
    ReturnedSeat: _return_seat,
    EndedOffer: _end_offer,
    TakenOffer: _take_offer,
    NewOffer: store_offer,
    EmailSentAgain: _send_again,
    NeutralTurn: _play_neutral,
    EarlierPosition: _rewind,
    LastRound: _shorten,
    HandedOverSeat: _hand_over_seat,
    GameEvent: _append_event,
    NewNotification: _enqueue,
}


def _undone_turns_of(tx: Tx, row: GameRow, to_turn: int, state: State) -> tuple[ClockEvent, ...]:
    """Return how the turns began and ended that a return to ``state``, the position after a turn, takes back."""
    awaited = awaiting(state)
    is_within_turn = awaited is not None and awaited.kind in CHOICES_WITHIN_A_TURN
    return deadline_events.turn_starts_and_ends_since(
        tx, row.id, to_turn, includes_turn_before=is_within_turn
    )


def _give_lost_seats_back(tx: Tx, row: GameRow, turns: Sequence[ClockEvent]) -> GameRow:
    """Give the open seats back that their players would not have lost without these turns; return the game as it is then."""
    players_before = row.clock.take_back(turns, now=tx.now).clock.players
    seats = [
        (seat.number, seat.leaver_id)
        for seat, player in zip(row.seats, players_before, strict=True)
        if seat.is_lost and player.strikes < seat.strikes
        if player.strikes < row.late_rules.strikes_until_open
    ]
    for number, leaver_id in seats:
        if leaver_id is not None:
            give_seat_back(tx, row.id, number, leaver_id)
    return games.find_many_to_play(tx, [row.id])[row.id] if seats else row
