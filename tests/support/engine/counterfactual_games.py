"""Two games that a seat cannot tell apart: the second changes everything that is hidden from the seat.

``SeatKnowledge`` records what the seat has learned event by event, independently of the engine's views and history.
``counterfactual_game`` exchanges all cards the seat does not know, and so with roles, goals and gold; then every player
repeats the same moves.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from engine.actions import Action, Discard, TakeGold
from engine.events import Event, GoldDrawn, GoldPaid, GoldPassed, GoldTaken
from engine.state import GoldChoice, State
from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.seat_knowledge import SeatKnowledge
from tests.support.engine.seeded_random import ScriptedChance, SeededRng

T = TypeVar("T")


class Move(NamedTuple):
    """One step of a game: an action of the seat due, or "give up", "hand over", "rewind" with a number."""

    kind: str
    number: int = 0
    action: Action | None = None


class PlayedGame(NamedTuple):
    """A game with the orders that chance gave, the moves made, and the state before the first and after every move."""

    game: InMemoryGame
    orders: Mapping[str, tuple[Any, ...]]
    moves: tuple[Move, ...]
    states: tuple[State, ...]


def play_moves(
    game: InMemoryGame, limit: int, next_move: Callable[[InMemoryGame], Move]
) -> PlayedGame:
    """Make up to ``limit`` moves in a new game; a move that ends the game is undone."""
    moves, states = list[Move](), [game.state]
    for _ in range(limit):
        move = next_move(game)
        perform(game, move)
        if game.is_over:
            game.log.pop()
            game.states.pop()
            game.state = states[-1]
            break
        moves.append(move)
        states.append(game.state)
    assert isinstance(game.chance, ScriptedChance)
    return PlayedGame(game, dict(game.chance.used_orders), tuple(moves), tuple(states))


def replay(
    original_game: InMemoryGame, orders: Mapping[str, tuple[Any, ...]], moves: Sequence[Move]
) -> PlayedGame:
    """Play a game of the same rulebook and table again, with these orders of chance."""
    state = original_game.start
    game = InMemoryGame(
        state.rulebook,
        seats=state.seats,
        house=state.house,
        starter=None,
        chance=ScriptedChance(orders=orders),
    )
    states = [game.state]
    for move in moves:
        perform(game, move)
        states.append(game.state)
    return PlayedGame(game, orders, tuple(moves), tuple(states))


def perform(game: InMemoryGame, move: Move) -> None:
    """Make one move in a game."""
    if move.action is not None:
        game.play(_with_possible_pick(game.state, move.action))
    elif move.kind == "give up":
        game.give_up(move.number)
    elif move.kind == "hand over":
        game.hand_over(move.number)
    else:
        game.rewind(move.number)


def _with_possible_pick(state: State, action: Action) -> Action:
    """Return the action, or a pick of gold that is possible here: the gold held may differ between the two games."""
    if isinstance(action, TakeGold) and isinstance(state.choice, GoldChoice):
        held_cards = state.choice.cards
        return action if action.nuggets in held_cards else TakeGold(held_cards[0])
    return action


def counterfactual_game(
    played_game: PlayedGame, observer: int | None, rng: SeededRng
) -> PlayedGame:
    """Return another game that ``observer`` (None: an onlooker) cannot tell from this one."""
    knowledge = SeatKnowledge(
        played_game.orders, played_game.game.log, played_game.states, observer=observer
    )
    orders = dict(played_game.orders)
    for label, order in played_game.orders.items():
        known_places = knowledge.known_places(label)
        if known_places is not None:
            orders[label] = _shuffled_except(order, known_places, rng)
    moves = tuple(_moves_with_other_discards(orders, played_game.moves, knowledge))
    for exchange_count in (28, 6, 3, 2, 2, 1, 1, 1):
        gold = _gold_pile_with_exchanges(played_game.orders["gold"], exchange_count, rng)
        candidate = replay(played_game.game, {**orders, "gold": gold}, moves)
        if _gold_shown_to(candidate, observer) == _gold_shown_to(played_game, observer):
            return candidate
    # Sometimes only the same pile shows this seat the same gold.
    return replay(played_game.game, orders, moves)


def _shuffled_except(order: tuple[T, ...], known_places: set[int], rng: SeededRng) -> tuple[T, ...]:
    """Return the order with all places shuffled but the known ones."""
    hidden_places = [place for place in range(len(order)) if place not in known_places]
    shuffled = dict(
        zip(hidden_places, rng.shuffled(order[place] for place in hidden_places), strict=True)
    )
    return tuple(shuffled.get(place, order[place]) for place in range(len(order)))


def _moves_with_other_discards(
    orders: Mapping[str, tuple[Any, ...]], moves: Sequence[Move], knowledge: SeatKnowledge
) -> Iterator[Move]:
    """Yield the moves of the counterfactual game, where the cards discarded face down are others."""
    for seq, move in enumerate(moves, 1):
        if isinstance(move.action, Discard):
            label, place = knowledge.card_spent(seq)
            yield Move("play", action=Discard(orders[label][place]))
        else:
            yield move


def _gold_pile_with_exchanges(
    order: tuple[int, ...], exchange_count: int, rng: SeededRng
) -> tuple[int, ...]:
    gold = list(order)
    for _ in range(exchange_count):
        position, other_position = rng.below(len(gold)), rng.below(len(gold))
        gold[position], gold[other_position] = gold[other_position], gold[position]
    return tuple(gold)


def _gold_shown_to(played_game: PlayedGame, observer: int | None) -> list[object]:
    """Return what the rules show a seat of the gold (R41, E31, and the house rule of open gold)."""
    shown_gold: list[object] = []
    for state, events in zip(played_game.states, played_game.game.log, strict=True):
        for event in events:
            shown_gold += _gold_in_event(event, observer, is_open=state.house.open_gold)
        if isinstance(state.choice, GoldChoice) and state.choice.seat == observer:
            shown_gold.append(state.choice.cards)
        if state.house.open_gold:
            shown_gold.append(state.gold)
    return shown_gold


def _gold_in_event(event: Event, observer: int | None, *, is_open: bool) -> Iterator[object]:
    if isinstance(event, GoldPaid):
        is_own = event.seat == observer
        yield event.seat, sum(event.cards), is_own and (event.cards, event.overshot, event.restored)
    if isinstance(event, GoldDrawn):
        yield event.seat, len(event.cards), event.seat == observer and event.cards
    if isinstance(event, GoldTaken):
        known_places = is_open or event.seat == observer
        yield event.seat, event.passed_to, known_places and event.nuggets
    if isinstance(event, GoldPassed):
        yield event
