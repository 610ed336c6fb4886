"""What one seat has learned in the course of a game, and where every card went, followed event by event."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from engine.cards import MAP, ROCKFALL
from engine.cells import GOAL_CELLS
from engine.events import (
    CardLaid,
    Dealt,
    Discarded,
    Drawn,
    Event,
    GoalSeen,
    GoalTurned,
    Rewound,
    RockFell,
    RoundEnded,
    SeatGivenUp,
    StoneMisfit,
    ToolBroken,
    ToolRepaired,
)
from engine.state import State


class CardPlaces(NamedTuple):
    """Where the cards of a round are, each named by its place in the shuffled deck."""

    round: int
    hands: dict[int, tuple[int, ...]]
    deck: tuple[int, ...]

    def with_hand(self, seat: int, hand: tuple[int, ...]) -> "CardPlaces":
        return self._replace(hands={**self.hands, seat: hand})


class SeatKnowledge:
    """The places in each shuffled order whose content the observer knows; None observes as an onlooker."""

    def __init__(
        self,
        orders: Mapping[str, tuple[Any, ...]],
        log: Sequence[Sequence[Event]],
        states: Sequence[State],
        *,
        observer: int | None,
    ) -> None:
        self._orders = orders
        self._observer = observer
        self._known_cards: dict[int, set[int]] = {}
        self._known_goals: dict[int, set[int]] = {}
        self._rounds_with_roles_shown: set[int] = set()
        self._spent_cards: dict[int, tuple[str, int]] = {}
        self._places_after_turns: list[CardPlaces] = []
        self._follow_log(log, states)

    def known_places(self, label: str) -> set[int] | None:
        """Return the known places of the order under a label; None for orders that are never changed (gold, starter)."""
        deal, _, kind = label.partition("/")
        number = int(deal.removeprefix("round-")) if kind else 0
        if kind == "deck":
            return self._known_cards.get(number, set())
        if kind == "goals":
            return self._known_goals.get(number, set())
        return self._known_roles(number) if kind == "roles" else None

    def card_spent(self, seq: int) -> tuple[str, int]:
        """Return the label of the deck and the place in it of the card that turn ``seq`` spent."""
        return self._spent_cards[seq]

    def _known_roles(self, number: int) -> set[int]:
        if number in self._rounds_with_roles_shown:
            return set(range(len(self._orders[f"round-{number}/roles"])))
        return set() if self._observer is None else {self._observer}

    def _follow_log(self, log: Sequence[Sequence[Event]], states: Sequence[State]) -> None:
        places = CardPlaces(0, {}, ())
        for seq, (state, events) in enumerate(zip(states, log, strict=True)):
            for event in events:
                self._note_event(places.round, event)
                places = self._places_after(places, event, seq)
            assert {seat: len(hand) for seat, hand in places.hands.items()} == {
                seat: len(hand) for seat, hand in enumerate(state.hands)
            }
            self._places_after_turns.append(places)

    def _note_event(self, number: int, event: Event) -> None:
        if isinstance(event, RoundEnded):
            self._rounds_with_roles_shown.add(event.round)
        is_shown = isinstance(event, GoalTurned | StoneMisfit)
        if isinstance(event, GoalTurned | StoneMisfit | GoalSeen) and (
            is_shown or event.seat == self._observer
        ):
            self._known_goals.setdefault(number, set()).add(GOAL_CELLS.index(event.cell))

    def _places_after(self, places: CardPlaces, event: Event, seq: int) -> CardPlaces:
        """Return where the cards are after an event."""
        if isinstance(event, Dealt):
            return self._places_after_deal(event)
        if isinstance(event, Rewound):
            return self._places_after_turns[event.to_seq]
        if isinstance(event, SeatGivenUp):
            return places.with_hand(event.seat, ())
        if isinstance(event, Drawn):
            return self._places_after_draw(places, event.seat)
        card = _card_spent_by(event)
        return places if card is None else self._places_without_card(places, event, card, seq)

    def _places_after_deal(self, event: Dealt) -> CardPlaces:
        first_place, hands = 0, {}
        for seat, hand in enumerate(event.hands):
            hands[seat] = tuple(range(first_place, first_place + len(hand)))
            first_place += len(hand)
        if self._observer is not None:
            self._known_cards.setdefault(event.round, set()).update(hands[self._observer])
        return CardPlaces(
            event.round, hands, tuple(range(first_place, first_place + len(event.deck)))
        )

    def _places_after_draw(self, places: CardPlaces, seat: int) -> CardPlaces:
        place, *deck = places.deck
        if seat == self._observer:
            self._mark_card_known(places.round, place)
        hand = (*places.hands[seat], place)
        return places.with_hand(seat, hand)._replace(deck=tuple(deck))

    def _places_without_card(
        self, places: CardPlaces, event: Any, card: str, seq: int
    ) -> CardPlaces:
        """Take the card that an event spent out of its hand."""
        label = f"round-{places.round}/deck"
        hand = list(places.hands[event.seat])
        place = next(place for place in hand if self._orders[label][place] == card)
        hand.remove(place)
        self._spent_cards[seq] = label, place
        if not isinstance(event, Discarded) or event.seat == self._observer:
            self._mark_card_known(places.round, place)
        return places.with_hand(event.seat, tuple(hand))

    def _mark_card_known(self, number: int, place: int) -> None:
        self._known_cards.setdefault(number, set()).add(place)


_CARDS_NAMED_BY_EVENT: Final = CardLaid | ToolBroken | ToolRepaired | Discarded


def _card_spent_by(event: Event) -> str | None:
    if isinstance(event, RockFell):
        return ROCKFALL
    if isinstance(event, GoalSeen):
        return MAP
    return event.card if isinstance(event, _CARDS_NAMED_BY_EVENT) else None
