"""Recorded games for every rulebook and every ending of a round, with what every seat knew at selected turns.

Beside each ``.game`` in ``tests/games``, a ``.views`` holds for every turn with something new what an onlooker knew and
read, and under each seat only what it knew and read beyond that: a leak shows as an extra line.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from engine.evolve import fold, initial_state
from engine.mine import Mine
from engine.narration import Line, LineKey
from engine.record import Record, write_record
from engine.record_reading import read_record
from engine.replaying import Frame, frames
from engine.rulebook import HouseRules, Rulebook
from engine.rulebooks.catalogue import RULEBOOKS
from engine.verification import verify_record
from engine.view import View
from tests.support.golden import equals_golden_file

GAMES_FOLDER: Final = Path(__file__).parent.parent / "games"
GAME_NAMES: Final = sorted(path.stem for path in GAMES_FOLDER.glob("*.game"))


def read_game(name: str) -> Record:
    return read_record((GAMES_FOLDER / f"{name}.game").read_bytes())


def onlooker_frames(name: str) -> list[Frame]:
    return list(frames(read_game(name), None))


@pytest.mark.parametrize("name", GAME_NAMES)
def test_recorded_game_is_sound_and_finished(name: str) -> None:
    report = verify_record(read_game(name))
    assert report.flaws == ()
    assert report.is_finished


@pytest.mark.parametrize("name", GAME_NAMES)
def test_recorded_game_is_written_as_it_was_read(name: str) -> None:
    assert write_record(read_game(name)) == (GAMES_FOLDER / f"{name}.game").read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize("name", GAME_NAMES)
def test_recorded_game_folds_to_its_winners(name: str) -> None:
    record = read_game(name)
    table = record.table
    start = initial_state(table.rulebook, table.house, len(table.seats))
    state = fold(start, [turn.events for turn in record.turns])
    nuggets = [sum(cards) for cards in state.gold]
    assert state.winners == tuple(
        seat for seat, nugget_sum in enumerate(nuggets) if nugget_sum == max(nuggets)
    )


@pytest.mark.parametrize("name", GAME_NAMES)
def test_every_seat_knows_exactly_what_its_golden_file_says(name: str) -> None:
    transcript = "".join(f"{line}\n" for line in transcript_lines(read_game(name)))
    assert equals_golden_file(GAMES_FOLDER / f"{name}.views", transcript)


@pytest.mark.parametrize("rulebook", RULEBOOKS.values(), ids=RULEBOOKS)
def test_recorded_games_contain_every_ending_of_a_round(rulebook: Rulebook) -> None:
    endings = {
        (result.ending, result.winners)
        for name in GAME_NAMES
        if read_game(name).table.rulebook == rulebook.key
        for result in onlooker_frames(name)[-1].view.results
    }
    endings_without_treasure = {"exhausted"} | (
        {"circle-of-passes"} if rulebook.circle_of_passes else set()
    )
    assert endings == {("treasure", "diggers")} | {
        (ending, side) for ending in endings_without_treasure for side in ("saboteurs", "nobody")
    }


def test_recorded_games_use_every_house_rule() -> None:
    recorded_house_rules = [read_game(name).table.house for name in GAME_NAMES]
    for field in msgspec.structs.fields(HouseRules):
        assert any(getattr(house, field.name) != field.default for house in recorded_house_rules), (
            field.name
        )


def test_recorded_games_contain_every_kind_of_history_entry() -> None:
    opened_keys = {
        line.key
        for name in GAME_NAMES
        for frame in frames(read_game(name), None, reveal_all=True)
        for line in frame.lines
    }
    public_keys = {
        line.key for name in GAME_NAMES for frame in onlooker_frames(name) for line in frame.lines
    }
    assert set(LineKey) == opened_keys | public_keys


def transcript_lines(record: Record) -> Iterator[str]:
    """Yield at each notable turn what an onlooker knew, and what each seat knew beyond that."""
    public_frames = list(frames(record, None))
    frames_of_seats = [list(frames(record, seat)) for seat in range(len(record.table.seats))]
    for seq in notable_turns(public_frames):
        public_frame = public_frames[seq]
        yield f"turn {seq}"
        yield f"  onlooker knew {to_json(fields_of(public_frame.view))}"
        yield f"  onlooker read {to_json(public_frame.lines)}"
        for number, seat_frames in enumerate(frames_of_seats, 1):
            own_frame = seat_frames[seq]
            yield f"  seat {number} knew {to_json(private_fields(own_frame.view, public_frame.view))}"
            yield f"  seat {number} read {to_json(private_lines(own_frame.lines, public_frame.lines))}"


def notable_turns(public_frames: list[Frame]) -> list[int]:
    """Return the turns with a new kind of history entry or the end of a round, and the last turn."""
    seen_keys: set[LineKey] = set()
    notable_seqs = []
    for frame in public_frames:
        keys = {line.key for line in frame.lines}
        if keys - seen_keys or LineKey.ROUND_ENDED in keys or frame is public_frames[-1]:
            notable_seqs.append(frame.seq)
        seen_keys |= keys
    return notable_seqs


def fields_of(view: View) -> dict[str, Any]:
    return {name: getattr(view, name) for name in view.__struct_fields__}


def private_fields(view: View, public_view: View) -> dict[str, Any]:
    known_fields = fields_of(public_view)
    return {name: value for name, value in fields_of(view).items() if value != known_fields[name]}


def private_lines(lines: tuple[Line, ...], public_lines: tuple[Line, ...]) -> list[Line]:
    """Return the history entries that only this seat reads, or reads in more detail than an onlooker."""
    return [line for line in lines if line not in public_lines]


def to_json(value: object) -> str:
    return msgspec.json.encode(value, enc_hook=encode_mine).decode()


def encode_mine(mine: Mine) -> str:
    return " ".join(f"{cell} {shape}" for cell, shape in mine.laid.items())
