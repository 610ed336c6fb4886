"""Verification of a game record: every turn has exactly the events that the rules give it."""

from collections.abc import Callable, Sequence

import pytest

from engine.actions import Discard, Pass, Rockfall
from engine.commitments import ProvableChance
from engine.errors import Reason
from engine.events import CardLaid, Drawn, Event, Rewound, SeatGivenUp, TurnBegan
from engine.game import start_game
from engine.record import RecordedTurn
from engine.verification import Flaw, FlawCode, verify_record
from tests.support.engine.game_recorder import GameRecorder
from tests.support.engine.sample_games import sample_recorder
from tests.support.engine.tampered_records import (
    SOUND_RECORD,
    find_event_position,
    with_event,
    with_parts,
    with_turn,
)


def moderator_turn(events: Sequence[Event]) -> RecordedTurn:
    return RecordedTurn(seat=None, by="moderator", action=None, events=tuple(events))


def test_card_that_was_not_drawn_is_reported() -> None:
    seq, place = find_event_position(SOUND_RECORD, Drawn)
    report = verify_record(with_event(SOUND_RECORD, seq, place, card="treasure map"))
    assert report.flaws == (Flaw(FlawCode.EVENTS_DIFFER, seq),)
    assert (report.turn_count, report.is_finished) == (seq, False)


def test_missing_or_extra_event_is_reported() -> None:
    seq, _ = find_event_position(SOUND_RECORD, Drawn)
    events = SOUND_RECORD.turns[seq].events
    for wrong_events in (events[:-1], (*events, events[-1]), ()):
        report = verify_record(with_turn(SOUND_RECORD, seq, events=wrong_events))
        assert report.flaws == (Flaw(FlawCode.EVENTS_DIFFER, seq),)


def test_card_moved_to_another_cell_is_reported() -> None:
    seq, place = find_event_position(SOUND_RECORD, CardLaid)
    report = verify_record(with_event(SOUND_RECORD, seq, place, cell="Z99"))
    assert report.flaws == (Flaw(FlawCode.EVENTS_DIFFER, seq),)


def test_illegal_action_is_reported_with_its_reason() -> None:
    report = verify_record(with_turn(SOUND_RECORD, 1, action=Pass()))
    assert report.flaws == (Flaw(FlawCode.ACTION_REFUSED, 1, Reason.HAND_NOT_EMPTY.value),)


def test_turn_of_a_seat_not_on_turn_is_reported() -> None:
    seat = SOUND_RECORD.turns[1].seat
    assert seat is not None
    report = verify_record(with_turn(SOUND_RECORD, 1, seat=(seat + 1) % 3))
    assert report.flaws == (Flaw(FlawCode.ACTION_REFUSED, 1, Reason.NOT_YOUR_TURN.value),)


def test_action_without_a_seat_is_reported() -> None:
    report = verify_record(with_turn(SOUND_RECORD, 1, seat=None))
    assert report.flaws == (Flaw(FlawCode.EVENTS_DIFFER, 1),)


def test_turn_with_its_action_removed_is_reported() -> None:
    report = verify_record(with_turn(SOUND_RECORD, 1, action=None))
    assert report.flaws == (Flaw(FlawCode.EVENTS_DIFFER, 1),)


def test_turn_after_the_end_of_the_game_is_reported() -> None:
    late_turn = RecordedTurn(seat=0, by="player", action=Discard("map"), events=(TurnBegan(0),))
    report = verify_record(with_parts(SOUND_RECORD, turns=(*SOUND_RECORD.turns, late_turn)))
    assert report.flaws == (
        Flaw(FlawCode.ACTION_REFUSED, len(SOUND_RECORD.turns), Reason.GAME_OVER.value),
    )
    assert report.is_finished


@pytest.mark.parametrize("event", [Rewound(0), SeatGivenUp(1)])
def test_rewind_or_given_up_seat_after_the_end_is_reported(event: Event) -> None:
    report = verify_record(
        with_parts(SOUND_RECORD, turns=(*SOUND_RECORD.turns, moderator_turn([event])))
    )
    assert report.flaws == (
        Flaw(FlawCode.ACTION_REFUSED, len(SOUND_RECORD.turns), Reason.GAME_OVER.value),
    )


@pytest.mark.parametrize("to_seq", [5, 6, 1_000])
def test_rewind_to_the_present_or_future_is_reported(to_seq: int) -> None:
    played_record = sample_recorder(seed=4).play_randomly(5).record()
    report = verify_record(
        with_parts(played_record, turns=(*played_record.turns, moderator_turn([Rewound(to_seq)])))
    )
    assert report.flaws == (Flaw(FlawCode.ACTION_REFUSED, 6, Reason.NO_SUCH_TURN.value),)


def test_given_up_seat_with_extra_events_is_reported() -> None:
    played_record = sample_recorder(seed=4).play_randomly(5).record()
    turn = moderator_turn([SeatGivenUp(0), Drawn(1, "map")])
    report = verify_record(with_parts(played_record, turns=(*played_record.turns, turn)))
    assert report.flaws == (Flaw(FlawCode.EVENTS_DIFFER, 6),)


def test_deal_with_an_action_or_a_seat_is_reported() -> None:
    for invented_field in ({"action": Rockfall("C4")}, {"seat": 1}):
        report = verify_record(with_turn(SOUND_RECORD, 0, **invented_field))
        assert report.flaws == (Flaw(FlawCode.NO_DEAL, 0),)


@pytest.mark.parametrize(
    "moderator_act", [GameRecorder.give_up, GameRecorder.hand_over, GameRecorder.rewind]
)
def test_moderator_turn_attributed_to_another_seat_is_reported(
    moderator_act: Callable[[GameRecorder, int], GameRecorder],
) -> None:
    played_record = moderator_act(sample_recorder(seed=4).play_randomly(5), 1).record()
    assert verify_record(played_record).is_sound
    report = verify_record(with_turn(played_record, 6, seat=2))
    assert report.flaws == (Flaw(FlawCode.EVENTS_DIFFER, 6),)


def test_second_deal_of_the_same_round_is_reported() -> None:
    assert SOUND_RECORD.secrets is not None
    chance = ProvableChance(SOUND_RECORD.secrets, SOUND_RECORD.freeze)
    table = SOUND_RECORD.table
    _, events = start_game(
        table.rulebook, table.house, seats=3, starter=table.starter, chance=chance
    )
    turns = (SOUND_RECORD.turns[0], moderator_turn(events), *SOUND_RECORD.turns[1:])
    report = verify_record(with_parts(SOUND_RECORD, turns=turns))
    assert report.flaws == (Flaw(FlawCode.EVENTS_DIFFER, 1),)
