"""Changes of a game's position and stage: the neutral action now, an earlier position, the end by cancelling."""

from engine.evolve import initial_state, positions
from engine.game import rewind as rewind_to
from engine.game import shorten_game
from engine.neutral_action import neutral_action
from engine.state import State
from engine.wire import decode_events
from webapp.game_status import GameStatus
from webapp.services.errors import DenialReason, FieldError, FieldErrors, NotAllowed, StaleTurn
from webapp.services.play.access import LoadedGame
from webapp.services.play.clock_changes import account_on_turn, require_status
from webapp.services.play.plans import plans_after_rewind
from webapp.services.play.public_change import (
    ChangeSource,
    PlannedChange,
    PublicChange,
    PublicFacts,
)
from webapp.services.play.turn_rows import TurnStep
from webapp.services.play.turns import add_nudges, game_update, update_for
from webapp.services.play.undone_turns import (
    give_lost_seats_back,
    row_without_turns,
    undone_turns_of,
    with_undone_turns,
)
from webapp.services.tx import Tx
from webapp.store.play import changes, turn_log, turns
from webapp.store.play.turns import GameUpdate


def play_neutral(source: ChangeSource) -> PlannedChange:
    """Play for the seat on turn what the clock would play at the deadline."""
    game, row = source.game, source.game.row
    require_status(row, GameStatus.RUNNING)
    seat = row.awaiting
    assert seat is not None

    def write(tx: Tx) -> None:
        action = neutral_action(game.view(seat), source.random_below)
        append(tx, update_for(game, seat, action=action, by="moderator", now=source.now))

    change = PublicChange(
        seat=seat,
        account_id=account_on_turn(row),
        before=PublicFacts(turn=row.seq),
        after=PublicFacts(turn=row.seq + 1),
    )
    return PlannedChange(change=change, write=write)


def rewind(source: ChangeSource, to_turn: int | None) -> PlannedChange:
    """Return to the position after an earlier turn, with the strikes, time banks and absences of then. The log keeps every turn, and a pause."""
    game = source.game
    require_status(game.row, GameStatus.RUNNING, GameStatus.PAUSED)
    if to_turn is None:
        raise FieldErrors(FieldError("turn", "required"))
    if not 0 <= to_turn < game.seq:
        raise NotAllowed(DenialReason.NO_EARLIER_TURN)

    def write(tx: Tx) -> None:
        state, events = rewind_to(_states_of_game(tx, game), to_turn)
        step = TurnStep(seat=None, by="moderator", action=None, events=events, seq=state.seq)
        undone_turns = undone_turns_of(tx, game.row, to_turn, state)
        row_with_players = give_lost_seats_back(tx.at(source.now), game.row, undone_turns)
        row = row_without_turns(row_with_players, undone_turns)
        update = game_update(
            LoadedGame(row),
            state,
            [step],
            plans_after_rewind(game.plans),
            is_continued=False,
            now=source.now,
        )
        append(tx, with_undone_turns(update, undone_turns, row.seats, now=source.now))

    change = PublicChange(
        before=PublicFacts(turn=game.seq),
        after=PublicFacts(turn=to_turn),
    )
    return PlannedChange(change=change, write=write)


def shorten(source: ChangeSource) -> PlannedChange:
    """Let the game end after the round under way, as all players have agreed; the turn under way continues."""
    game = source.game
    require_status(game.row, GameStatus.RUNNING, GameStatus.PAUSED)

    def write(tx: Tx) -> None:
        state, events = shorten_game(game.state)
        step = TurnStep(seat=None, by="vote", action=None, events=events, seq=state.seq)
        append(tx, game_update(game, state, [step], game.plans, is_continued=True, now=source.now))

    change = PublicChange(before=PublicFacts(turn=game.seq), after=PublicFacts(turn=game.seq + 1))
    return PlannedChange(change=change, write=write)


def cancel(source: ChangeSource) -> PlannedChange:
    """End the game without a winner; from now on nothing about it is secret."""
    row = source.game.row
    if row.status.is_over:
        raise NotAllowed(DenialReason.GAME_NOT_UNDER_WAY)
    values = {
        "status": GameStatus.CANCELLED,
        "ended_at": source.now,
        "paused_at": None,
        "deadline_at": None,
        "remind_at": None,
        "wake_at": None,
        "plans": None,
        "held_turn": None,
    }

    def write(tx: Tx) -> None:
        expected = changes.ExpectedPosition(row.id, row.seq, row.status)
        if not changes.change_game(tx.connection, expected, values):
            raise StaleTurn

    return PlannedChange(change=PublicChange(before=PublicFacts(turn=row.seq)), write=write)


def append(tx: Tx, update: GameUpdate) -> None:
    """Write an update and note who has something to do. Raises StaleTurn if the game has moved on."""
    if not turns.append(tx.connection, update):
        raise StaleTurn
    add_nudges(tx, (update,))


def _states_of_game(tx: Tx, game: LoadedGame) -> list[State]:
    """Return the position after every turn, from the log."""
    row = game.row
    log = [decode_events(turn.events) for turn in turn_log.all_turns(tx.connection, row.id)]
    return positions(initial_state(row.rulebook, game.house, row.seat_count), log)
