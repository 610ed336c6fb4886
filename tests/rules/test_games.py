"""Whole recorded games for every rulebook and every way a round can end, with what every seat knew at marked points.

Beside each ``.game`` in ``tests/games`` a ``.views`` holds, for the turns in which something new happened, what anybody knew and
heard, and under each seat only what it knew and heard beyond that: a leak shows as a line more.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from engine.evolve import fold, initial_state
from engine.mine import Mine
from engine.record import Record, write_record
from engine.record_reading import read_record
from engine.replaying import Frame, frames
from engine.rulebook import HouseRules, Rulebook
from engine.rulebooks.catalogue import RULEBOOKS
from engine.story import Line, LineKey
from engine.verification import verify_record
from engine.view import View
from tests.support.golden import is_golden

GAMES: Final = Path(__file__).parent.parent / "games"
EVERY_GAME: Final = sorted(path.stem for path in GAMES.glob("*.game"))


def recorded(name: str) -> Record:
    return read_record((GAMES / f"{name}.game").read_bytes())


def onlooker(name: str) -> list[Frame]:
    return list(frames(recorded(name), None))


@pytest.mark.parametrize("name", EVERY_GAME)
def test_a_recorded_game_is_sound_and_played_to_its_end(name: str) -> None:
    report = verify_record(recorded(name))
    assert report.findings == ()
    assert report.finished


@pytest.mark.parametrize("name", EVERY_GAME)
def test_a_recorded_game_is_written_as_it_was(name: str) -> None:
    assert write_record(recorded(name)) == (GAMES / f"{name}.game").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", EVERY_GAME)
def test_a_recorded_game_folds_to_the_winners_it_names(name: str) -> None:
    record = recorded(name)
    table = record.table
    start = initial_state(table.rulebook, table.house, len(table.seats))
    state = fold(start, [turn.events for turn in record.turns])
    nuggets = [sum(cards) for cards in state.gold]
    assert state.winners == tuple(seat for seat, sum_ in enumerate(nuggets) if sum_ == max(nuggets))


@pytest.mark.parametrize("name", EVERY_GAME)
def test_every_seat_knew_and_heard_just_this(name: str) -> None:
    transcript = "".join(f"{line}\n" for line in told(recorded(name)))
    assert is_golden(GAMES / f"{name}.views", transcript)


@pytest.mark.parametrize("rulebook", RULEBOOKS.values(), ids=RULEBOOKS)
def test_there_is_a_recorded_game_for_every_way_a_round_can_end(rulebook: Rulebook) -> None:
    endings = {
        (result.ending, result.winners)
        for name in EVERY_GAME
        if recorded(name).table.rulebook == rulebook.key
        for result in onlooker(name)[-1].view.results
    }
    silent = {"exhausted"} | ({"circle-of-passes"} if rulebook.circle_of_passes else set())
    assert endings == {("treasure", "diggers")} | {
        (ending, side) for ending in silent for side in ("saboteurs", "nobody")
    }


def test_there_is_a_recorded_game_with_every_house_rule() -> None:
    houses = [recorded(name).table.house for name in EVERY_GAME]
    for field in msgspec.structs.fields(HouseRules):
        assert any(getattr(house, field.name) != field.default for house in houses), field.name


def test_in_some_recorded_game_everything_happens_that_can_be_told() -> None:
    heard = {
        line.key
        for name in EVERY_GAME
        for frame in frames(recorded(name), None, opened=True)
        for line in frame.lines
    }
    by_seats = {line.key for name in EVERY_GAME for frame in onlooker(name) for line in frame.lines}
    assert set(LineKey) == heard | by_seats


def told(record: Record) -> Iterator[str]:
    """The transcript: at each marked turn what anybody knew, and what each seat knew beyond that."""
    anybody = list(frames(record, None))
    seats = [list(frames(record, seat)) for seat in range(len(record.table.seats))]
    for seq in marks(anybody):
        public = anybody[seq]
        yield f"turn {seq}"
        yield f"  anybody knew {json(facts(public.view))}"
        yield f"  anybody heard {json(public.lines)}"
        for number, shots in enumerate(seats, 1):
            yield f"  seat {number} knew {json(beyond(shots[seq].view, public.view))}"
            yield f"  seat {number} heard {json(private(shots[seq].lines, public.lines))}"


def marks(shots: list[Frame]) -> list[int]:
    """The turns in which something was told for the first time, or a round ended, the last of all among them."""
    heard: set[LineKey] = set()
    marked = []
    for shot in shots:
        told_now = {line.key for line in shot.lines}
        if told_now - heard or LineKey.ROUND_ENDED in told_now or shot is shots[-1]:
            marked.append(shot.seq)
        heard |= told_now
    return marked


def facts(view: View) -> dict[str, Any]:
    return {name: getattr(view, name) for name in view.__struct_fields__}


def beyond(view: View, public: View) -> dict[str, Any]:
    known = facts(public)
    return {name: value for name, value in facts(view).items() if value != known[name]}


def private(lines: tuple[Line, ...], public: tuple[Line, ...]) -> list[Line]:
    """The lines that a seat alone heard; it hears everything that anybody hears, or the same said more closely."""
    return [line for line in lines if line not in public]


def json(value: object) -> str:
    return msgspec.json.encode(value, enc_hook=laid).decode()


def laid(mine: Mine) -> str:
    return " ".join(f"{cell} {shape}" for cell, shape in mine.laid.items())
