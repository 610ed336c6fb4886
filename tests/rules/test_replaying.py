import msgspec
import pytest

from engine.cards import PATH_CARDS
from engine.events import CardLaid, Drawn, Rewound
from engine.narration import LineKey, narrate
from engine.record import Record, RecordedTurn
from engine.replaying import ReplayError, frames
from engine.view import view_for
from tests.support.engine.sample_games import eventful_record, sample_recorder
from tests.support.rulebook_groups import every_rulebook


@every_rulebook
@pytest.mark.parametrize("seat", [None, 0, 4])
def test_every_frame_equals_what_the_seat_saw(rulebook: str, seat: int | None) -> None:
    recorder = sample_recorder(rulebook, seats=5, seed=2)
    expected = []
    while not recorder.game.is_over:
        state = recorder.game.state
        lines = tuple(line for event in recorder.game.log[-1] for line in narrate(event, seat))
        expected.append((lines, view_for(state, seat)))
        recorder.play_randomly(1)
    shown_frames = [(frame.lines, frame.view) for frame in frames(recorder.record(), seat)]
    assert shown_frames[:-1] == expected
    assert shown_frames[-1][1].winners


def test_frames_have_the_number_seat_and_actor_of_their_turn() -> None:
    record = sample_recorder(seats=3, seed=2).play_randomly(6).record()
    shown_frames = list(frames(record, None))
    assert [frame.seq for frame in shown_frames] == list(range(7))
    assert [frame.seat for frame in shown_frames] == [turn.seat for turn in record.turns]
    assert {frame.by for frame in shown_frames} == {"player"}


def test_frame_of_a_rewind_shows_the_restored_position() -> None:
    recorder = (
        sample_recorder(seats=3, seed=2).play_randomly(9).rewind(4).play_randomly(2).rewind(0)
    )
    shown_frames = list(frames(recorder.record(), 1))
    assert shown_frames[10].view == msgspec.structs.replace(shown_frames[4].view, seq=10)
    assert shown_frames[13].view == msgspec.structs.replace(shown_frames[0].view, seq=13)
    assert [line.key for line in shown_frames[10].lines] == [LineKey.REWOUND]


def test_replay_of_a_game_with_rewinds_reaches_its_last_turn() -> None:
    record = eventful_record("uk-2017")
    *_, last_frame = frames(record, None)
    assert last_frame.view.winners
    assert last_frame.seq == len(record.turns) - 1


def test_secret_history_entries_appear_only_when_opened() -> None:
    record = eventful_record("en-2004")
    secret = {LineKey.CARD_DRAWN, LineKey.CARD_DISCARDED, LineKey.GOAL_SEEN, LineKey.ROLE_DEALT}
    onlooker_keys = {line.key for frame in frames(record, None) for line in frame.lines}
    opened_keys = {
        line.key for frame in frames(record, None, reveal_all=True) for line in frame.lines
    }
    assert not onlooker_keys & secret
    assert secret <= opened_keys


def with_last_turn(record: Record, seq: int, turn: RecordedTurn) -> Record:
    return msgspec.structs.replace(record, turns=(*record.turns[:seq], turn))


def test_impossible_turn_raises_replay_error_with_its_number() -> None:
    record = sample_recorder(seats=3, seed=2).play_randomly(6).record()
    for turn in (
        RecordedTurn(seat=None, by="player", action=None, events=(Rewound(77),)),
        RecordedTurn(seat=0, by="player", action=None, events=record.turns[3].events),
    ):
        with pytest.raises(ReplayError) as error_info:
            list(frames(with_last_turn(record, 6, turn), 0))
        assert (error_info.value.seq, str(error_info.value)) == (6, "6")


def test_record_without_a_deal_raises_replay_error() -> None:
    turn = RecordedTurn(seat=None, by="player", action=None, events=())
    with pytest.raises(ReplayError):
        list(frames(with_last_turn(sample_recorder(seats=3).record(), 0, turn), 0))


def record_laying_at(cell: str, times: int = 1) -> Record:
    """Return a record whose first turn lays the same card in a cell that many times."""
    recorder = sample_recorder(seats=3, seed=2)
    state = recorder.game.state
    assert state.turn is not None
    card = next(card for card in state.hands[state.turn] if card in PATH_CARDS)
    laid = (CardLaid(state.turn, card, cell), Drawn(state.turn, card))
    turn = RecordedTurn(seat=state.turn, by="player", action=None, events=laid * times)
    return with_last_turn(recorder.record(), 1, turn)


@pytest.mark.parametrize("cell", ["A55", "A-45", "AY5", "-AX5"])
def test_card_on_the_outermost_possible_cell_is_replayed(cell: str) -> None:
    assert len(list(frames(record_laying_at(cell), None))) == 2


@pytest.mark.parametrize("cell", ["A56", "A-46", "AZ5", "-AY5", "A999", "A-999", "ZZ5", "-ZZ5"])
def test_card_beyond_the_outermost_cell_raises_replay_error(cell: str) -> None:
    with pytest.raises(ReplayError):
        list(frames(record_laying_at(cell), None))


def test_turn_with_more_than_100_events_raises_replay_error() -> None:
    assert len(list(frames(record_laying_at("B5", 50), None))) == 2
    with pytest.raises(ReplayError):
        list(frames(record_laying_at("B5", 51), None))
