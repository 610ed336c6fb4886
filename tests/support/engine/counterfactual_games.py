"""Two worlds that a seat cannot tell apart: the same game, with everything hidden from that seat laid out otherwise.

What a seat has come to know is written down here event by event, and independently of views and lines. All cards that it
does not know are exchanged for one another, so are roles, goals and gold; then everybody does the same again.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from engine.actions import Action, Discard, TakeGold
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
    GoldDrawn,
    GoldPaid,
    GoldPassed,
    GoldTaken,
    Rewound,
    RockFell,
    RoundEnded,
    SeatGivenUp,
    StoneMisfit,
    ToolBroken,
    ToolRepaired,
)
from engine.state import GoldChoice, State
from tests.support.positions import Arranged, Dice, Game

T = TypeVar("T")


class Move(NamedTuple):
    """Something that was done in a game: an action of the seat due, or something of the table (``what`` says what)."""

    what: str
    number: int = 0
    action: Action | None = None


class HistoryEntry(NamedTuple):
    """A game with the way it came about: every position, and what was done in between."""

    game: Game
    orders: Mapping[str, tuple[Any, ...]]
    moves: tuple[Move, ...]
    states: tuple[State, ...]


def tell_again(
    like: Game, orders: Mapping[str, tuple[Any, ...]], moves: Sequence[Move]
) -> HistoryEntry:
    """The same game with what chance gave as in ``orders``."""
    state = like.start
    game = Game(
        state.rulebook,
        seats=state.seats,
        house=state.house,
        starter=None,
        chance=Arranged(orders=orders),
    )
    states = [game.state]
    for move in moves:
        do(game, move)
        states.append(game.state)
    return HistoryEntry(game, orders, tuple(moves), tuple(states))


def do(game: Game, move: Move) -> None:
    """Do something in a game."""
    if move.action is not None:
        game.play(_possible(game.state, move.action))
    elif move.what == "give up":
        game.give_up(move.number)
    elif move.what == "hand over":
        game.hand_over(move.number)
    else:
        game.rewind(move.number)


def _possible(state: State, action: Action) -> Action:
    """In another world other gold may lie before the same digger."""
    if isinstance(action, TakeGold) and isinstance(state.choice, GoldChoice):
        held = state.choice.cards
        return action if action.nuggets in held else TakeGold(held[0])
    return action


def twin(told: HistoryEntry, observer: int | None, dice: Dice) -> HistoryEntry:
    """Another world that ``observer`` (None: an onlooker) cannot tell from this one."""
    memory = Memory(told, observer)
    orders = dict(told.orders)
    for label in told.orders:
        kind = label.partition("/")[2]
        if kind in memory.known:
            orders[label] = _exchanged(orders[label], memory.known[kind](label), dice)
    moves = tuple(memory.moves_with(orders))
    return _with_other_gold(told, orders, moves, observer, dice)


def _with_other_gold(
    told: HistoryEntry,
    orders: dict[str, tuple[Any, ...]],
    moves: Sequence[Move],
    observer: int | None,
    dice: Dice,
) -> HistoryEntry:
    """Exchange gold cards until a pile is found that shows this seat the same; sometimes only the old one does."""
    for exchanges in (28, 6, 3, 2, 2, 1, 1, 1):
        gold = list(told.orders["gold"])
        for _ in range(exchanges):
            one, other = dice.below(len(gold)), dice.below(len(gold))
            gold[one], gold[other] = gold[other], gold[one]
        again = tell_again(told.game, {**orders, "gold": tuple(gold)}, moves)
        if list(_gold_heard_of(again, observer)) == list(_gold_heard_of(told, observer)):
            return again
    return tell_again(told.game, orders, moves)


def _gold_heard_of(told: HistoryEntry, observer: int | None) -> Iterator[object]:
    """What the rules let a seat know of gold (R41, E31, and the house rule of open gold)."""
    for state, events in zip(told.states, told.game.log, strict=True):
        for event in events:
            yield from _heard(event, observer, is_open=state.house.open_gold)
        if isinstance(state.choice, GoldChoice) and state.choice.seat == observer:
            yield state.choice.cards
        if state.house.open_gold:
            yield state.gold


def _heard(event: Event, observer: int | None, *, is_open: bool) -> Iterator[object]:
    if isinstance(event, GoldPaid):
        own = event.seat == observer
        yield event.seat, sum(event.cards), own and (event.cards, event.overshot, event.restored)
    if isinstance(event, GoldDrawn):
        yield event.seat, len(event.cards), event.seat == observer and event.cards
    if isinstance(event, GoldTaken):
        known = is_open or event.seat == observer
        yield event.seat, event.passed_to, known and event.nuggets
    if isinstance(event, GoldPassed):
        yield event


def _exchanged(order: tuple[T, ...], known: set[int], dice: Dice) -> tuple[T, ...]:
    """The order in which all but the known places hold what chance gives them."""
    hidden = [place for place in range(len(order)) if place not in known]
    fresh = dict(zip(hidden, dice.shuffled(order[place] for place in hidden), strict=True))
    return tuple(order[place] if place in known else fresh[place] for place in range(len(order)))


class _Table(NamedTuple):
    """Where the cards of a round are, each by its place in the shuffled deck."""

    round: int
    hands: dict[int, tuple[int, ...]]
    deck: tuple[int, ...]


class Memory:
    """What a seat has come to know in the course of a game, and where every card went."""

    def __init__(self, told: HistoryEntry, observer: int | None) -> None:
        self._told = told
        self._observer = observer
        self._cards: dict[int, set[int]] = {}
        self._goals: dict[int, set[int]] = {}
        self._roles_shown: set[int] = set()
        self._discards: dict[int, int] = {}
        self._tables: list[_Table] = []
        self.known: dict[str, Callable[[str], set[int]]] = {
            "deck": lambda label: self._cards.get(_round_of(label), set()),
            "goals": lambda label: self._goals.get(_round_of(label), set()),
            "roles": self._known_roles,
        }
        self._remember()

    def moves_with(self, orders: Mapping[str, tuple[Any, ...]]) -> Iterator[Move]:
        """The moves of the other world, where other cards are discarded unseen."""
        for seq, move in enumerate(self._told.moves, 1):
            if isinstance(move.action, Discard):
                deck = orders[f"round-{self._tables[seq - 1].round}/deck"]
                yield Move("play", action=Discard(deck[self._discards[seq]]))
            else:
                yield move

    def _known_roles(self, label: str) -> set[int]:
        everybody = set(range(len(self._told.orders[label])))
        own = set() if self._observer is None else {self._observer}
        return everybody if _round_of(label) in self._roles_shown else own

    def _remember(self) -> None:
        table = _Table(0, {}, ())
        for seq, (state, events) in enumerate(
            zip(self._told.states, self._told.game.log, strict=True)
        ):
            for event in events:
                table = self._after(table, event, seq)
            assert {seat: len(hand) for seat, hand in table.hands.items()} == {
                seat: len(hand) for seat, hand in enumerate(state.hands)
            }
            self._tables.append(table)

    def _after(self, table: _Table, event: Event, seq: int) -> _Table:
        self._learn(table, event)
        if isinstance(event, Dealt):
            return self._dealt(event)
        if isinstance(event, Rewound):
            return self._tables[event.to_seq]
        if isinstance(event, SeatGivenUp):
            return table._replace(hands={**table.hands, event.seat: ()})
        if isinstance(event, Drawn):
            place, *deck = table.deck
            self._see(event.seat == self._observer, table.round, place)
            hand = (*table.hands[event.seat], place)
            return table._replace(hands={**table.hands, event.seat: hand}, deck=tuple(deck))
        card = _card_of(event)
        return table if card is None else self._spent(table, event, card, seq)

    def _dealt(self, event: Dealt) -> _Table:
        begin, hands = 0, {}
        for seat, hand in enumerate(event.hands):
            hands[seat] = tuple(range(begin, begin + len(hand)))
            begin += len(hand)
        own = () if self._observer is None else hands[self._observer]
        self._cards.setdefault(event.round, set()).update(own)
        return _Table(event.round, hands, tuple(range(begin, begin + len(event.deck))))

    def _spent(self, table: _Table, event: Any, card: str, seq: int) -> _Table:
        order = self._told.orders[f"round-{table.round}/deck"]
        hand = list(table.hands[event.seat])
        place = next(place for place in hand if order[place] == card)
        hand.remove(place)
        self._discards[seq] = place
        unseen = isinstance(event, Discarded) and event.seat != self._observer
        self._see(not unseen, table.round, place)
        return table._replace(hands={**table.hands, event.seat: tuple(hand)})

    def _see(self, is_seen: bool, in_round: int, place: int) -> None:  # noqa: FBT001 - reads as a sentence
        if is_seen:
            self._cards.setdefault(in_round, set()).add(place)

    def _learn(self, table: _Table, event: Event) -> None:
        if isinstance(event, RoundEnded):
            self._roles_shown.add(event.round)
        shown = isinstance(event, GoalTurned | StoneMisfit)
        if isinstance(event, GoalTurned | StoneMisfit | GoalSeen) and (
            shown or event.seat == self._observer
        ):
            self._goals.setdefault(table.round, set()).add(GOAL_CELLS.index(event.cell))


def _round_of(label: str) -> int:
    return int(label.partition("/")[0].removeprefix("round-"))


def _card_of(event: Event) -> str | None:
    if isinstance(event, RockFell):
        return ROCKFALL
    if isinstance(event, GoalSeen):
        return MAP
    return (
        event.card if isinstance(event, CardLaid | ToolBroken | ToolRepaired | Discarded) else None
    )
