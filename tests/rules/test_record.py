"""Game files: whole games written as text and read again."""

from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.bots.simulation import SimulationSettings, simulate
from engine.commitments import freeze
from engine.errors import ParseError
from engine.record import write_record
from engine.record_reading import read_record
from engine.rulebook import HouseRules
from engine.verification import verify_record
from tests.support.engine.sample_games import NAMES, eventful_record, sample_recorder
from tests.support.rulebook_groups import every_number_of_seats, every_rulebook

RECORD = sample_recorder(seats=3, seed=5, house=HouseRules(rounds=1)).play_randomly(12).record()
GAME_TEXT = write_record(RECORD)
GAME_LINES = GAME_TEXT.split("\n")


def parse_error_of(text: str | bytes) -> ParseError:
    with pytest.raises(ParseError) as error_info:
        read_record(text if isinstance(text, bytes) else text.encode())
    return error_info.value


def line_number_of(beginning: str) -> int:
    return next(number for number, line in enumerate(GAME_LINES, 1) if line.startswith(beginning))


@every_rulebook
def test_game_record_is_read_as_it_was_written(rulebook: str) -> None:
    record = eventful_record(rulebook)
    assert read_record(write_record(record).encode()) == record
    assert write_record(read_record(write_record(record).encode())) == write_record(record)


@every_number_of_seats
def test_record_with_any_number_of_seats_is_read_as_it_was_written(seats: int) -> None:
    record = sample_recorder(seats=seats, seed=seats, starter=seats - 1).play_randomly(20).record()
    assert read_record(write_record(record).encode()) == record


def test_unopened_record_is_written_without_secrets() -> None:
    record = sample_recorder().play_randomly(5).record(includes_secrets=False)
    assert "secret" not in write_record(record)
    assert read_record(write_record(record).encode()) == record


def test_simulation_is_written_as_a_sound_record() -> None:
    setting = SimulationSettings(
        rulebook="sv-web", players=3, levels={"digger": "random", "saboteur": "steady"}
    )
    record = simulate(setting, name="bots", seed=b"record").record
    assert {turn.by for turn in record.turns} == {"bot"}
    assert read_record(write_record(record).encode()) == record
    assert verify_record(record).is_sound


def test_game_file_has_only_printable_lines() -> None:
    text = write_record(eventful_record("et-2007", seats=10))
    assert text.endswith("\nend\n")
    assert all(line.isprintable() for line in text.split("\n"))
    assert all(len(line) <= 100 for line in text.split("\n") if not line.startswith("seat"))


def test_game_file_begins_with_the_table() -> None:
    record = sample_recorder(seats=3, seed=5, house=HouseRules(open_gold=True, rounds=2)).record()
    assert write_record(record).split("\n")[:7] == [
        "lodepost game 1",
        'game: "brave-otter-3"',
        "rulebook: en-2004",
        "house: open-gold rounds=2",
        "starter: chance",
        'seat 1: "Anna" salt -',
        'seat 2: "Bob \\"the cart\\" O\'Neil \\\\" salt 01010101010101',
    ]


def test_player_name_cannot_forge_a_line() -> None:
    text = write_record(sample_recorder(seats=10).record())
    assert sum(line.startswith("seat 5") for line in text.split("\n")) == 1
    assert tuple(seat.name for seat in read_record(text.encode()).table.seats) == NAMES


@given(st.lists(st.text(st.characters(codec="utf-8")), min_size=3, max_size=3))
def test_any_name_is_read_as_it_was_written(names: list[str]) -> None:
    seats = tuple(
        msgspec.structs.replace(seat, name=name)
        for seat, name in zip(RECORD.table.seats, names, strict=True)
    )
    table = msgspec.structs.replace(RECORD.table, seats=seats)
    record = msgspec.structs.replace(RECORD, table=table, freeze=freeze(table))
    assert read_record(write_record(record).encode()) == record


def test_repr_of_a_record_and_its_turns_shows_nothing_secret() -> None:
    assert repr(RECORD) == "<Record>"
    assert repr(RECORD.turns[0]) == "<RecordedTurn>"


@pytest.mark.parametrize(
    "alter",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\n", "\n\n").replace("\n\n      ", "\n      "),
        lambda text: text.removesuffix("\n"),
    ],
)
def test_file_with_other_line_ends_or_empty_lines_is_read(alter: Callable[[str], str]) -> None:
    assert read_record(alter(GAME_TEXT).encode()) == RECORD
