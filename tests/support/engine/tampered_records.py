"""A sound game, and ways to tamper with its record."""

from typing import Any

import msgspec

from engine.events import Event
from engine.record import Record
from engine.rulebook import HouseRules
from tests.support.engine.recorded_games import Recorder

WHOLE = Recorder(seats=3, seed=3, house=HouseRules(rounds=2)).play().record()


def changed(record: Record, **parts: Any) -> Record:
    return msgspec.structs.replace(record, **parts)


def with_turn(record: Record, seq: int, **parts: Any) -> Record:
    turns = list(record.turns)
    turns[seq] = msgspec.structs.replace(turns[seq], **parts)
    return changed(record, turns=tuple(turns))


def with_event(record: Record, seq: int, place: int, **fields: Any) -> Record:
    events = list(record.turns[seq].events)
    events[place] = msgspec.structs.replace(events[place], **fields)
    return with_turn(record, seq, events=tuple(events))


def first_with(record: Record, kind: type[Event], after: int = 0) -> tuple[int, int]:
    """The turn and the place in it of the first event of a kind."""
    return next(
        (seq, place)
        for seq, turn in enumerate(record.turns)
        for place, event in enumerate(turn.events)
        if isinstance(event, kind) and seq >= after
    )
