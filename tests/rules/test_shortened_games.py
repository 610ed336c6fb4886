"""R47: the table may agree that its game ends after the round under way."""

import pytest

from engine.actions import TakeGold
from engine.errors import IllegalAction, Reason
from engine.events import Dealt, Event, GameEnded, GameShortened
from engine.evolve import fold
from engine.game import shorten_game
from engine.record import RecordedTurn, write_record
from engine.record_reading import read_record
from engine.replaying import frames
from engine.rulebook import HouseRules
from engine.state import GoldChoice
from engine.verification import Flaw, FlawCode, verify_record
from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.random_players import mostly_digging_action
from tests.support.engine.sample_games import sample_recorder
from tests.support.engine.seeded_random import ScriptedChance, SeededRng
from tests.support.engine.tampered_records import with_parts
from tests.support.rulebook_groups import every_rulebook


def play_to_the_end(game: InMemoryGame) -> list[Event]:
    rng = SeededRng(3)
    while not game.is_over:
        game.play(mostly_digging_action(game.state, rng))
    return [event for events in game.log for event in events]


@every_rulebook
@pytest.mark.parametrize("last_round", [1, 2])
def test_shortened_game_ends_after_the_round_under_way_r47(rulebook: str, last_round: int) -> None:
    game, rng = InMemoryGame(rulebook, seats=4), SeededRng(1)
    while game.state.round < last_round:
        game.play(mostly_digging_action(game.state, rng))
    assert game.shorten() == (GameShortened(last_round),)
    events = play_to_the_end(game)
    assert game.state.round == last_round
    assert sum(isinstance(event, Dealt) for event in events) == last_round
    assert isinstance(events[-1], GameEnded)
    assert fold(game.start, game.log) == game.state


def test_game_shortened_while_gold_is_shared_deals_no_other_round_r47() -> None:
    game, rng = InMemoryGame(seats=5, chance=ScriptedChance(5)), SeededRng(2)
    while not isinstance(game.state.choice, GoldChoice):
        game.play(mostly_digging_action(game.state, rng))
    finished_round = game.state.round
    game.shorten()
    while isinstance(game.state.choice, GoldChoice):
        game.play(TakeGold(max(game.state.choice.cards)))
    assert game.is_over
    assert game.state.round == finished_round


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_last_round_cannot_be_shortened_r47(rounds: int) -> None:
    game, rng = InMemoryGame(house=HouseRules(rounds=rounds)), SeededRng(1)
    while game.state.round < rounds:
        game.play(mostly_digging_action(game.state, rng))
    with pytest.raises(IllegalAction) as refusal:
        game.shorten()
    assert (refusal.value.reason, refusal.value.reason.rule) == (Reason.LAST_ROUND, "R47")


def test_game_cannot_be_shortened_twice_or_after_its_end() -> None:
    game = InMemoryGame()
    game.shorten()
    with pytest.raises(IllegalAction) as refusal:
        game.shorten()
    assert refusal.value.reason == Reason.LAST_ROUND
    play_to_the_end(game)
    with pytest.raises(IllegalAction) as refusal:
        shorten_game(game.state)
    assert refusal.value.reason == Reason.GAME_OVER


def test_rewind_to_before_the_agreement_undoes_it() -> None:
    game, rng = InMemoryGame(), SeededRng(1)
    for _ in range(4):
        game.play(mostly_digging_action(game.state, rng))
    game.shorten()
    game.rewind(2)
    assert game.state.house.rounds == 3
    play_to_the_end(game)
    assert game.state.round == 3


def test_record_of_a_shortened_game_is_read_verified_and_replayed() -> None:
    record = sample_recorder(seed=4).play_randomly(9).shorten().play_randomly().record()
    text = write_record(record)
    assert "\n  shortened to 1\n" in text
    assert read_record(text.encode()) == record
    report = verify_record(record)
    assert (report.flaws, report.is_finished, report.deal_count) == ((), True, 1)
    assert len(list(frames(record, None))) == len(record.turns)


def test_verification_reports_an_agreement_that_was_never_made() -> None:
    record = sample_recorder(seed=4).play_randomly(5).record()
    for event in (GameShortened(2), GameShortened(3)):
        turn = RecordedTurn(seat=None, by="vote", action=None, events=(event,))
        report = verify_record(with_parts(record, turns=(*record.turns, turn)))
        assert report.flaws == (Flaw(FlawCode.EVENTS_DIFFER, 6),)
