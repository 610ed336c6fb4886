"""Any bytes submitted as a game file are read or refused; a record that was read is verified and replayed or refused."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ParseError
from engine.record import Record, write_record
from engine.record_reading import read_record
from engine.replaying import ReplayError, frames
from engine.text_drawing import draw_mine
from engine.verification import verify_record
from tests.support.engine.sample_games import eventful_record

# Slow tests of code that other tests cover line by line.
pytestmark = pytest.mark.no_cover


def check_readable_or_refused(text: bytes) -> None:
    """Assert that a file is refused, or that its record can be verified and replayed up to the first impossible turn."""
    try:
        record = read_record(text)
    except ParseError:
        return
    verify_record(record)
    for seat in (None, 0, len(record.table.seats) - 1):
        check_replay(record, seat)


def check_replay(record: Record, seat: int | None) -> None:
    frame_count = 0
    with suppress(ReplayError):
        for frame in frames(record, seat, reveal_all=True):
            assert frame.view.seat == seat
            assert draw_mine(frame.view)
            frame_count += 1
    assert frame_count <= len(record.turns)


GAME_LINES = write_record(eventful_record("et-2007", seats=3, seed=9)).split("\n")


@given(st.data())
def test_file_with_shuffled_lines_is_read_or_refused(data: st.DataObject) -> None:
    lines = list(GAME_LINES)
    for _ in range(data.draw(st.integers(1, 4))):
        line_index = data.draw(st.integers(0, len(lines) - 1))
        match data.draw(st.sampled_from(("drop", "double", "swap"))):
            case "drop":
                del lines[line_index]
            case "double":
                lines.insert(line_index, lines[line_index])
            case _:
                other = data.draw(st.integers(0, len(lines) - 1))
                lines[line_index], lines[other] = lines[other], lines[line_index]
    check_readable_or_refused("\n".join(lines).encode())


@given(st.data())
def test_file_with_exchanged_words_is_read_or_refused(data: st.DataObject) -> None:
    lines = [line.split(" ") for line in GAME_LINES]
    for _ in range(data.draw(st.integers(1, 6))):
        line = data.draw(st.sampled_from(lines))
        other = data.draw(st.sampled_from(lines))
        place = data.draw(st.integers(0, len(line) - 1))
        line[place] = data.draw(st.sampled_from(other))
    check_readable_or_refused("\n".join(map(" ".join, lines)).encode())


@given(st.data())
def test_file_with_changed_bytes_is_read_or_refused(data: st.DataObject) -> None:
    content = bytearray("\n".join(GAME_LINES).encode())
    for _ in range(data.draw(st.integers(1, 8))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    check_readable_or_refused(bytes(content))


@given(st.binary(max_size=300))
def test_random_bytes_are_refused(random_bytes: bytes) -> None:
    with pytest.raises(ParseError):
        read_record(random_bytes)
    check_readable_or_refused(b"lodepost game 1\n" + random_bytes)
