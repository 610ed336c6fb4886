"""Verification of a game record: secrets, commitments and the deals that follow from them."""

from collections.abc import Iterable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.commitments import FrozenSeat, commitments, freeze
from engine.errors import ParseError
from engine.events import Dealt
from engine.record import Record, write_record
from engine.record_reading import read_record
from engine.rulebook import HouseRules
from engine.state import GoalChoice
from engine.verification import Flaw, FlawCode, VerificationReport, verify_record
from tests.support.engine.sample_games import eventful_record, sample_recorder, sample_secrets
from tests.support.engine.tampered_records import (
    SOUND_RECORD,
    find_event_position,
    with_event,
    with_parts,
)
from tests.support.rulebook_groups import every_number_of_seats, every_rulebook


def flaw_codes(report: VerificationReport) -> list[FlawCode]:
    return [flaw.code for flaw in report.flaws]


@every_rulebook
def test_fairly_played_game_is_sound(rulebook: str) -> None:
    record = eventful_record(rulebook)
    report = verify_record(read_record(write_record(record).encode()))
    assert report == VerificationReport(
        flaws=(),
        turn_count=len(record.turns),
        deal_count=report.deal_count,
        is_finished=True,
        heads=report.heads,
    )
    assert report.is_sound
    assert len(report.heads) == len(record.turns)
    assert report.deal_count >= 3


@every_number_of_seats
def test_game_with_any_number_of_seats_is_sound(seats: int) -> None:
    record = sample_recorder("uk-2017", seats=seats, seed=seats, starter=1).play_randomly().record()
    assert verify_record(record).is_sound


def test_goal_chosen_by_chance_for_a_given_up_seat_is_sound() -> None:
    """The moderator's choice is not part of the provable chance: any goal on offer is accepted."""
    soundness_values = {
        verify_record(record).is_sound for record in records_with_a_seat_given_up_at_a_goal_choice()
    }
    assert soundness_values == {True}


def records_with_a_seat_given_up_at_a_goal_choice() -> Iterable[Record]:
    record_count = 0
    for seed in range(400):
        recorder = sample_recorder("et-2007", seats=3, seed=seed, house=HouseRules(rounds=1))
        while not recorder.game.is_over:
            choice = recorder.game.state.choice
            if isinstance(choice, GoalChoice):
                yield recorder.give_up(choice.seat).play_randomly().record()
                record_count += 1
                break
            recorder.play_randomly(1)
        if record_count == 3:
            return
    pytest.fail("no game came to a choice between goals")


def test_unfinished_game_is_sound_so_far() -> None:
    report = verify_record(sample_recorder(seed=4).play_randomly(9).record())
    assert (report.is_sound, report.turn_count, report.deal_count, report.is_finished) == (
        True,
        10,
        1,
        False,
    )


def test_record_without_secrets_proves_nothing() -> None:
    record = with_parts(SOUND_RECORD, secrets=None)
    assert verify_record(record) == VerificationReport(
        flaws=(Flaw(FlawCode.NOT_OPENED),), turn_count=0, deal_count=0, is_finished=False
    )
    assert flaw_codes(verify_record(with_parts(record, freeze=b""))) == [
        FlawCode.FREEZE_UNREADABLE,
        FlawCode.NOT_OPENED,
    ]


@pytest.mark.parametrize("label", ["gold", "round-1", "round-2", "round-3"])
def test_wrong_secret_does_not_match_its_commitment(label: str) -> None:
    assert SOUND_RECORD.secrets is not None
    secret_field = {label.replace("-", "_"): b"another secret of 32 bytes here!"}
    report = verify_record(
        with_parts(
            SOUND_RECORD, secrets=msgspec.structs.replace(SOUND_RECORD.secrets, **secret_field)
        )
    )
    assert Flaw(FlawCode.COMMITMENT_BROKEN, detail=label) in report.flaws
    assert report.flaws[0] == Flaw(FlawCode.COMMITMENT_BROKEN, detail=label)


def test_wrong_secret_gives_a_different_deal() -> None:
    assert SOUND_RECORD.secrets is not None
    secrets = msgspec.structs.replace(
        SOUND_RECORD.secrets, round_2=b"another secret of 32 bytes here!"
    )
    report = verify_record(with_parts(SOUND_RECORD, secrets=secrets))
    second_deal = find_event_position(SOUND_RECORD, Dealt, after_seq=1)[0]
    assert Flaw(FlawCode.DEAL_DIFFERS, second_deal, "2") in report.flaws
    assert report.turn_count == second_deal
    assert report.deal_count == 1


def test_swapped_secrets_and_commitments_contradict_the_freeze_record() -> None:
    secrets = sample_secrets(99)
    table = msgspec.structs.replace(
        SOUND_RECORD.table, commitments=commitments(SOUND_RECORD.table.game, secrets)
    )
    report = verify_record(with_parts(SOUND_RECORD, table=table, secrets=secrets))
    assert Flaw(FlawCode.FREEZE_DIFFERS, detail="commitments") in report.flaws


@pytest.mark.parametrize(
    "field,value",
    [
        ("game", "another"),
        ("rulebook", "lv-2009"),
        ("house", HouseRules(rounds=1)),
        ("starter", 1),
        ("seats", (FrozenSeat("Mallory", b""), *SOUND_RECORD.table.seats[1:])),
        (
            "seats",
            (
                msgspec.structs.replace(SOUND_RECORD.table.seats[0], salt=b"!"),
                *SOUND_RECORD.table.seats[1:],
            ),
        ),
    ],
)
def test_table_field_changed_after_the_freeze_is_reported(field: str, value: object) -> None:
    table = msgspec.structs.replace(SOUND_RECORD.table, **{field: value})
    report = verify_record(with_parts(SOUND_RECORD, table=table))
    assert Flaw(FlawCode.FREEZE_DIFFERS, detail=field) in report.flaws


def test_salt_changed_after_the_freeze_changes_the_first_deal() -> None:
    seats = (
        msgspec.structs.replace(SOUND_RECORD.table.seats[0], salt=b"!"),
        *SOUND_RECORD.table.seats[1:],
    )
    table = msgspec.structs.replace(SOUND_RECORD.table, seats=seats)
    report = verify_record(with_parts(SOUND_RECORD, table=table, freeze=freeze(table)))
    assert flaw_codes(report) == [FlawCode.DEAL_DIFFERS]
    assert (report.turn_count, report.deal_count) == (0, 0)


def test_unreadable_freeze_record_is_reported() -> None:
    report = verify_record(with_parts(SOUND_RECORD, freeze=SOUND_RECORD.freeze[:-1]))
    assert report.flaws[0] == Flaw(FlawCode.FREEZE_UNREADABLE)


@pytest.mark.parametrize(
    "field,value",
    [
        ("roles", ("saboteur", "saboteur", "saboteur")),
        ("aside", "treasurer"),
        ("goals", ("treasure", "treasure", "treasure")),
        ("deck", ()),
        ("hands", (("map",), ("map",), ("map",))),
        ("pile", (3,) * 28),
    ],
)
def test_manipulated_deal_is_reported_once(field: str, value: object) -> None:
    report = verify_record(with_event(SOUND_RECORD, 0, 0, **{field: value}))
    assert report.flaws == (Flaw(FlawCode.DEAL_DIFFERS, 0, "1"),)
    assert (report.turn_count, report.deal_count) == (0, 0)


def test_hands_cut_differently_from_the_right_deck_are_reported() -> None:
    deal_event = SOUND_RECORD.turns[0].events[0]
    assert isinstance(deal_event, Dealt)
    first_hand, second_hand, third_hand = deal_event.hands
    hands = (first_hand[:-1], (first_hand[-1], *second_hand), third_hand)
    report = verify_record(with_event(SOUND_RECORD, 0, 0, hands=hands))
    assert report.flaws == (Flaw(FlawCode.NO_DEAL, 0),)


def test_starter_not_picked_by_chance_is_reported() -> None:
    deal_event = SOUND_RECORD.turns[0].events[0]
    assert isinstance(deal_event, Dealt)
    report = verify_record(with_event(SOUND_RECORD, 0, 0, starter=(deal_event.starter + 1) % 3))
    assert report.flaws == (Flaw(FlawCode.NO_DEAL, 0),)


def test_manipulated_deal_of_a_later_round_is_reported_with_its_turn() -> None:
    seq, character_index = find_event_position(SOUND_RECORD, Dealt, after_seq=1)
    report = verify_record(with_event(SOUND_RECORD, seq, character_index, aside="treasurer"))
    assert report.flaws == (Flaw(FlawCode.DEAL_DIFFERS, seq, "2"),)
    assert (report.turn_count, report.deal_count) == (seq, 1)


def test_record_without_turns_has_no_deal() -> None:
    report = verify_record(with_parts(SOUND_RECORD, turns=()))
    assert report == VerificationReport(
        flaws=(Flaw(FlawCode.NO_DEAL),), turn_count=0, deal_count=0, is_finished=False
    )


GAME_WITH_SEAT_CHANGES = (
    sample_recorder(seed=6)
    .play_randomly(7)
    .hand_over(1)
    .play_randomly(3)
    .give_up(2)
    .play_randomly(20)
    .record()
)
GAME_TEXTS = (write_record(SOUND_RECORD), write_record(GAME_WITH_SEAT_CHANGES))


@pytest.mark.parametrize("text", GAME_TEXTS, ids=["finished", "seat changes"])
def test_unchanged_game_file_is_sound(text: str) -> None:
    assert is_sound(text)


@pytest.mark.no_cover
@given(st.data())
def test_any_changed_character_of_a_game_file_is_detected(data: st.DataObject) -> None:
    """Who submitted a turn is not proved, but one changed character never turns one such word into another."""
    text = data.draw(st.sampled_from(GAME_TEXTS))
    character_index = data.draw(
        st.integers(0, len(text) - 1).filter(
            lambda character_index: text[character_index].isalnum()
        )
    )
    other_characters = [mark for mark in "0123456789abcdefABCD" if mark != text[character_index]]
    mark = data.draw(st.sampled_from(other_characters))
    assert not is_sound(text[:character_index] + mark + text[character_index + 1 :])


def is_sound(text: str) -> bool:
    try:
        return verify_record(read_record(text.encode())).is_sound
    except ParseError:
        return False
