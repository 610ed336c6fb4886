"""The stored format of actions, events and positions: JSON of msgspec's tagged structs, compressed with a frozen dictionary.

A stored value is the byte 01 and a raw deflate stream with the dictionary below (RFC 1951), or else plain JSON, which begins
with another byte. ``tests/wire`` holds a frozen sample of every stored type in both forms. Fields may only be added, each with
a default, so that everything stored stays readable. Decoding anything else raises :class:`msgspec.DecodeError`.
"""

import zlib
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
_DEFLATED: Final = b"\x01"
_WINDOW_BITS: Final = -13
"""A window of 8 KiB, which holds the dictionary and a position; negative for a stream without header and checksum."""
_MAX_BYTES: Final = 1 << 20
"""The largest size of the JSON: hundreds of times that of any real one, so a damaged row can't fill the memory."""


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
    """Return the stored value of an action."""
    return _compressed(_encoder.encode(action))


def decode_action(value: bytes) -> Action:
    """Return the action in a stored value."""
    return _action_decoder.decode(stored_json(value))


def encode_events(events: tuple[Event, ...]) -> bytes:
    """Return the stored value of the events of a turn, with every secret."""
    return _compressed(_encoder.encode(events))


def decode_events(value: bytes) -> tuple[Event, ...]:
    """Return the events of a turn in a stored value."""
    return _events_decoder.decode(stored_json(value))


def encode_state(state: State) -> bytes:
    """Return the stored value of a position in the format ``STATE_FORMAT``, with every secret."""
    return _compressed(_encoder.encode(state))


def decode_state(value: bytes) -> State:
    """Return the position in a stored value of the format ``STATE_FORMAT``."""
    return _state_decoder.decode(stored_json(value))


def decode_winners(value: bytes) -> tuple[int, ...]:
    """Return the winners in the stored value of a position, without decoding the rest; empty until the game has ended."""
    return _outcome_decoder.decode(stored_json(value)).winners


def stored_json(value: bytes) -> bytes:
    """Return the JSON in a stored value, with every secret. Raises msgspec.DecodeError if a compressed one is damaged."""
    if not value.startswith(_DEFLATED):
        return value
    decompressor = zlib.decompressobj(_WINDOW_BITS, zdict=_DICTIONARY)
    try:
        text = decompressor.decompress(value[len(_DEFLATED) :], _MAX_BYTES)
    except zlib.error:
        raise msgspec.DecodeError("A stored value is damaged.") from None
    if not decompressor.eof or decompressor.unused_data:
        raise msgspec.DecodeError("A stored value is truncated, or longer than it can be.")
    return text


def _compressed(text: bytes) -> bytes:
    compressor = _COMPRESSOR.copy()
    return _DEFLATED + compressor.compress(text) + compressor.flush()


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

_DICTIONARY: Final = b"""
{"do":"break","card":"break-cart","seat":9}{"do":"choosegoal","cell":"I5"}{"do":"discard",
"card":"map"}{"do":"lay","card":"path-trb","cell":"D5","turned":true}{"do":"look","cell":"I3"}
{"do":"pass"}{"do":"repair","card":"repair-lantern","seat":2,"tool":"cart"}{"do":"rockfall",
"cell":"C4"}{"do":"takegold","nuggets":3}{"do":"turngoal","turned":true}[{"event":"goalsreached",
"seat":1,"cells":["I3","I5"]}][{"event":"golddrawn","seat":1,"cards":[3,1,1]}][{"event":"passed",
"seat":1}][{"event":"gameended","nuggets":[0,4,12],"winners":[2]}][{"event":"goldpaid","seat":1,
"cards":[1,2],"overshot":[3],"pile":[1,1],"restored":true}][{"event":"dealt","round":1,
"starter":2,"roles":["digger","saboteur","digger"],"aside":"digger","goals":["stone-tr",
"treasure","stone-tl"],"hands":[["map","path-tb"],[],["rockfall"]],"deck":["dead-l"],"pile":[1,2,
3]}][{"event":"roundended","round":1,"ending":"circle-of-passes","winners":"nobody","ended_by":2,
"roles":["digger","digger","digger"],"aside":"saboteur"}][{"event":"seatgivenup","seat":1}]
[{"event":"goalturned","seat":1,"cell":"I3","goal":"stone-tl","turned":true}]
[{"event":"toolmended","seat":1,"card":"repair-cart","target":2,"tool":"cart"}]
[{"event":"goldtaken","seat":1,"nuggets":3,"passed_to":0}][{"event":"rockfell","seat":1,
"cell":"C4","card":"path-trb"}][{"event":"goalseen","seat":1,"cell":"I3","goal":"treasure"}]
[{"event":"toolbroken","seat":1,"card":"break-lantern","target":2}][{"event":"discarded",
"seat":1,"card":"map","toward_circle":true}][{"event":"cardlaid","seat":1,"card":"path-trb",
"cell":"D5","turned":true}][{"event":"drawn","seat":1,"card":"path-tb"}][{"event":"turnbegan",
"seat":1}]"repair-pickaxe-cart","repair-pickaxe-lantern","dead-rb","dead-trb","dead-trbl",
"dead-tb","dead-tr","dead-l","dead-b","repair-lantern","repair-lantern-cart","dead-rbl",
"rockfall","dead-rl","repair-cart","break-pickaxe","break-cart","break-lantern","repair-pickaxe",
"path-rl","path-tb","path-rb","path-rbl","path-trb","path-tr","path-trbl",
"map"{"rulebook":"en-2004","house":{"open_gold":true,"no_self_breaking":true},"seats":4,
"seq":108,"round":2,"first_starter":0,"last_turn":1,"turn":1,"choice":null,"unsettled":[],
"roles":["digger","digger","digger","saboteur"],"aside":"digger","goals":["treasure","stone-tr",
"stone-tl"],"hands":[[],["break-pickaxe","repair-lantern","repair-lantern-cart","repair-cart",
"break-cart","dead-l"],[],[]],"deck":[],"discards":[],"mine":{"continue_path":false,
"build_from_goal_alone":true,"laid":[["A5","start"],["B5","path-rl"],["C5","path-trbl"],["C4",
"path-rb"],["D2","path-rb"],["A4","dead-rb"],["D1","path-tr"],["D0","path-trb"],["C6","path-tr"],
["D6","path-rbl"],["E3","path-trbl"],["E4","path-trb"],["C1","path-tb"],["D-1","path-rb"],["C-1",
"dead-t"],["A6","path-tb"],["D7","path-tb"],["F4","dead-rbl"],["G4","dead-rl"],["G3","path-tr"],
["H4","path-rl"],["I4","path-trbl"],["G2","path-trb"],["H5","path-rb"]]},"last_laid":"H5",
"broken":[[],[],["cart"],[]],"seen":[[],["I5","I7","I3"],["I5"],[]],"passed":[],"gone":[0,3,2],
"gold":[[],[],[],[]],"pile":[1,1,1,1,2,1,1,2,2,3,1,1,1,2,3,1,1,1,2,2,2,1,3,1,1,1,2,3],
"results":[{"round":1,"ending":"circle-of-passes","winners":"nobody","roles":["digger","digger",
"digger","digger"],"aside":"saboteur","gold_cards":[0,0,0,0],"nuggets_paid":[0,0,0,0]}],
"winners":[]}[{"event":"discarded","seat":0,"card":"map"},{"event":"drawn","seat":2,
"card":"break-lantern"},{"event":"turnbegan","seat":0}][{"event":"cardlaid","seat":1,
"card":"path-trbl","cell":"E5","turned":false},{"event":"drawn","seat":1,"card":"path-trb"},
{"event":"turnbegan","seat":2}]
""".replace(b"\n", b"")
"""What stored values have in common, the most frequent last. Never change it: no compressed value can be read without it."""
_COMPRESSOR: Final = zlib.compressobj(6, zlib.DEFLATED, _WINDOW_BITS, 6, zdict=_DICTIONARY)
"""Copied for each value, which costs less than reading the dictionary again."""
