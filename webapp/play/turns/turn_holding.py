"""Holding a turn for some minutes, in which it can be changed, withdrawn or played at once."""

from datetime import timedelta

from engine.actions import Action
from webapp.accounts.person import Person
from webapp.clock.held_turn import HeldTurn
from webapp.clock.pace.calendar import lies_ahead
from webapp.clock.turn import ClockChange
from webapp.kernel.refusals import DenialReason, NotAllowed, StaleTurn
from webapp.kernel.tx import Tx
from webapp.play.access import GameAccess, LoadedGame, load_game
from webapp.play.queries import changes, clocks, games
from webapp.play.queries.clocks import ClockUpdate
from webapp.play.turns.turns import require_turn, take_turn, update_for


def play_or_hold(tx: Tx, access: GameAccess, action: Action, *, seq: int) -> HeldTurn | None:
    """Take the viewer's turn, or hold it for as long as they have chosen and return it. Once the deadline has passed it is never held.

    Raises what ``take_turn`` raises.
    """
    person, deadline_at = access.person, access.game.row.deadline_at
    is_in_time = lies_ahead(deadline_at, now=tx.now)
    if person is None or not person.hold_minutes or not is_in_time:
        take_turn(tx, access, action, seq=seq, by="player")
        return None
    require_turn(access.game, access.seat, seq)
    return _hold_turn(tx, _locked_access(tx, access, person), action, seq=seq)


def withdraw_turn(tx: Tx, access: GameAccess, *, seq: int) -> bool:
    """Take back the viewer's held turn and return whether there was one; the game must be locked (mode "change").

    Raises NotAllowed for onlookers, and StaleTurn if the game is no longer at ``seq``.
    """
    game = access.game
    held_turn = _held_turn_at(access, seq)
    if held_turn is None:
        return False
    _write(tx, game, game.row.clock.withdraw(now=tx.now))
    return True


def play_held_turn(tx: Tx, access: GameAccess, *, seq: int) -> None:
    """Let the viewer's held turn enter the game at once; the game must be locked (mode "change").

    Raises NotAllowed for onlookers, and StaleTurn if the game is no longer at ``seq`` or the turn is not held.
    """
    held_turn = _held_turn_at(access, seq)
    if held_turn is None or held_turn.action is None:
        raise StaleTurn(access.game.seq)
    take_turn(tx, access, held_turn.action, seq=seq, by="player")


def shown_held_turn(access: GameAccess) -> HeldTurn | None:
    """Return the turn that the viewer holds, or one that was dropped since their last turn; they alone are shown it."""
    game, seat, person = access
    held_turn = game.row.clock.stored_held_turn
    if held_turn is None or person is None or not game.status.is_under_way:
        return None
    if (held_turn.seat, held_turn.account_id) != (seat, person.id):
        return None
    return held_turn if held_turn.action is None else game.row.clock.held_turn


def _locked_access(tx: Tx, access: GameAccess, person: Person) -> GameAccess:
    """Return the game as it is under its lock. Raises StaleTurn if the viewer has lost their seat meanwhile."""
    game_id = access.game.row.id
    changes.lock_game(tx, game_id)
    row = games.find_many_to_play(tx, [game_id])[game_id]
    game = load_game(tx, row)
    if game.seat_of(person) != access.seat:
        raise StaleTurn(game.seq)
    return GameAccess(game, access.seat, person)


def _hold_turn(tx: Tx, access: GameAccess, action: Action, *, seq: int) -> HeldTurn:
    """Hold an action that the rules allow, instead of the one that was held before."""
    game, person, row = access.game, access.person, access.game.row
    seat = require_turn(game, access.seat, seq)
    # Decides whether the rules allow it, and is then forgotten.
    update_for(game, seat, action=action, by="player", now=tx.now)
    assert person is not None
    if row.deadline_at is None:
        raise StaleTurn(game.seq)
    earlier_turn = row.clock.held_turn
    if earlier_turn is not None and earlier_turn.action == action:
        # The same form again.
        return earlier_turn
    hold_time = timedelta(minutes=person.hold_minutes)
    change = row.clock.hold(action, hold_time=hold_time, account_id=person.id, now=tx.now)
    _write(tx, game, change)
    assert change.clock.held_turn is not None
    return change.clock.held_turn


def _held_turn_at(access: GameAccess, seq: int) -> HeldTurn | None:
    """Return the viewer's held turn. Raises NotAllowed and StaleTurn."""
    if access.seat is None:
        raise NotAllowed(DenialReason.NOT_SEATED)
    if seq != access.game.seq:
        raise StaleTurn(access.game.seq)
    held_turn = access.game.row.clock.held_turn
    return held_turn if held_turn is not None and held_turn.seat == access.seat else None


def _write(tx: Tx, game: LoadedGame, change: ClockChange) -> None:
    if not clocks.write(tx, ClockUpdate(game.row, change)):
        raise StaleTurn(game.seq)
