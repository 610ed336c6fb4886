"""The rows of the log that turns become, each with the head of the chain of turns after it."""

from collections.abc import Sequence
from datetime import datetime

from engine.actions import Action
from engine.events import Event
from engine.record import RecordedTurn, TurnSource
from engine.state import State
from engine.wire import decode_action, decode_events, encode_action, encode_events
from webapp.kernel.redacted import Redacted
from webapp.play.access import LoadedGame
from webapp.play.queries.results import ResultRow
from webapp.play.queries.turns import TurnRow


class TurnStep(Redacted, frozen=True, kw_only=True):
    """One turn of the log, before it is encoded."""

    seat: int | None
    by: TurnSource
    action: Action | None
    events: tuple[Event, ...]
    seq: int


def turn_rows(game: LoadedGame, steps: Sequence[TurnStep], *, now: datetime) -> tuple[TurnRow, ...]:
    """Return the rows for the next turns of a game; their heads continue the chain of the turns before."""
    chain = game.turn_chain()
    head = game.row.head or chain.start
    rows: list[TurnRow] = []
    for step in steps:
        head = chain.head_after(head, step.seq, _recorded_step(step))
        rows.append(_turn_row(step, head, now))
    return tuple(rows)


def recorded_turn(turn: TurnRow) -> RecordedTurn:
    """Return a turn of the log as the record of the game has it."""
    return RecordedTurn(
        seat=turn.seat,
        by=turn.by,
        action=None if turn.action is None else decode_action(turn.action),
        events=decode_events(turn.events),
    )


def _recorded_step(step: TurnStep) -> RecordedTurn:
    return RecordedTurn(seat=step.seat, by=step.by, action=step.action, events=step.events)


def _turn_row(step: TurnStep, head: bytes, now: datetime) -> TurnRow:
    return TurnRow(
        seq=step.seq,
        seat=step.seat,
        by=step.by,
        action=None if step.action is None else encode_action(step.action),
        events=encode_events(step.events),
        head=head,
        at=now,
    )


def results_of(state: State) -> tuple[ResultRow, ...]:
    """Return what each seat has won; nothing before the end of the game, when gold is not public."""
    if not state.winners:
        return ()
    return tuple(
        ResultRow(seat=seat, gold=sum(cards), is_winner=seat in state.winners)
        for seat, cards in enumerate(state.gold)
    )
