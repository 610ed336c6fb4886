"""Apply the events of a turn, or of a whole log, to a position: no rules, no refusals, no chance.

For each type of event there is one reducer, which changes a fresh copy of the position in place.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeVar

import msgspec

from engine.cards import BREAKS, GOAL_SHAPES, MAP, ROCKFALL, TURNED_SHAPES, Card
from engine.cells import GOAL_CELLS
from engine.events import (
    CardLaid,
    Dealt,
    Discarded,
    Drawn,
    Event,
    GameEnded,
    GameShortened,
    GoalSeen,
    GoalsReached,
    GoalTurned,
    GoldDrawn,
    GoldPaid,
    GoldPassed,
    GoldTaken,
    Passed,
    Rewound,
    RockFell,
    RoundEnded,
    SeatGivenUp,
    SeatHandedOver,
    StoneMisfit,
    ToolBroken,
    ToolRepaired,
    TurnBegan,
)
from engine.mine import Mine
from engine.rulebook import HouseRules
from engine.rulebooks.catalogue import RULEBOOKS
from engine.state import GoalChoice, GoldChoice, OrientationChoice, RoundResult, State

T = TypeVar("T")

# A state is frozen. Only a fresh copy that no caller holds yet is written to.
_set_field = msgspec.structs.force_setattr
_copy: Final[Callable[[State], State]] = State.__copy__  # type: ignore[attr-defined]  # a stub's gap


def initial_state(rulebook: str, house: HouseRules, seats: int) -> State:
    """Return the position before the first deal, with ``seq`` -1. Raises KeyError for an unknown rulebook."""
    rules = RULEBOOKS[rulebook]
    mine = Mine(
        continue_path=rules.continue_path, build_from_goal_alone=rules.build_from_goal_alone
    )
    return State(rulebook=rulebook, house=house, seats=seats, seq=-1, mine=mine)


class Transition:
    """A turn in progress: the rulebook in force, the events recorded so far, and ``state``, the position after them."""

    __slots__ = ("events", "rulebook", "state")

    def __init__(self, state: State) -> None:
        """Begin a turn at a position, which itself stays unchanged."""
        self.state = _copy(state)
        self.rulebook = RULEBOOKS[state.rulebook]
        self.events: list[Event] = []
        _set_field(self.state, "seq", state.seq + 1)

    def record(self, event: Event) -> None:
        """Add an event and apply it to ``state``."""
        self.events.append(event)
        _REDUCERS[type(event)](self.state, event)


def evolve(state: State, events: Iterable[Event]) -> State:
    """Return the position after one more turn with these events."""
    next_state = _copy(state)
    _set_field(next_state, "seq", state.seq + 1)
    for event in events:
        _REDUCERS[type(event)](next_state, event)
    return next_state


def fold(start: State, log: Sequence[Iterable[Event]]) -> State:
    """Return the position after all turns of a log that begins at ``start``; a rewind refers to a turn of the same log."""
    return positions(start, log)[-1] if log else start


def positions(start: State, log: Sequence[Iterable[Event]]) -> list[State]:
    """Return the position after every turn of a log that begins at ``start``."""
    state = start
    # All positions are kept, because folding the log again for every rewind could take quadratic time.
    states: list[State] = []
    for seq, events in enumerate(log):
        to_seq = _rewound_to(events)
        state = evolve(state, events) if to_seq is None else return_to_state(states[to_seq], seq)
        states.append(state)
    return states


def _rewound_to(events: Iterable[Event]) -> int | None:
    for event in events:
        if isinstance(event, Rewound):
            return event.to_seq
    return None


def return_to_state(earlier_state: State, seq: int) -> State:
    """Return an earlier position as the result of turn ``seq``."""
    return msgspec.structs.replace(earlier_state, seq=seq)


def _dealt(state: State, event: Dealt) -> None:
    if event.pile is not None:
        _set_field(state, "pile", event.pile)
        _set_field(state, "gold", ((),) * state.seats)
        _set_field(state, "first_starter", event.starter)
    for name in ("round", "roles", "aside", "goals", "hands", "deck"):
        _set_field(state, name, getattr(event, name))
    for name in ("broken", "seen"):
        _set_field(state, name, ((),) * state.seats)
    for name in ("discards", "passed", "unsettled"):
        _set_field(state, name, ())
    _set_field(state, "mine", state.mine.with_start_only())
    _set_field(state, "last_laid", None)
    _set_field(state, "last_turn", event.starter)
    _set_field(state, "turn", event.starter)


def _card_laid(state: State, event: CardLaid) -> None:
    _play_card(state, event.seat, event.card)
    shape = TURNED_SHAPES[event.card] if event.turned else event.card
    _set_field(state, "mine", state.mine.with_card(event.cell, shape))
    _set_field(state, "last_laid", event.cell)


def _goals_reached(state: State, event: GoalsReached) -> None:
    _set_field(state, "choice", GoalChoice(event.seat, event.cells))


def _stone_misfit(state: State, event: StoneMisfit) -> None:
    _set_field(state, "unsettled", (*state.unsettled, (event.cell, event.goal)))
    _require_orientation(state, event.seat)


def _goal_turned(state: State, event: GoalTurned) -> None:
    _set_field(
        state, "mine", state.mine.with_card(event.cell, GOAL_SHAPES[event.goal][event.turned])
    )
    _set_field(
        state,
        "unsettled",
        tuple(
            unsettled_stone
            for unsettled_stone in state.unsettled
            if unsettled_stone[0] != event.cell
        ),
    )
    _require_orientation(state, event.seat)


def _require_orientation(state: State, seat: int) -> None:
    pending_stones = sorted(
        state.unsettled, key=lambda unsettled_stone: GOAL_CELLS.index(unsettled_stone[0])
    )
    _set_field(
        state, "choice", OrientationChoice(seat, *pending_stones[0]) if pending_stones else None
    )


def _tool_broken(state: State, event: ToolBroken) -> None:
    _play_card(state, event.seat, event.card)
    tools = (*state.broken[event.target], BREAKS[event.card])
    _set_field(state, "broken", _replace_row(state.broken, event.target, tools))


def _tool_repaired(state: State, event: ToolRepaired) -> None:
    _play_card(state, event.seat, event.card)
    tools = tuple(tool for tool in state.broken[event.target] if tool != event.tool)
    _set_field(state, "broken", _replace_row(state.broken, event.target, tools))
    _add_to_discards(state, event.card, f"break-{event.tool}")


def _rock_fell(state: State, event: RockFell) -> None:
    _play_card(state, event.seat, ROCKFALL)
    _set_field(state, "mine", state.mine.without_card(event.cell))
    if event.cell == state.last_laid:
        _set_field(state, "last_laid", None)
    _add_to_discards(state, ROCKFALL, event.card)


def _goal_seen(state: State, event: GoalSeen) -> None:
    _play_card(state, event.seat, MAP)
    seen_cells = tuple(dict.fromkeys((*state.seen[event.seat], event.cell)))
    _set_field(state, "seen", _replace_row(state.seen, event.seat, seen_cells))
    _add_to_discards(state, MAP)


def _discarded(state: State, event: Discarded) -> None:
    _remove_from_hand(state, event.seat, event.card)
    _add_to_discards(state, event.card)
    passed_seats = (*state.passed, event.seat) if event.toward_circle else ()
    if passed_seats != state.passed:
        _set_field(state, "passed", passed_seats)


def _passed(state: State, event: Passed) -> None:
    _set_field(state, "passed", (*state.passed, event.seat))


def _drawn(state: State, event: Drawn) -> None:
    _set_field(state, "deck", state.deck[1:])
    _set_field(
        state,
        "hands",
        _replace_row(state.hands, event.seat, (*state.hands[event.seat], event.card)),
    )


def _turn_began(state: State, event: TurnBegan) -> None:
    # The turn of a seat that was given up does not count, or was counted by _seat_given_up (E12).
    if state.turn not in state.gone:
        _set_field(state, "last_turn", state.turn)
    _set_field(state, "turn", event.seat)


def _round_ended(state: State, event: RoundEnded) -> None:
    zero_by_seat = (0,) * state.seats
    result = RoundResult(
        round=event.round,
        ending=event.ending,
        winners=event.winners,
        roles=event.roles,
        aside=event.aside,
        gold_cards=zero_by_seat,
        nuggets_paid=zero_by_seat,
    )
    _set_field(state, "results", (*state.results, result))
    _set_field(state, "last_turn", event.ended_by)
    _set_field(state, "turn", None)


def _gold_drawn(state: State, event: GoldDrawn) -> None:
    _set_field(state, "pile", state.pile[len(event.cards) :])
    _set_field(state, "choice", GoldChoice(event.seat, event.cards))


def _gold_taken(state: State, event: GoldTaken) -> None:
    cards = list(state.choice.cards) if isinstance(state.choice, GoldChoice) else []
    cards.remove(event.nuggets)
    _set_field(
        state,
        "gold",
        _replace_row(state.gold, event.seat, (*state.gold[event.seat], event.nuggets)),
    )
    _add_to_result(state, "gold_cards", event.seat, 1)
    _pass_gold_to(state, event.passed_to, tuple(cards))


def _gold_passed(state: State, event: GoldPassed) -> None:
    cards = state.choice.cards if isinstance(state.choice, GoldChoice) else ()
    _pass_gold_to(state, event.passed_to, cards)


def _pass_gold_to(state: State, seat: int | None, cards: tuple[int, ...]) -> None:
    _set_field(state, "choice", None if seat is None else GoldChoice(seat, cards))
    if seat is None:
        _set_field(state, "pile", state.pile + cards)


def _gold_paid(state: State, event: GoldPaid) -> None:
    _set_field(state, "pile", event.pile)
    _set_field(
        state, "gold", _replace_row(state.gold, event.seat, state.gold[event.seat] + event.cards)
    )
    _add_to_result(state, "nuggets_paid", event.seat, sum(event.cards))


def _add_to_result(state: State, field: str, seat: int, amount: int) -> None:
    result = state.results[-1]
    gold_counts = getattr(result, field)
    changed_result = msgspec.structs.replace(
        result, **{field: _replace_row(gold_counts, seat, gold_counts[seat] + amount)}
    )
    _set_field(state, "results", (*state.results[:-1], changed_result))


def _game_ended(state: State, event: GameEnded) -> None:
    _set_field(state, "winners", event.winners)


def _seat_given_up(state: State, event: SeatGivenUp) -> None:
    if state.turn == event.seat and state.choice is not None:
        # Its card was played, only the choice after it is pending: so it had the last turn (E12).
        _set_field(state, "last_turn", event.seat)
    _add_to_discards(state, *state.hands[event.seat])
    _set_field(state, "hands", _replace_row(state.hands, event.seat, ()))
    _set_field(state, "passed", tuple(seat for seat in state.passed if seat != event.seat))
    _set_field(state, "gone", (*state.gone, event.seat))


def _seat_handed_over(_state: State, _event: SeatHandedOver) -> None:
    pass


def _game_shortened(state: State, event: GameShortened) -> None:
    _set_field(state, "house", msgspec.structs.replace(state.house, rounds=event.rounds))


def _replace_row(rows: tuple[T, ...], seat: int, row: T) -> tuple[T, ...]:
    changed_rows = [*rows]
    changed_rows[seat] = row
    return tuple(changed_rows)


def _remove_from_hand(state: State, seat: int, card: Card) -> None:
    remaining_hand = [*state.hands[seat]]
    remaining_hand.remove(card)
    _set_field(state, "hands", _replace_row(state.hands, seat, tuple(remaining_hand)))


def _add_to_discards(state: State, *cards: Card) -> None:
    _set_field(state, "discards", state.discards + cards)


def _play_card(state: State, seat: int, card: Card) -> None:
    _remove_from_hand(state, seat, card)
    if state.passed:
        _set_field(state, "passed", ())


_REDUCERS: Final[dict[type[Event], Callable[[State, Any], None]]] = {
    Dealt: _dealt,
    CardLaid: _card_laid,
    GoalsReached: _goals_reached,
    StoneMisfit: _stone_misfit,
    GoalTurned: _goal_turned,
    ToolBroken: _tool_broken,
    ToolRepaired: _tool_repaired,
    RockFell: _rock_fell,
    GoalSeen: _goal_seen,
    Discarded: _discarded,
    Passed: _passed,
    Drawn: _drawn,
    TurnBegan: _turn_began,
    RoundEnded: _round_ended,
    GoldDrawn: _gold_drawn,
    GoldTaken: _gold_taken,
    GoldPassed: _gold_passed,
    GoldPaid: _gold_paid,
    GameEnded: _game_ended,
    SeatGivenUp: _seat_given_up,
    SeatHandedOver: _seat_handed_over,
    GameShortened: _game_shortened,
}
"""The reducer of each event type. ``Rewound`` has none, because it refers to an earlier position."""
