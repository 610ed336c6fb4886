"""A sound game record, and functions that return it with a part replaced."""

from typing import Any

import msgspec

from engine.events import Event
from engine.record import Record
from engine.rulebook import HouseRules
from tests.support.engine.sample_games import sample_recorder

SOUND_RECORD = sample_recorder(seats=3, seed=3, house=HouseRules(rounds=2)).play_randomly().record()


def with_parts(record: Record, **parts: Any) -> Record:
    return msgspec.structs.replace(record, **parts)


def with_turn(record: Record, seq: int, **parts: Any) -> Record:
    turns = list(record.turns)
    turns[seq] = msgspec.structs.replace(turns[seq], **parts)
    return with_parts(record, turns=tuple(turns))


def with_event(record: Record, seq: int, index: int, **fields: Any) -> Record:
    events = list(record.turns[seq].events)
    events[index] = msgspec.structs.replace(events[index], **fields)
    return with_turn(record, seq, events=tuple(events))


def find_event_position(record: Record, kind: type[Event], after_seq: int = 0) -> tuple[int, int]:
    """Return the turn and the index in it of the first event of a kind, from turn ``after_seq`` on."""
    return next(
        (seq, index)
        for seq, turn in enumerate(record.turns)
        for index, event in enumerate(turn.events)
        if isinstance(event, kind) and seq >= after_seq
    )
