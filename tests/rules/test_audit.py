"""Anyone can check every deal and every step of a finished game."""

from collections.abc import Iterable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ParseError
from engine.events import Dealt
from engine.fairness import FrozenSeat, commitments, freeze
from engine.record import Record, write_record
from engine.record_reading import read_record
from engine.rulebook import HouseRules
from engine.state import GoalChoice
from engine.verification import FlawCode, VerificationFinding, VerificationReport, verify_record
from tests.support.engine.recorded_games import Recorder, eventful, secrets_for
from tests.support.engine.tampered_records import WHOLE, changed, first_with, with_event
from tests.support.positions import every_number_of_seats, every_rulebook


def flaws(report: VerificationReport) -> list[FlawCode]:
    return [finding.flaw for finding in report.findings]


@every_rulebook
def test_a_game_that_was_played_fairly_is_sound(rulebook: str) -> None:
    record = eventful(rulebook)
    report = verify_record(read_record(write_record(record).encode()))
    assert report == VerificationReport(
        findings=(), turns=len(record.turns), deals=report.deals, finished=True
    )
    assert report.sound
    assert report.deals >= 3


@every_number_of_seats
def test_a_table_of_any_size_is_sound(seats: int) -> None:
    record = Recorder("uk-2017", seats=seats, seed=seats, starter=1).play().record()
    assert verify_record(record).sound


def test_a_goal_that_chance_chose_for_a_seat_given_up_is_sound() -> None:
    """Which goal was by lot at the table, outside the provable chance; any of those on offer is right."""
    chosen = {verify_record(record).sound for record in games_with_a_goal_left_open()}
    assert chosen == {True}


def games_with_a_goal_left_open() -> Iterable[Record]:
    found = 0
    for seed in range(400):
        recorder = Recorder("et-2007", seats=3, seed=seed, house=HouseRules(rounds=1))
        while not recorder.game.is_over:
            choice = recorder.game.state.choice
            if isinstance(choice, GoalChoice):
                yield recorder.give_up(choice.seat).play().record()
                found += 1
                break
            recorder.play(1)
        if found == 3:
            return
    pytest.fail("no game came to a choice between goals")


def test_a_game_that_goes_on_is_sound_so_far() -> None:
    report = verify_record(Recorder(seed=4).play(9).record())
    assert (report.sound, report.turns, report.deals, report.finished) == (True, 10, 1, False)


def test_nothing_is_proven_without_the_secrets() -> None:
    record = changed(WHOLE, secrets=None)
    assert verify_record(record) == VerificationReport(
        findings=(VerificationFinding(FlawCode.NOT_OPENED),), turns=0, deals=0, finished=False
    )
    assert flaws(verify_record(changed(record, freeze=b""))) == [
        FlawCode.FREEZE_UNREADABLE,
        FlawCode.NOT_OPENED,
    ]


@pytest.mark.parametrize("label", ["gold", "round-1", "round-2", "round-3"])
def test_another_secret_does_not_match_its_commitment(label: str) -> None:
    assert WHOLE.secrets is not None
    part = {label.replace("-", "_"): b"another secret of 32 bytes here!"}
    report = verify_record(changed(WHOLE, secrets=msgspec.structs.replace(WHOLE.secrets, **part)))
    assert VerificationFinding(FlawCode.COMMITMENT_BROKEN, detail=label) in report.findings
    assert report.findings[0] == VerificationFinding(FlawCode.COMMITMENT_BROKEN, detail=label)


def test_another_secret_gives_another_deal() -> None:
    assert WHOLE.secrets is not None
    secrets = msgspec.structs.replace(WHOLE.secrets, round_2=b"another secret of 32 bytes here!")
    report = verify_record(changed(WHOLE, secrets=secrets))
    second_deal = first_with(WHOLE, Dealt, after=1)[0]
    assert VerificationFinding(FlawCode.DEAL_DIFFERS, second_deal, "2") in report.findings
    assert report.turns == second_deal
    assert report.deals == 1


def test_a_dealer_who_swaps_secrets_and_commitments_is_caught_by_the_freeze() -> None:
    secrets = secrets_for(99)
    table = msgspec.structs.replace(WHOLE.table, commitments=commitments(WHOLE.table.game, secrets))
    report = verify_record(changed(WHOLE, table=table, secrets=secrets))
    assert VerificationFinding(FlawCode.FREEZE_DIFFERS, detail="commitments") in report.findings


@pytest.mark.parametrize(
    "field,value",
    [
        ("game", "another"),
        ("rulebook", "lv-2009"),
        ("house", HouseRules(rounds=1)),
        ("starter", 1),
        ("seats", (FrozenSeat("Mallory", b""), *WHOLE.table.seats[1:])),
        (
            "seats",
            (msgspec.structs.replace(WHOLE.table.seats[0], salt=b"!"), *WHOLE.table.seats[1:]),
        ),
    ],
)
def test_a_head_that_is_not_what_was_frozen_is_noticed(field: str, value: object) -> None:
    table = msgspec.structs.replace(WHOLE.table, **{field: value})
    report = verify_record(changed(WHOLE, table=table))
    assert VerificationFinding(FlawCode.FREEZE_DIFFERS, detail=field) in report.findings


def test_salt_that_was_changed_after_the_freeze_changes_every_deal() -> None:
    seats = (msgspec.structs.replace(WHOLE.table.seats[0], salt=b"!"), *WHOLE.table.seats[1:])
    table = msgspec.structs.replace(WHOLE.table, seats=seats)
    report = verify_record(changed(WHOLE, table=table, freeze=freeze(table)))
    assert flaws(report) == [FlawCode.DEAL_DIFFERS] * 2
    assert (report.turns, report.deals) == (0, 0)


def test_a_freeze_record_that_is_none_is_noticed() -> None:
    report = verify_record(changed(WHOLE, freeze=WHOLE.freeze[:-1]))
    assert report.findings[0] == VerificationFinding(FlawCode.FREEZE_UNREADABLE)


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
def test_a_deal_that_was_arranged_is_noticed_once(field: str, value: object) -> None:
    report = verify_record(with_event(WHOLE, 0, 0, **{field: value}))
    assert report.findings == (VerificationFinding(FlawCode.DEAL_DIFFERS, 0, "1"),)
    assert (report.turns, report.deals) == (0, 1)


def test_hands_cut_elsewhere_are_noticed_though_the_piles_are_right() -> None:
    dealt = WHOLE.turns[0].events[0]
    assert isinstance(dealt, Dealt)
    first, second, third = dealt.hands
    hands = (first[:-1], (first[-1], *second), third)
    report = verify_record(with_event(WHOLE, 0, 0, hands=hands))
    assert report.findings == (VerificationFinding(FlawCode.NO_DEAL, 0),)


def test_a_starter_whom_chance_did_not_pick_is_noticed() -> None:
    dealt = WHOLE.turns[0].events[0]
    assert isinstance(dealt, Dealt)
    report = verify_record(with_event(WHOLE, 0, 0, starter=(dealt.starter + 1) % 3))
    assert report.findings == (VerificationFinding(FlawCode.NO_DEAL, 0),)


def test_a_later_round_that_was_arranged_is_noticed_in_its_turn() -> None:
    seq, place = first_with(WHOLE, Dealt, after=1)
    report = verify_record(with_event(WHOLE, seq, place, aside="treasurer"))
    assert report.findings == (VerificationFinding(FlawCode.DEAL_DIFFERS, seq, "2"),)
    assert (report.turns, report.deals) == (seq, 1)


def test_a_game_without_turns_has_no_deal() -> None:
    report = verify_record(changed(WHOLE, turns=()))
    assert report == VerificationReport(
        findings=(VerificationFinding(FlawCode.NO_DEAL),), turns=0, deals=0, finished=False
    )


BEFALLEN = Recorder(seed=6).play(7).hand_over(1).play(3).give_up(2).play(20).record()
TEXTS = (write_record(WHOLE), write_record(BEFALLEN))


@pytest.mark.no_cover
@given(st.data())
def test_no_mark_of_a_file_can_be_changed_unnoticed(data: st.DataObject) -> None:
    """What came in by whom is the server's word alone, but one changed letter makes no other word of that."""
    text = data.draw(st.sampled_from(TEXTS))
    place = data.draw(st.integers(0, len(text) - 1).filter(lambda place: text[place].isalnum()))
    mark = data.draw(st.sampled_from("0123456789abcdefABCD"))
    if mark == text[place]:
        return
    try:
        record = read_record((text[:place] + mark + text[place + 1 :]).encode())
    except ParseError:
        return
    assert not verify_record(record).sound
