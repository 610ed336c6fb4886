"""Verification of a game record: the stated head, and the heads that players were shown during the game."""

import pytest

from engine.errors import ExpectedText, ParseError
from engine.record import SHORT_HEAD_DIGITS, Record, TurnChain, write_record
from engine.record_reading import read_record
from engine.verification import Flaw, FlawCode, verify_record
from tests.support.engine.game_recorder import GameRecorder
from tests.support.engine.sample_games import eventful_record, sample_recorder, sample_secrets
from tests.support.engine.seeded_random import SeededRng
from tests.support.engine.tampered_records import SOUND_RECORD, with_event, with_parts

SHOWN_HEADS = verify_record(SOUND_RECORD).heads
TURNS_KEPT = 12


def with_own_head(record: Record) -> Record:
    """Return the record with the head that its turns have: anyone can compute it from the revealed secrets."""
    assert record.secrets is not None
    heads = TurnChain(record.secrets, record.freeze).heads(record.turns)
    return with_parts(record, head=heads[-1].hex())


def record_with_invented_end() -> Record:
    """Return a whole game that begins like the sound one, and whose later turns were played again."""
    recorder = GameRecorder(SOUND_RECORD.table, sample_secrets(3), SeededRng(77))
    for turn in SOUND_RECORD.turns[1:TURNS_KEPT]:
        assert turn.action is not None
        recorder.play(turn.action)
    return recorder.play_randomly().record()


def test_head_in_the_file_that_its_turns_do_not_have_is_reported() -> None:
    for wrong_head in ("0" * 64, SHOWN_HEADS[-2]):
        report = verify_record(with_parts(SOUND_RECORD, head=wrong_head))
        assert report.flaws == (Flaw(FlawCode.HEAD_DIFFERS),)


def test_file_without_a_head_is_reported() -> None:
    assert verify_record(with_parts(SOUND_RECORD, head=None)).flaws == (Flaw(FlawCode.NO_HEAD),)


def test_record_cut_short_is_refused() -> None:
    cut_record = with_parts(SOUND_RECORD, turns=SOUND_RECORD.turns[:-3])
    assert verify_record(cut_record).flaws == (Flaw(FlawCode.HEAD_DIFFERS),)
    forged_record = with_own_head(cut_record)
    assert verify_record(forged_record).is_sound
    assert not verify_record(forged_record).is_finished
    report = verify_record(forged_record, shown_heads=SHOWN_HEADS[-1:])
    assert report.flaws == (Flaw(FlawCode.HEAD_UNKNOWN, detail=SHOWN_HEADS[-1]),)


def test_record_with_replaced_later_turns_is_refused() -> None:
    forged_record = record_with_invented_end()
    assert forged_record.turns[:TURNS_KEPT] == SOUND_RECORD.turns[:TURNS_KEPT]
    original_head = with_parts(forged_record, head=SOUND_RECORD.head)
    assert verify_record(original_head).flaws == (Flaw(FlawCode.HEAD_DIFFERS),)
    report = verify_record(forged_record)
    assert (report.is_sound, report.is_finished) == (True, True)
    report = verify_record(forged_record, shown_heads=SHOWN_HEADS[-1:])
    assert report.flaws == (Flaw(FlawCode.HEAD_UNKNOWN, detail=SHOWN_HEADS[-1]),)
    assert verify_record(forged_record, shown_heads=SHOWN_HEADS[:TURNS_KEPT]).is_sound


@pytest.mark.parametrize("digits", [SHORT_HEAD_DIGITS, 64])
def test_every_head_shown_during_the_game_is_found(digits: int) -> None:
    shown_heads = [head[:digits] for head in SHOWN_HEADS]
    report = verify_record(SOUND_RECORD, shown_heads=shown_heads)
    assert report.is_sound
    assert [report.turn_with_head(head) for head in shown_heads] == list(range(len(SHOWN_HEADS)))


def test_heads_shown_before_a_rewind_are_found() -> None:
    """The turns that a rewind undoes stay in the record, so that emails from before it can still be compared."""
    recorder = sample_recorder(seed=4).play_randomly(9)
    head_before = recorder.record().head
    record = recorder.rewind(3).play_randomly().record()
    assert head_before is not None
    report = verify_record(record, shown_heads=[head_before])
    assert report.is_sound
    assert report.turn_with_head(head_before) == 9


def test_head_of_another_game_is_reported() -> None:
    other_record = eventful_record("en-2004")
    assert other_record.head is not None
    report = verify_record(SOUND_RECORD, shown_heads=[other_record.head, SHOWN_HEADS[0]])
    assert report.flaws == (Flaw(FlawCode.HEAD_UNKNOWN, detail=other_record.head),)


def test_verification_stops_at_the_first_wrong_deal() -> None:
    """A hostile file can hold thousands of deals, each of which costs several shuffles."""
    wrong_record = with_event(SOUND_RECORD, 0, 0, goals=("treasure", "treasure", "treasure"))
    wrong_deal, first_turn = wrong_record.turns[0], SOUND_RECORD.turns[0]
    turns = (first_turn, wrong_deal, first_turn, wrong_deal)
    report = verify_record(with_parts(SOUND_RECORD, turns=turns))
    assert [flaw for flaw in report.flaws if flaw.code is FlawCode.DEAL_DIFFERS] == [
        Flaw(FlawCode.DEAL_DIFFERS, 1, "1")
    ]
    assert report.deal_count == 1


def test_freeze_record_over_8_kb_is_refused() -> None:
    text = write_record(with_parts(SOUND_RECORD, freeze=bytes(8193)))
    with pytest.raises(ParseError) as error_info:
        read_record(text.encode())
    assert error_info.value.expected is ExpectedText.FREEZE_SIZE
    assert read_record(write_record(with_parts(SOUND_RECORD, freeze=bytes(8192))).encode())
