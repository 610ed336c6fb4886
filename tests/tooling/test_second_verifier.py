"""The second verifier in docs/ agrees with ``lodepost verify``, of which it shares no code."""

import ast
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ParseError
from engine.record import Record, TurnChain, write_record
from engine.record_reading import read_record
from engine.rulebook import HouseRules
from engine.verification import verify_record
from tests.support.engine.sample_games import eventful_record, sample_recorder
from tests.support.engine.tampered_records import SOUND_RECORD, with_event, with_parts
from tests.support.rulebook_groups import every_number_of_seats, every_rulebook

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "docs" / "verify_game.py"
GAMES = sorted((ROOT / "tests" / "games").glob("*.game"))
SOUND_TEXT = write_record(SOUND_RECORD)


def main_function() -> Callable[[list[str]], int]:
    """Load the program, which is part of no package, from its file."""
    spec = importlib.util.spec_from_file_location("verify_game", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    main: Callable[[list[str]], int] = module.main
    return main


MAIN = main_function()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("games") / "some.game"


def status_of(file: Path, text: str, *heads: str) -> int:
    file.write_text(text, encoding="utf-8", newline="")
    return MAIN([str(file), *heads])


def with_own_head(record: Record) -> Record:
    assert record.secrets is not None
    *_, head = TurnChain(record.secrets, record.freeze).heads(record.turns)
    return with_parts(record, head=head.hex())


def test_program_imports_only_the_standard_library_and_is_short() -> None:
    text = PROGRAM.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 300
    imported_names = {
        name.split(".")[0]
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
        )
    }
    assert imported_names <= sys.stdlib_module_names


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_every_recorded_game_is_right(path: Path) -> None:
    heads = verify_record(read_record(path.read_bytes())).heads
    assert MAIN([str(path)]) == 0
    assert MAIN([str(path), *(head[:20] for head in heads)]) == 0


@every_rulebook
def test_game_with_rewinds_and_seats_given_up_is_right(file: Path, rulebook: str) -> None:
    assert status_of(file, write_record(eventful_record(rulebook))) == 0


@every_number_of_seats
def test_game_with_any_number_of_seats_is_right(file: Path, seats: int) -> None:
    record = sample_recorder(seats=seats, seed=seats, house=HouseRules(rounds=1))
    assert status_of(file, write_record(record.play_randomly().record())) == 0


def test_unfinished_game_has_its_own_status(file: Path) -> None:
    record = sample_recorder(seed=4).play_randomly(9).record()
    assert status_of(file, write_record(record)) == 3


def test_head_that_no_turn_has_is_wrong(file: Path) -> None:
    assert SOUND_RECORD.head is not None
    assert status_of(file, SOUND_TEXT, SOUND_RECORD.head) == 0
    assert status_of(file, SOUND_TEXT, "0123 4567 89ab cdef 0123") == 1
    assert status_of(file, SOUND_TEXT, "0123") == 2


def test_record_cut_short_is_wrong(file: Path) -> None:
    cut_record = with_parts(SOUND_RECORD, turns=SOUND_RECORD.turns[:-3])
    assert status_of(file, write_record(cut_record)) == 1
    assert SOUND_RECORD.head is not None
    cut_text = write_record(with_own_head(cut_record))
    assert status_of(file, cut_text) == 3
    assert status_of(file, cut_text, SOUND_RECORD.head) == 1


@pytest.mark.parametrize("part", ["goals", "roles", "aside", "starter", "deck"])
def test_manipulated_deal_is_wrong(file: Path, part: str) -> None:
    values = {
        "goals": ("stone-tl", "stone-tl", "treasure"),
        "roles": ("saboteur",) * 3,
        "aside": "saboteur",
        "starter": 0,
        "deck": ("map",) * 49,
    }
    deal = SOUND_RECORD.turns[0].events[0]
    value = values[part]
    if getattr(deal, part) == value:
        value = {"aside": "digger", "starter": 1}[part]
    record = with_own_head(with_event(SOUND_RECORD, 0, 0, **{part: value}))
    assert status_of(file, write_record(record)) == 1


@pytest.mark.parametrize("content", ["", "lodepost game 1\n", "\x00", "end\n", SOUND_TEXT[:-4]])
def test_text_that_is_no_record_is_refused(file: Path, content: str) -> None:
    assert status_of(file, content) == 2


def test_missing_file_is_refused(tmp_path: Path) -> None:
    assert MAIN([str(tmp_path / "missing.game")]) == 2
    assert MAIN([]) == 2


@pytest.mark.no_cover
@given(st.data())
def test_any_changed_character_is_refused_by_both_verifiers(
    file: Path, data: st.DataObject
) -> None:
    place = data.draw(
        st.integers(0, len(SOUND_TEXT) - 1).filter(lambda place: SOUND_TEXT[place].isalnum())
    )
    character = data.draw(st.sampled_from("0123456789abcdefABCD").filter(SOUND_TEXT[place].__ne__))
    text = SOUND_TEXT[:place] + character + SOUND_TEXT[place + 1 :]
    assert status_of(file, text) in {1, 2}
    assert not is_sound(text)


def is_sound(text: str) -> bool:
    try:
        return verify_record(read_record(text.encode())).is_sound
    except ParseError:
        return False
