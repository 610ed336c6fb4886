"""How actions, events and positions are stored: JSON through msgspec's tagged structs.

``tests/wire`` holds one frozen sample of every stored type. Fields are only ever added, each with a default, so that
whatever was once written can be read for ever. Decoding raises :class:`msgspec.DecodeError` on anything else.
"""

from typing import Final

import msgspec

from engine.actions import Action
from engine.cards import EDGES, Shape
from engine.cells import Cell, position
from engine.events import Event
from engine.mine import Mine
from engine.state import State

STATE_FORMAT: Final = 1
"""Raised whenever a stored position can no longer be read; the server then folds the events anew."""


class StoredMine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mine as it is stored: its two switches and its cards in the order laid; the rest follows from these."""

    continue_path: bool
    build_from_goal_alone: bool
    laid: tuple[tuple[Cell, Shape], ...]

    def __post_init__(self) -> None:
        """Refuse what no mine holds. Raises ValueError."""
        for cell, shape in self.laid:
            position(cell)
            if shape not in EDGES:
                raise ValueError("this is no card that can lie in a mine")


def encode_action(action: Action) -> bytes:
    """An action as JSON."""
    return _encoder.encode(action)


def decode_action(text: bytes) -> Action:
    """Read an action."""
    return _actions.decode(text)


def encode_events(events: tuple[Event, ...]) -> bytes:
    """The events of a turn as a JSON array. They hold every secret."""
    return _encoder.encode(events)


def decode_events(text: bytes) -> tuple[Event, ...]:
    """Read the events of a turn."""
    return _events.decode(text)


def encode_state(state: State) -> bytes:
    """A position as JSON, in the format ``STATE_FORMAT``. It holds every secret."""
    return _encoder.encode(state)


def decode_state(text: bytes) -> State:
    """Read a position of the format ``STATE_FORMAT``."""
    return _states.decode(text)


def _store(mine: Mine) -> StoredMine:
    # The one type in a position that is no struct, so that nothing else can come here.
    return StoredMine(mine.continue_path, mine.build_from_goal_alone, tuple(mine.laid.items()))


def _restore(_: type[Mine], value: object) -> Mine:
    stored = msgspec.convert(value, StoredMine)
    return Mine(
        continue_path=stored.continue_path,
        build_from_goal_alone=stored.build_from_goal_alone,
        laid=dict(stored.laid),
    )


_encoder: Final = msgspec.json.Encoder(enc_hook=_store)
_actions: Final[msgspec.json.Decoder[Action]] = msgspec.json.Decoder(Action)
_events: Final[msgspec.json.Decoder[tuple[Event, ...]]] = msgspec.json.Decoder(tuple[Event, ...])
_states: Final[msgspec.json.Decoder[State]] = msgspec.json.Decoder(State, dec_hook=_restore)
