"""The stored format of actions, events and positions: JSON of msgspec's tagged structs.

``tests/wire`` holds a frozen sample of every stored type. Fields may only be added, each with a default, so that everything
stored stays readable. Decoding anything else raises :class:`msgspec.DecodeError`.
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
"""The version of stored positions. Increase it when older ones become unreadable; the server then folds the events again."""


class StoredMine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The stored form of a mine: its two switches and its cards in the order laid. All else is computed from them."""

    continue_path: bool
    build_from_goal_alone: bool
    laid: tuple[tuple[Cell, Shape], ...]

    def __post_init__(self) -> None:
        """Raise ValueError for an invalid cell or shape."""
        for cell, shape in self.laid:
            position(cell)
            if shape not in EDGES:
                raise ValueError("not the shape of a laid card")


def encode_action(action: Action) -> bytes:
    """Return an action as JSON."""
    return _encoder.encode(action)


def decode_action(text: bytes) -> Action:
    """Return the action in a JSON text."""
    return _action_decoder.decode(text)


def encode_events(events: tuple[Event, ...]) -> bytes:
    """Return the events of a turn as a JSON array, with every secret."""
    return _encoder.encode(events)


def decode_events(text: bytes) -> tuple[Event, ...]:
    """Return the events of a turn in a JSON array."""
    return _events_decoder.decode(text)


def encode_state(state: State) -> bytes:
    """Return a position as JSON in the format ``STATE_FORMAT``, with every secret."""
    return _encoder.encode(state)


def decode_state(text: bytes) -> State:
    """Return the position in a JSON text of the format ``STATE_FORMAT``."""
    return _state_decoder.decode(text)


def decode_winners(text: bytes) -> tuple[int, ...]:
    """Return the winners in the JSON text of a position, without decoding the rest; empty until the game has ended."""
    return _outcome_decoder.decode(text).winners


class _Outcome(msgspec.Struct, frozen=True):
    """The one field of a position that lists of finished games need."""

    winners: tuple[int, ...] = ()


def _encode_mine(mine: Mine) -> StoredMine:
    # Mine is the only type in a position that is not a struct, so the hook receives nothing else.
    return StoredMine(mine.continue_path, mine.build_from_goal_alone, tuple(mine.laid.items()))


def _decode_mine(_: type[Mine], value: object) -> Mine:
    stored_mine = msgspec.convert(value, StoredMine)
    return Mine(
        continue_path=stored_mine.continue_path,
        build_from_goal_alone=stored_mine.build_from_goal_alone,
        laid=dict(stored_mine.laid),
    )


_encoder: Final = msgspec.json.Encoder(enc_hook=_encode_mine)
_action_decoder: Final[msgspec.json.Decoder[Action]] = msgspec.json.Decoder(Action)
_events_decoder: Final[msgspec.json.Decoder[tuple[Event, ...]]] = msgspec.json.Decoder(
    tuple[Event, ...]
)
_state_decoder: Final[msgspec.json.Decoder[State]] = msgspec.json.Decoder(
    State, dec_hook=_decode_mine
)
_outcome_decoder: Final[msgspec.json.Decoder[_Outcome]] = msgspec.json.Decoder(_Outcome)
