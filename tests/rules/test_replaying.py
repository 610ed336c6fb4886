import msgspec
import pytest

from engine.cards import PATH_CARDS
from engine.events import CardLaid, Drawn, Rewound
from engine.record import Record, RecordedTurn
from engine.replaying import ReplayError, frames
from engine.story import LineKey, narrate
from engine.view import view_for
from tests.support.engine.recorded_games import Recorder, eventful
from tests.support.positions import every_rulebook


@every_rulebook
@pytest.mark.parametrize("seat", [None, 0, 4])
def test_every_turn_is_shown_as_the_seat_saw_it(rulebook: str, seat: int | None) -> None:
    recorder = Recorder(rulebook, seats=5, seed=2)
    expected = []
    while not recorder.game.is_over:
        state = recorder.game.state
        lines = tuple(line for event in recorder.game.log[-1] for line in narrate(event, seat))
        expected.append((lines, view_for(state, seat)))
        recorder.play(1)
    shown = [(frame.lines, frame.view) for frame in frames(recorder.record(), seat)]
    assert shown[:-1] == expected
    assert shown[-1][1].winners


def test_turns_are_numbered_and_say_who_played_and_how() -> None:
    record = Recorder(seats=3, seed=2).play(6).record()
    shown = list(frames(record, None))
    assert [frame.seq for frame in shown] == list(range(7))
    assert [frame.seat for frame in shown] == [turn.seat for turn in record.turns]
    assert {frame.by for frame in shown} == {"player"}


def test_a_rewind_is_shown_as_the_position_it_went_back_to() -> None:
    recorder = Recorder(seats=3, seed=2).play(9).rewind(4).play(2).rewind(0)
    shown = list(frames(recorder.record(), 1))
    assert shown[10].view == msgspec.structs.replace(shown[4].view, seq=10)
    assert shown[13].view == msgspec.structs.replace(shown[0].view, seq=13)
    assert [line.key for line in shown[10].lines] == [LineKey.REWOUND]


def test_every_position_of_a_game_with_rewinds_is_that_of_the_game() -> None:
    record = eventful("uk-2017")
    *_, last = frames(record, None)
    assert last.view.winners
    assert last.seq == len(record.turns) - 1


def test_nothing_secret_is_told_unless_it_is_opened() -> None:
    record = eventful("en-2004")
    secret = {LineKey.CARD_DRAWN, LineKey.CARD_DISCARDED, LineKey.GOAL_SEEN, LineKey.ROLE_DEALT}
    onlooker = {line.key for frame in frames(record, None) for line in frame.lines}
    opened = {line.key for frame in frames(record, None, opened=True) for line in frame.lines}
    assert not onlooker & secret
    assert secret <= opened


def broken(record: Record, seq: int, turn: RecordedTurn) -> Record:
    return msgspec.structs.replace(record, turns=(*record.turns[:seq], turn))


def test_what_cannot_have_happened_is_not_followed() -> None:
    record = Recorder(seats=3, seed=2).play(6).record()
    for turn in (
        RecordedTurn(seat=None, by="player", action=None, events=(Rewound(77),)),
        RecordedTurn(seat=0, by="player", action=None, events=record.turns[3].events),
    ):
        with pytest.raises(ReplayError) as lost:
            list(frames(broken(record, 6, turn), 0))
        assert (lost.value.seq, str(lost.value)) == (6, "6")


def test_a_game_that_was_never_dealt_is_not_followed() -> None:
    turn = RecordedTurn(seat=None, by="player", action=None, events=())
    with pytest.raises(ReplayError):
        list(frames(broken(Recorder(seats=3).record(), 0, turn), 0))


def laid_at(cell: str, times: int = 1) -> Record:
    """A game of which the first turn lays a card there, as often as that."""
    recorder = Recorder(seats=3, seed=2)
    state = recorder.game.state
    assert state.turn is not None
    card = next(card for card in state.hands[state.turn] if card in PATH_CARDS)
    laid = (CardLaid(state.turn, card, cell), Drawn(state.turn, card))
    turn = RecordedTurn(seat=state.turn, by="player", action=None, events=laid * times)
    return broken(recorder.record(), 1, turn)


@pytest.mark.parametrize("cell", ["A55", "A-45", "AY5", "-AX5"])
def test_a_card_is_followed_as_far_as_cards_can_lie(cell: str) -> None:
    assert len(list(frames(laid_at(cell), None))) == 2


@pytest.mark.parametrize("cell", ["A56", "A-46", "AZ5", "-AY5", "A999", "A-999", "ZZ5", "-ZZ5"])
def test_a_card_laid_where_no_card_can_lie_is_not_followed(cell: str) -> None:
    with pytest.raises(ReplayError):
        list(frames(laid_at(cell), None))


def test_a_turn_without_end_is_not_followed() -> None:
    assert len(list(frames(laid_at("B5", 50), None))) == 2
    with pytest.raises(ReplayError):
        list(frames(laid_at("B5", 51), None))
