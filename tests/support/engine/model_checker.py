"""Play games of the engine and compare every step with the reference model."""

from collections.abc import Sequence
from copy import copy

from msgspec.structs import replace

from engine.actions import Action, Discard, Lay, Pass, TakeGold
from engine.cells import GOAL_CELLS
from engine.events import (
    CardLaid,
    Event,
    GameEnded,
    GameShortened,
    GoldDrawn,
    GoldPaid,
    GoldTaken,
    Passed,
    RoundEnded,
    TurnBegan,
)
from engine.evolve import Transition
from engine.state import GoldChoice, State
from tests.reference_model import cards, gold, turns
from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.model_adapter import (
    ENDINGS,
    assert_same_actions,
    assert_same_outcome,
    laid_cards,
    outcome_of,
    treasure_cell,
)
from tests.support.engine.positions import events_of_type


class ModelChecker:
    """A game of the engine beside what the reference model needs to know of it.

    That is the turns of the round, the path card just laid with the choices that followed, and the gold being picked.
    """

    def __init__(self, game: InMemoryGame) -> None:
        self.game = game
        self.rounds = game.state.house.rounds
        """How many rounds the game has: by its house rule, until the table shortens it."""
        self.turns = _latest_turns(game.state)
        self.laid_card: tuple[State, Lay] | None = None
        self.answers: list[Action] = []
        self.next_pickers: list[int] = []
        self.gold_held: list[int] = []
        if isinstance(game.state.choice, GoldChoice):
            self.gold_held = list(game.state.choice.cards)
            self.next_pickers = _pickers(game.state, game.state.last_turn)[-len(self.gold_held) :]
        self.ended_by = game.state.last_turn
        self.automatic_pass_count = 0
        self.moved_start_count = 0
        """How many rounds an automatic pass ended instead of the seat that spent the last card."""

    def play(self, action: Action) -> tuple[Event, ...]:
        """Play an action; assert that the model allows the same actions and predicts the same result."""
        earlier_state = self.game.state
        if isinstance(action, TakeGold):
            events = self.game.play(action)
            self._check_picks(events)
            self._check_game_end_and_next_round(earlier_state)
            return events
        assert_same_actions(earlier_state, self.game.offered_actions())
        self._note_action(earlier_state, action)
        events = self.game.play(action)
        if isinstance(action, Lay):
            is_recorded_turned = cards.recorded_orientation(action.card, turned=action.turned)
            assert [event.turned for event in events_of_type(events, CardLaid)] == [
                is_recorded_turned
            ]
        self._check_result(earlier_state, events)
        return events

    def give_up(self, seat: int) -> tuple[Event, ...]:
        """Give up a seat that has no open choice; assert that the model predicts the same result."""
        earlier_state, self.laid_card = self.game.state, None
        assert earlier_state.choice is None
        events = self.game.give_up(seat)
        self._check_result(earlier_state, events)
        return events

    def shorten(self) -> None:
        """Shorten the game; assert that only the number of its rounds changes."""
        earlier_state = self.game.state
        self.rounds = earlier_state.round
        assert self.game.shorten() == (GameShortened(earlier_state.round),)
        expected_house = replace(earlier_state.house, rounds=self.rounds)
        expected_state = replace(earlier_state, house=expected_house, seq=earlier_state.seq + 1)
        assert self.game.state == expected_state

    def _note_action(self, earlier_state: State, action: Action) -> None:
        if earlier_state.choice is not None:
            self.answers.append(action)
            return
        assert earlier_state.turn is not None
        self.laid_card, self.answers = (
            (earlier_state, action) if isinstance(action, Lay) else None,
            [],
        )
        is_pass = isinstance(action, Discard | Pass)
        self.turns.append(
            {"seat": earlier_state.turn, "passed": is_pass, "deck_before": len(earlier_state.deck)}
        )

    def _check_result(self, earlier_state: State, events: Sequence[Event]) -> None:
        state_after_round = _state_before_round_end(earlier_state, events)
        if self.laid_card is not None:
            assert_same_outcome(outcome_of(*self.laid_card, self.answers), state_after_round)
        round_endings = events_of_type(events, RoundEnded)
        if state_after_round.choice is None:
            self._check_ending(state_after_round, round_endings)
        if round_endings:
            self._check_who_ended(earlier_state, state_after_round, events)
            self._check_payment(state_after_round, round_endings[0], events)
        elif state_after_round.choice is None:
            self._check_next_turn(earlier_state, events)
        self._check_game_end_and_next_round(earlier_state)

    def _check_ending(self, state_after_round: State, round_endings: Sequence[RoundEnded]) -> None:
        endings = turns.round_endings(
            state_after_round.rulebook,
            treasure_turned=_is_treasure_turned(state_after_round),
            deck=len(state_after_round.deck),
            hands={seat: len(hand) for seat, hand in enumerate(state_after_round.hands)},
            turns=self.turns,
            given_up=state_after_round.gone,
        )
        assert len(round_endings) == bool(endings)
        assert {event.ending for event in round_endings} <= {ENDINGS[ending] for ending in endings}

    def _check_who_ended(
        self, earlier_state: State, state_after_round: State, events: Sequence[Event]
    ) -> None:
        """Compare the automatic passes, one after another, and the seat that ended the round (E13)."""
        automatic_passers = turns.automatic_passers(
            state_after_round.rulebook,
            treasure_turned=_is_treasure_turned(state_after_round),
            deck=len(state_after_round.deck),
            hands={seat: len(hand) for seat, hand in enumerate(state_after_round.hands)},
            turns=self.turns,
            given_up=state_after_round.gone,
        )
        passing_seat_on_turn = (
            [earlier_state.turn]
            if earlier_state.turn not in state_after_round.gone
            and _has_empty_hand_on_turn(earlier_state)
            else []
        )
        assert [event.seat for event in events_of_type(events, Passed)] == [
            *passing_seat_on_turn,
            *automatic_passers,
        ]
        last_player = self.turns[-1]["seat"]
        self.turns += [
            {"seat": seat, "passed": True, "deck_before": 0} for seat in automatic_passers
        ]
        self.ended_by = turns.seat_that_ended(
            state_after_round.rulebook,
            self.turns,
            seats=state_after_round.seats,
            given_up=state_after_round.gone,
        )
        assert [event.ended_by for event in events_of_type(events, RoundEnded)] == [self.ended_by]
        self.automatic_pass_count += len(automatic_passers)
        self.moved_start_count += bool(automatic_passers) and self.ended_by != last_player

    def _check_next_turn(self, earlier_state: State, events: Sequence[Event]) -> None:
        assert earlier_state.turn is not None
        later_state, began_seats = (
            self.game.state,
            [event.seat for event in events_of_type(events, TurnBegan)],
        )
        if earlier_state.gone != later_state.gone and earlier_state.turn not in later_state.gone:
            assert (began_seats, later_state.turn) == ([], earlier_state.turn)
            return
        seat_to_the_left = turns.seat_left_of(
            earlier_state.turn, seats=later_state.seats, given_up=later_state.gone
        )
        assert (began_seats, later_state.turn) == ([seat_to_the_left], seat_to_the_left)

    def _check_payment(
        self, state_after_round: State, round_endings: RoundEnded, events: Sequence[Event]
    ) -> None:
        roles = dict(enumerate(state_after_round.roles))
        side = gold.winning_side(
            state_after_round.rulebook,
            laid_cards(state_after_round.mine),
            treasure=treasure_cell(state_after_round),
            roles=roles,
        )
        assert round_endings.winners == side
        if side == "diggers":
            self._check_draw(state_after_round, events)
            return
        expected_payments = gold.pay_saboteurs(
            state_after_round.pile,
            roles,
            last_turn_seat=self.ended_by,
            given_up=state_after_round.gone,
        )
        assert {
            event.seat: event.cards for event in events_of_type(events, GoldPaid)
        } == expected_payments.cards
        assert [event.seat for event in events_of_type(events, GoldPaid)] == list(
            expected_payments.cards
        )
        assert self.game.state.pile == expected_payments.pile

    def _check_draw(self, state_after_round: State, events: Sequence[Event]) -> None:
        self.next_pickers = _pickers(state_after_round, self.turns[-1]["seat"])
        drawn_card_count = len(self.next_pickers)
        self.gold_held = list(state_after_round.pile[:drawn_card_count])
        draws = [(event.seat, event.cards) for event in events_of_type(events, GoldDrawn)]
        assert draws == [(seat, tuple(self.gold_held)) for seat in self.next_pickers[:1]]
        assert self.game.state.pile == state_after_round.pile[drawn_card_count:]
        self._check_picks(events)

    def _check_picks(self, events: Sequence[Event]) -> None:
        for event in events_of_type(events, GoldTaken):
            assert event.seat == self.next_pickers.pop(0)
            self.gold_held.remove(event.nuggets)
        choice = self.game.state.choice
        assert (choice is None) == (not self.gold_held) == (not self.next_pickers)
        if isinstance(choice, GoldChoice):
            assert (choice.seat, choice.cards) == (self.next_pickers[0], tuple(self.gold_held))

    def _check_game_end_and_next_round(self, earlier_state: State) -> None:
        later_state = self.game.state
        if later_state.winners:
            nuggets = {seat: sum(cards) for seat, cards in enumerate(later_state.gold)}
            assert set(later_state.winners) == gold.winners(nuggets)
            assert turns.game_is_over({"rounds": self.rounds}, rounds_played=later_state.round)
        if later_state.round == earlier_state.round:
            return
        assert not turns.game_is_over({"rounds": self.rounds}, rounds_played=earlier_state.round)
        assert later_state.turn == turns.next_starter(
            later_state.rulebook,
            seats=later_state.seats,
            ended_by=self.ended_by,
            round_one_starter=later_state.first_starter,
            given_up=later_state.gone,
        )
        self.turns, self.laid_card = [], None


def checker_at(state: State) -> ModelChecker:
    """Return a checker of a game that has come to this state, with no choice but that of gold open."""
    assert state.choice is None or isinstance(state.choice, GoldChoice)
    game = InMemoryGame(state.rulebook, seats=state.seats)
    game.state = state
    return ModelChecker(game)


def _latest_turns(state: State) -> list[turns.FinishedTurn]:
    """Return the latest turns as far as the table remembers them: the passes in a row, or else the last turn."""
    passes: list[turns.FinishedTurn] = [
        {"seat": seat, "passed": True, "deck_before": 0} for seat in state.passed
    ]
    if state.passed[-1:] == (state.last_turn,):
        return passes
    is_pass = bool(state.passed)  # that of a seat given up since
    return [*passes, {"seat": state.last_turn, "passed": is_pass, "deck_before": 0}]


def _pickers(state: State, finder_seat: int) -> list[int]:
    """Return which seat picks each gold card drawn in a round that the diggers won."""
    sharing_seats = gold.sharing_diggers(
        dict(enumerate(state.roles)),
        broken=dict(enumerate(state.broken)),
        given_up=state.gone,
        intact_diggers_only=state.house.intact_diggers_only,
    )
    drawn_card_count = gold.gold_cards_drawn(
        state.rulebook, players=state.seats, sharing_seat_count=len(sharing_seats)
    )
    order = gold.picking_order(state.seats, finder_seat=finder_seat, sharing_seats=sharing_seats)
    return gold.pickers(state.rulebook, order, drawn_card_count=drawn_card_count) if order else []


def _is_treasure_turned(state: State) -> bool:
    return GOAL_CELLS[state.goals.index("treasure")] in state.mine.laid


def _has_empty_hand_on_turn(state: State) -> bool:
    return state.turn is not None and state.choice is None and not state.hands[state.turn]


def _state_before_round_end(earlier_state: State, events: Sequence[Event]) -> State:
    transition = Transition(earlier_state)
    for event in events:
        if isinstance(event, RoundEnded | GameEnded):
            break
        transition.record(event)
    return copy(transition.state)
