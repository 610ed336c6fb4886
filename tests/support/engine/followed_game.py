"""Follows whole games of the engine and asks the oracle at every step what should have come of it."""

from collections.abc import Sequence
from copy import copy

from engine.actions import Action, Discard, Lay, Pass, TakeGold
from engine.cells import GOAL_CELLS
from engine.events import (
    CardLaid,
    Event,
    GameEnded,
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
from tests.support.engine.reference_model import (
    ENDINGS,
    agree_on_outcome,
    laid_cards,
    oracle_action,
    oracle_actions,
    oracle_goal_cell,
    outcome_of,
)
from tests.support.positions import Game, told


class Follower:
    """What the oracle remembers of a game: the turns of the round, the card just laid, the gold that goes round."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.turns: list[turns.Turn] = []
        self.laid: tuple[State, Lay] | None = None
        self.answers: list[Action] = []
        self.pickers: list[int] = []
        self.held: list[int] = []
        self.ended_by = 0
        self.steps = 0
        self.automatic_passes = 0
        self.moved_starts = 0
        """Rounds that a pass without a card ended, and not the seat that spent the last card."""

    def play(self, action: Action) -> None:
        """Play an action, and agree on what was allowed and on what comes of it."""
        before = self.game.state
        self.steps += 1
        if isinstance(action, TakeGold):
            self._agree_on_picks(self.game.play(action))
            self._agree_on_what_follows(before)
            return
        offered = [oracle_action(offered, before) for offered in self.game.menu()]
        assert len(offered) == len(set(offered))
        assert set(offered) == oracle_actions(before)
        self._remember(before, action)
        events = self.game.play(action)
        if isinstance(action, Lay):
            recorded = cards.as_recorded(action.card, turned=action.turned)
            assert [event.turned for event in told(events, CardLaid)] == [recorded]
        self._agree(before, events)

    def give_up(self, seat: int) -> None:
        """Give up a seat that owes no choice, and agree on what comes of it."""
        before, self.laid = self.game.state, None
        self.steps += 1
        self._agree(before, self.game.give_up(seat))

    def _remember(self, before: State, action: Action) -> None:
        if before.choice is not None:
            self.answers.append(action)
            return
        assert before.turn is not None
        self.laid, self.answers = (before, action) if isinstance(action, Lay) else None, []
        passed = isinstance(action, Discard | Pass)
        self.turns.append({"seat": before.turn, "passed": passed, "deck_before": len(before.deck)})

    def _agree(self, before: State, events: Sequence[Event]) -> None:
        settled = _until_round_ended(before, events)
        if self.laid is not None:
            agree_on_outcome(outcome_of(*self.laid, self.answers), settled)
        ended = told(events, RoundEnded)
        if settled.choice is None:
            self._agree_on_ending(settled, ended)
        if ended:
            self._agree_on_who_ended(before, settled, events)
            self._agree_on_payment(settled, ended[0], events)
        elif settled.choice is None:
            self._agree_on_next_turn(before, events)
        self._agree_on_what_follows(before)

    def _agree_on_ending(self, settled: State, ended: Sequence[RoundEnded]) -> None:
        endings = turns.round_endings(
            settled.rulebook,
            treasure_turned=_treasure_shows(settled),
            deck=len(settled.deck),
            hands={seat: len(hand) for seat, hand in enumerate(settled.hands)},
            turns=self.turns,
            given_up=settled.gone,
        )
        assert len(ended) == bool(endings)
        assert {event.ending for event in ended} <= {ENDINGS[ending] for ending in endings}

    def _agree_on_who_ended(self, before: State, settled: State, events: Sequence[Event]) -> None:
        """Compare the passes that no player made, one after another, and the seat that ended the round (E13)."""
        by_themselves = turns.passes_without_a_card(
            settled.rulebook,
            treasure_turned=_treasure_shows(settled),
            deck=len(settled.deck),
            hands={seat: len(hand) for seat, hand in enumerate(settled.hands)},
            turns=self.turns,
            given_up=settled.gone,
        )
        own = [before.turn] if before.turn not in settled.gone and _had_no_card(before) else []
        assert [event.seat for event in told(events, Passed)] == [*own, *by_themselves]
        last_played = self.turns[-1]["seat"]
        self.turns += [{"seat": seat, "passed": True, "deck_before": 0} for seat in by_themselves]
        self.ended_by = turns.who_ended(
            settled.rulebook, self.turns, seats=settled.seats, given_up=settled.gone
        )
        assert [event.ended_by for event in told(events, RoundEnded)] == [self.ended_by]
        self.automatic_passes += len(by_themselves)
        self.moved_starts += bool(by_themselves) and self.ended_by != last_played

    def _agree_on_next_turn(self, before: State, events: Sequence[Event]) -> None:
        assert before.turn is not None
        after, began = self.game.state, [event.seat for event in told(events, TurnBegan)]
        if before.gone != after.gone and before.turn not in after.gone:
            assert (began, after.turn) == ([], before.turn)
            return
        left = turns.left_of(before.turn, seats=after.seats, given_up=after.gone)
        assert (began, after.turn) == ([left], left)

    def _agree_on_payment(self, settled: State, ended: RoundEnded, events: Sequence[Event]) -> None:
        roles = dict(enumerate(settled.roles))
        side = gold.winning_side(
            settled.rulebook,
            laid_cards(settled.mine),
            treasure=oracle_goal_cell(settled),
            roles=roles,
        )
        assert ended.winners == side
        if side == "diggers":
            self._agree_on_draw(settled, events)
            return
        paid = gold.pay_saboteurs(
            settled.pile, roles, last_turn=self.ended_by, given_up=settled.gone
        )
        assert {event.seat: event.cards for event in told(events, GoldPaid)} == paid.cards
        assert [event.seat for event in told(events, GoldPaid)] == list(paid.cards)
        assert self.game.state.pile == paid.pile

    def _agree_on_draw(self, settled: State, events: Sequence[Event]) -> None:
        sharing = gold.sharing_diggers(
            dict(enumerate(settled.roles)),
            broken=dict(enumerate(settled.broken)),
            given_up=settled.gone,
            intact_diggers_only=settled.house.intact_diggers_only,
        )
        drawn = gold.gold_cards_drawn(settled.rulebook, players=settled.seats, sharing=len(sharing))
        order = gold.picking_order(
            settled.seats, reached_by=self.turns[-1]["seat"], sharing=sharing
        )
        self.pickers = gold.picks(settled.rulebook, order, drawn=drawn) if sharing else []
        self.held = list(settled.pile[:drawn])
        draws = [(event.seat, event.cards) for event in told(events, GoldDrawn)]
        assert draws == [(seat, settled.pile[:drawn]) for seat in order[:1]]
        assert self.game.state.pile == settled.pile[drawn:]
        self._agree_on_picks(events)

    def _agree_on_picks(self, events: Sequence[Event]) -> None:
        for event in told(events, GoldTaken):
            assert event.seat == self.pickers.pop(0)
            self.held.remove(event.nuggets)
        choice = self.game.state.choice
        assert (choice is None) == (not self.held) == (not self.pickers)
        if isinstance(choice, GoldChoice):
            assert (choice.seat, choice.cards) == (self.pickers[0], tuple(self.held))

    def _agree_on_what_follows(self, before: State) -> None:
        after = self.game.state
        if after.winners:
            nuggets = {seat: sum(cards) for seat, cards in enumerate(after.gold)}
            assert set(after.winners) == gold.winners(nuggets)
            assert turns.game_is_over({"rounds": after.house.rounds}, rounds_played=after.round)
        if after.round == before.round:
            return
        assert not turns.game_is_over({"rounds": after.house.rounds}, rounds_played=before.round)
        assert after.turn == turns.next_starter(
            after.rulebook,
            seats=after.seats,
            ended_by=self.ended_by,
            round_one_starter=after.first_starter,
            given_up=after.gone,
        )
        self.turns, self.laid = [], None


def _treasure_shows(state: State) -> bool:
    return GOAL_CELLS[state.goals.index("treasure")] in state.mine.laid


def _had_no_card(state: State) -> bool:
    return state.turn is not None and state.choice is None and not state.hands[state.turn]


def _until_round_ended(before: State, events: Sequence[Event]) -> State:
    course = Transition(before)
    for event in events:
        if isinstance(event, RoundEnded | GameEnded):
            break
        course.record(event)
    return copy(course.state)
