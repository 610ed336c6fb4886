"""Everything that was ever stored can still be read: ``tests/wire`` holds a frozen sample of every stored type.

A sample is the JSON in the database; ``compressed.txt`` holds each of them compressed, as hexadecimal. When a type gets another
field, its sample stays and a second one is added. Compressed samples are only read, because releases of zlib may write other bytes.
"""

import hashlib
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import wire
from engine.actions import Action, Pass
from engine.events import Event
from engine.mine import Mine
from engine.rulebook import HouseRules
from engine.state import Choice, RoundResult, State
from engine.wire import (
    decode_action,
    decode_events,
    decode_state,
    decode_winners,
    encode_action,
    encode_events,
    encode_state,
    stored_json,
)
from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.positions import offered_actions
from tests.support.engine.random_players import mostly_digging_action
from tests.support.engine.seeded_random import SeededRng
from tests.support.engine.strategies import ACTION_TYPES, EVENT_TYPES, any_action, any_event
from tests.support.rulebook_groups import every_rulebook

SAMPLES_FOLDER: Final = Path(__file__).parent.parent / "wire"
CODECS: Final[dict[str, tuple[Any, Any]]] = {
    "action": (decode_action, encode_action),
    "event": (decode_events, encode_events),
    "state": (decode_state, encode_state),
}
SAMPLE_NAMES: Final = sorted(path.stem for path in SAMPLES_FOLDER.glob("*.json"))
COMPRESSED_SAMPLES: Final = dict(
    line.split() for line in (SAMPLES_FOLDER / "compressed.txt").read_text().splitlines()
)


def sample_bytes(name: str) -> bytes:
    return (SAMPLES_FOLDER / f"{name}.json").read_bytes().removesuffix(b"\n")


def decoded_sample(name: str) -> Any:
    decode, _ = CODECS[name.partition("-")[0]]
    return decode(sample_bytes(name))


def types_within(value: object) -> Iterator[type]:
    """Yield the type of a value and of every value within it."""
    yield type(value)
    if isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from types_within(getattr(value, name))
    if isinstance(value, tuple):
        for item in value:
            yield from types_within(item)


@pytest.mark.parametrize("name", SAMPLE_NAMES)
def test_sample_is_decoded_and_encoded_unchanged(name: str) -> None:
    _, encode = CODECS[name.partition("-")[0]]
    encoded = encode(decoded_sample(name))
    assert encoded != sample_bytes(name)
    assert stored_json(encoded) == sample_bytes(name)


def test_compressed_samples_hold_every_plain_one() -> None:
    texts = {name: stored_json(bytes.fromhex(value)) for name, value in COMPRESSED_SAMPLES.items()}
    assert texts == {name: sample_bytes(name) for name in SAMPLE_NAMES}


@pytest.mark.parametrize("name", ["action-lay", "event-dealt", "state-over"])
def test_compressed_sample_is_decoded_like_the_plain_one(name: str) -> None:
    decode, _ = CODECS[name.partition("-")[0]]
    assert decode(bytes.fromhex(COMPRESSED_SAMPLES[name])) == decoded_sample(name)


def test_dictionary_of_compressed_values_never_changes() -> None:
    assert hashlib.sha256(wire._DICTIONARY).hexdigest() == (
        "39dd7801d6d7a01370713132a2f85381a1068830541cad7984a5d4323a018448"
    )


def compressed_by_hand(text: bytes) -> bytes:
    compressor = zlib.compressobj(wbits=-13)
    return b"\x01" + compressor.compress(text) + compressor.flush()


@pytest.mark.parametrize(
    "value",
    [
        b"\x01",
        b"\x01garbage",
        b"\x02" + compressed_by_hand(b'{"do":"pass"}')[1:],
        compressed_by_hand(b'{"do":"pass"}')[:-1],
        compressed_by_hand(b'{"do":"pass"}') + b"\x00",
        compressed_by_hand(b'{"do":"pass"}' + b" " * (1 << 20)),
        compressed_by_hand(b'{"do":"fly"}'),
    ],
)
def test_damaged_compressed_value_is_refused(value: bytes) -> None:
    assert decode_action(compressed_by_hand(b'{"do":"pass"}')) == Pass()
    with pytest.raises(msgspec.DecodeError):
        decode_action(value)


def test_every_stored_type_has_a_sample() -> None:
    stored_value = {
        *ACTION_TYPES,
        *EVENT_TYPES,
        *get_args(Choice),
        State,
        Mine,
        HouseRules,
        RoundResult,
    }
    sampled_types = {part for name in SAMPLE_NAMES for part in types_within(decoded_sample(name))}
    assert stored_value <= sampled_types


def test_every_sample_is_named_after_its_type() -> None:
    named_kinds = {name.partition("-")[2] for name in SAMPLE_NAMES if not name.startswith("state")}
    assert named_kinds == {kind.__struct_config__.tag for kind in (*ACTION_TYPES, *EVENT_TYPES)}


def test_event_samples_contain_every_field() -> None:
    for kind in EVENT_TYPES:
        (stored_value,) = msgspec.json.decode(sample_bytes(f"event-{kind.__struct_config__.tag}"))
        assert set(stored_value) == {"event", *kind.__struct_fields__}


@given(any_action)
def test_every_action_is_decoded_as_it_was_encoded(action: Action) -> None:
    assert decode_action(encode_action(action)) == action


@given(st.lists(any_event, max_size=6).map(tuple))
def test_events_of_a_turn_are_decoded_as_they_were_encoded(events: tuple[Event, ...]) -> None:
    assert decode_events(encode_events(events)) == events


@every_rulebook
def test_every_state_of_a_game_is_decoded_as_it_was_encoded(rulebook: str) -> None:
    game, rng = InMemoryGame(rulebook, seats=5), SeededRng(1)
    while not game.is_over:
        state = game.state
        restored = decode_state(encode_state(state))
        assert restored == state
        for part in (
            "open_cells",
            "closed_cells",
            "disconnected",
            "reached_goals",
            "reached_cells",
        ):
            assert getattr(restored.mine, part) == getattr(state.mine, part), part
        assert offered_actions(restored) == game.offered_actions()
        game.play(mostly_digging_action(state, rng))
    assert decode_state(encode_state(game.state)) == game.state


@pytest.mark.parametrize("name", [name for name in SAMPLE_NAMES if name.startswith("state-")])
def test_winners_are_decoded_without_the_rest_of_a_state(name: str) -> None:
    stored_value = sample_bytes(name)
    assert decode_winners(stored_value) == decode_state(stored_value).winners
    assert bool(decode_winners(stored_value)) == (name == "state-over")


@pytest.mark.parametrize(
    "damage",
    [
        (b'"A5"', b'"a5"'),
        (b'"A5"', b"5"),
        (b'"start"', b'"end"'),
        (b'"laid"', b'"lying"'),
        (b'"continue_path":true', b'"continue_path":1'),
        (b'"seq"', b'"sequence"'),
        (b"{", b""),
    ],
)
def test_damaged_state_is_refused(damage: tuple[bytes, bytes]) -> None:
    stored_value = sample_bytes("state-turn")
    assert damage[0] in stored_value
    with pytest.raises(msgspec.DecodeError):
        decode_state(stored_value.replace(*damage, 1))


@pytest.mark.parametrize(
    "stored_value", [b"", b"{}", b'{"do":"fly"}', b'{"do":"pass","card":"map"}']
)
def test_malformed_action_is_refused(stored_value: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode_action(stored_value)


@pytest.mark.parametrize("stored_value", [b"{}", b"[{}]", b'[{"event":"passed"}]', b"[1]"])
def test_malformed_events_are_refused(stored_value: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode_events(stored_value)


def test_state_format_is_version_one() -> None:
    assert wire.STATE_FORMAT == 1
