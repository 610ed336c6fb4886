"""Every step of a recorded game is what the rules make of it."""

from collections.abc import Callable, Sequence

import pytest

from engine.actions import Discard, Pass, Rockfall
from engine.errors import Reason
from engine.events import CardLaid, Drawn, Event, Rewound, SeatGivenUp, TurnBegan
from engine.game import start_game
from engine.record import RecordedTurn
from engine.shuffle import ProvableChance
from engine.verification import FlawCode, VerificationFinding, verify_record
from tests.support.engine.recorded_games import Recorder
from tests.support.engine.tampered_records import WHOLE, changed, first_with, with_event, with_turn


def of_the_table(events: Sequence[Event]) -> RecordedTurn:
    return RecordedTurn(seat=None, by="moderator", action=None, events=tuple(events))


def test_a_card_that_was_not_drawn_is_noticed() -> None:
    seq, place = first_with(WHOLE, Drawn)
    report = verify_record(with_event(WHOLE, seq, place, card="treasure map"))
    assert report.findings == (VerificationFinding(FlawCode.EVENTS_DIFFER, seq),)
    assert (report.turns, report.finished) == (seq, False)


def test_an_event_left_out_or_added_is_noticed() -> None:
    seq, _ = first_with(WHOLE, Drawn)
    events = WHOLE.turns[seq].events
    for wrong in (events[:-1], (*events, events[-1]), ()):
        report = verify_record(with_turn(WHOLE, seq, events=wrong))
        assert report.findings == (VerificationFinding(FlawCode.EVENTS_DIFFER, seq),)


def test_a_card_laid_where_it_was_not_is_noticed() -> None:
    seq, place = first_with(WHOLE, CardLaid)
    report = verify_record(with_event(WHOLE, seq, place, cell="Z99"))
    assert report.findings == (VerificationFinding(FlawCode.EVENTS_DIFFER, seq),)


def test_an_action_that_is_not_allowed_is_noticed_with_its_reason() -> None:
    report = verify_record(with_turn(WHOLE, 1, action=Pass()))
    assert report.findings == (
        VerificationFinding(FlawCode.ACTION_REFUSED, 1, Reason.HAND_NOT_EMPTY.value),
    )


def test_a_turn_of_somebody_else_is_noticed() -> None:
    seat = WHOLE.turns[1].seat
    assert seat is not None
    report = verify_record(with_turn(WHOLE, 1, seat=(seat + 1) % 3))
    assert report.findings == (
        VerificationFinding(FlawCode.ACTION_REFUSED, 1, Reason.NOT_YOUR_TURN.value),
    )


def test_an_action_of_nobody_is_noticed() -> None:
    report = verify_record(with_turn(WHOLE, 1, seat=None))
    assert report.findings == (VerificationFinding(FlawCode.EVENTS_DIFFER, 1),)


def test_a_turn_without_an_action_that_should_have_one_is_noticed() -> None:
    report = verify_record(with_turn(WHOLE, 1, action=None))
    assert report.findings == (VerificationFinding(FlawCode.EVENTS_DIFFER, 1),)


def test_a_turn_after_the_end_is_noticed() -> None:
    again = RecordedTurn(seat=0, by="player", action=Discard("map"), events=(TurnBegan(0),))
    report = verify_record(changed(WHOLE, turns=(*WHOLE.turns, again)))
    assert report.findings == (
        VerificationFinding(FlawCode.ACTION_REFUSED, len(WHOLE.turns), Reason.GAME_OVER.value),
    )
    assert report.finished


@pytest.mark.parametrize("event", [Rewound(0), SeatGivenUp(1)])
def test_nothing_is_undone_after_the_end(event: Event) -> None:
    report = verify_record(changed(WHOLE, turns=(*WHOLE.turns, of_the_table([event]))))
    assert report.findings == (
        VerificationFinding(FlawCode.ACTION_REFUSED, len(WHOLE.turns), Reason.GAME_OVER.value),
    )


@pytest.mark.parametrize("to_seq", [5, 6, 1_000])
def test_a_rewind_goes_back_and_never_on(to_seq: int) -> None:
    played = Recorder(seed=4).play(5).record()
    report = verify_record(changed(played, turns=(*played.turns, of_the_table([Rewound(to_seq)]))))
    assert report.findings == (
        VerificationFinding(FlawCode.ACTION_REFUSED, 6, Reason.NO_SUCH_TURN.value),
    )


def test_a_seat_given_up_with_other_consequences_is_noticed() -> None:
    played = Recorder(seed=4).play(5).record()
    turn = of_the_table([SeatGivenUp(0), Drawn(1, "map")])
    report = verify_record(changed(played, turns=(*played.turns, turn)))
    assert report.findings == (VerificationFinding(FlawCode.EVENTS_DIFFER, 6),)


def test_an_action_or_a_seat_invented_for_the_deal_is_noticed() -> None:
    for invented in ({"action": Rockfall("C4")}, {"seat": 1}):
        report = verify_record(with_turn(WHOLE, 0, **invented))
        assert report.findings == (VerificationFinding(FlawCode.NO_DEAL, 0),)


@pytest.mark.parametrize("befallen", [Recorder.give_up, Recorder.hand_over, Recorder.rewind])
def test_what_befell_one_seat_is_not_said_to_come_from_another(
    befallen: Callable[[Recorder, int], Recorder],
) -> None:
    played = befallen(Recorder(seed=4).play(5), 1).record()
    assert verify_record(played).sound
    report = verify_record(with_turn(played, 6, seat=2))
    assert report.findings == (VerificationFinding(FlawCode.EVENTS_DIFFER, 6),)


def test_a_second_deal_of_the_same_round_is_noticed() -> None:
    assert WHOLE.secrets is not None
    chance = ProvableChance(WHOLE.secrets, WHOLE.freeze)
    table = WHOLE.table
    _, events = start_game(
        table.rulebook, table.house, seats=3, starter=table.starter, chance=chance
    )
    turns = (WHOLE.turns[0], of_the_table(events), *WHOLE.turns[1:])
    report = verify_record(changed(WHOLE, turns=turns))
    assert report.findings == (VerificationFinding(FlawCode.EVENTS_DIFFER, 1),)
