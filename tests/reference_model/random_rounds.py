"""Whole rounds played at random by the reference model alone, to check the figures of section 4."""

import random  # noqa: TID251 - the model shares nothing with the engine, its shuffle included
from collections.abc import Callable, Mapping
from typing import TypeVar, cast

from tests.reference_model.cards import DECK, GOAL_CELLS, GOALS, HAND_SIZES, START
from tests.reference_model.reaching import Answer, CardOutcome, PlacedCard, outcome_after_laying
from tests.reference_model.turns import (
    FinishedTurn,
    ModelAction,
    ModelPosition,
    legal_actions,
    round_endings,
    seat_left_of,
)

V = TypeVar("V")


def shuffled(counts: Mapping[V, int], chance: random.Random) -> list[V]:
    """Return every card as often as it is counted, in an order by chance."""
    cards = [card for card, count in counts.items() for _ in range(count)]
    chance.shuffle(cards)
    return cards


class RandomRound:
    """A round in which every action and every answer is drawn from all that is legal.

    Of the actions only those are drawn that ``preference_of`` ranks highest; by default it ranks none.
    """

    def __init__(
        self,
        rulebook: str,
        *,
        players: int,
        chance: random.Random,
        preference_of: Callable[[ModelAction], int] = lambda _: 0,
    ) -> None:
        self.rulebook = rulebook
        self.chance = chance
        self.preference_of = preference_of
        self.deck = shuffled(DECK, chance)
        self.hands = {
            seat: [self.deck.pop() for _ in range(HAND_SIZES[players])] for seat in range(players)
        }
        self.laid = [START]
        goals = shuffled(dict.fromkeys(GOALS, 1), chance)
        self.face_down = dict(zip(GOAL_CELLS, goals, strict=True))
        self.broken: dict[int, set[str]] = {seat: set() for seat in range(players)}
        self.turns: list[FinishedTurn] = []
        self.treasure = False
        self.seat = 0

    def play(self) -> set[str]:
        """Play to the end and return how the round ended."""
        while not (endings := self.endings()):
            self.take_turn()
        return endings

    def endings(self) -> set[str]:
        return round_endings(
            self.rulebook,
            treasure_turned=self.treasure,
            deck=len(self.deck),
            hands={seat: len(hand) for seat, hand in self.hands.items()},
            turns=self.turns,
        )

    def position(self) -> ModelPosition:
        return {
            "rulebook": self.rulebook,
            "house_rules": {},
            "laid": self.laid,
            "face_down_goals": self.face_down,
            "seats": len(self.hands),
            "given_up": (),
            "broken": self.broken,
            "seat": self.seat,
            "hand": self.hands[self.seat],
            "question": None,
        }

    def take_turn(self) -> None:
        action = self.choose(legal_actions(self.position()))
        is_pass = action[0] in ("discard", "pass")
        self.turns.append({"seat": self.seat, "passed": is_pass, "deck_before": len(self.deck)})
        self.apply(action)
        if self.deck:
            self.hands[self.seat].append(self.deck.pop())
        self.seat = seat_left_of(self.seat, seats=len(self.hands))

    def choose(self, actions: set[ModelAction]) -> ModelAction:
        best_preference = max(self.preference_of(action) for action in actions)
        preferred_actions = [
            action for action in actions if self.preference_of(action) == best_preference
        ]
        return self.chance.choice(sorted(preferred_actions, key=repr))

    def apply(self, action: ModelAction) -> None:
        if action[0] == "pass":
            return
        has_code = action[0] not in ("map", "rockfall")
        self.hands[self.seat].remove(str(action[1] if has_code else action[0]))
        if action[0] == "lay":
            self.lay(cast("PlacedCard", action[1:]))
        if action[0] == "break":
            self.broken[cast("int", action[2])].add(str(action[1]).removeprefix("break-"))
        if action[0] == "repair":
            self.broken[cast("int", action[2])].remove(str(action[3]))
        if action[0] == "rockfall":
            self.laid = [card for card in self.laid if card[:2] != action[1:]]

    def lay(self, placed_card: PlacedCard) -> None:
        answers: list[Answer] = []
        while (
            open_question := (outcome := self.outcome(placed_card, answers))["question"]
        ) is not None:
            answers.append(self.chance.choice(open_question["options"]))
        self.laid, self.face_down = outcome["laid"], outcome["face_down"]
        self.treasure = outcome["treasure"]

    def outcome(self, placed_card: PlacedCard, answers: list[Answer]) -> CardOutcome:
        return outcome_after_laying(
            self.rulebook,
            self.laid,
            face_down_goals=self.face_down,
            placed_card=placed_card,
            answers=answers,
        )
