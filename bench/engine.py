"""The engine beside its peers: steps a second of random play, and events a second of replay.

Every round measures the peer, the engine and the peer again, in one process; the ratio of a round is the engine over the
mean of its two anchors, and the table shows the median of the rounds. A step is what a server does for a player who makes
up his mind at once: see all legal actions, choose one of them, apply it. Our menu counts its actions and makes the chosen one;
the peers list theirs.
"""

import random
import time
from collections.abc import Callable, Iterator, Sequence

import chess
import pyspiel

from bench.shared.rows import sheet
from engine.actions import Action
from engine.events import Event
from engine.evolve import evolve, initial_state
from engine.game import advance, start_game
from engine.rulebook import HouseRules
from engine.shuffle import SeededChance
from engine.state import State
from engine.view import awaiting, legal_actions, view_for

ROUNDS = 5
SECONDS = 1.0
PLAYERS = 4
RULEBOOK = "en-2004"
LONGEST = 200
TARGETS = {
    "engine steps/s, beside OpenSpiel crazy_eights": ">= 0.75",
    "engine steps/s, beside python-chess": ">= 6",
    "replayed events/s, beside python-chess push": ">= 1.2",
}

Work = Callable[[random.Random], Iterator[int]]


def main() -> None:
    """Tell all rows."""
    of_crazy_eights, of_chess, of_replay = TARGETS
    with sheet(TARGETS) as rows:
        rows.ratio(
            of_crazy_eights, measured(saboteur_steps, crazy_eights_steps), "4 players, one core"
        )
        rows.ratio(of_chess, measured(saboteur_steps, chess_steps), "one core")
        rows.ratio(of_replay, measured(saboteur_replay, chess_replay), "one core")


def measured(subject: Work, anchor: Work) -> list[tuple[float, float]]:
    """A subject's speed beside its anchor's, round by round."""
    return [measured_round(subject, anchor, number) for number in range(ROUNDS)]


def measured_round(subject: Work, anchor: Work, number: int) -> tuple[float, float]:
    """The subject's speed, and the mean of its anchor's just before and just after."""
    before = speed_of(anchor, number)
    ours = speed_of(subject, number)
    return ours, (before + speed_of(anchor, number)) / 2


def speed_of(work: Work, seed: int) -> float:
    """How many units of work a second, over about one second."""
    begun, done = time.perf_counter(), 0
    for units in work(random.Random(seed)):
        done += units
        if time.perf_counter() - begun > SECONDS:
            break
    return done / (time.perf_counter() - begun)


def saboteur_steps(chance: random.Random) -> Iterator[int]:
    """Random rounds of Saboteur under full rules, by way of the view of whoever is on turn."""
    while True:
        deals = SeededChance(chance.randbytes(32))
        state, _ = start_game(RULEBOOK, HouseRules(), seats=PLAYERS, starter=None, chance=deals)
        steps = 0
        while due := awaiting(state):
            menu = legal_actions(view_for(state, due.seat))
            state, _ = advance(state, due.seat, pick(menu, chance), deals)
            steps += 1
        yield steps


def pick(menu: Sequence[Action], chance: random.Random) -> Action:
    """One action of a menu; cheaper than `random.choice`, which the peers are spared too."""
    return menu[int(chance.random() * len(menu))]


def crazy_eights_steps(chance: random.Random) -> Iterator[int]:
    """Random games of OpenSpiel's crazy eights; drawing a card from the deck is no step, as in ours."""
    game = pyspiel.load_game("crazy_eights(players=4)")
    while True:
        state, steps = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(drawn(state.chance_outcomes(), chance))
                continue
            menu = state.legal_actions()
            state.apply_action(menu[int(chance.random() * len(menu))])
            steps += 1
        yield steps


def drawn(outcomes: list[tuple[int, float]], chance: random.Random) -> int:
    """One of the outcomes of a chance node, by its probability; `random.choices` would be most of the peer's time."""
    left = chance.random()
    for action, probability in outcomes:
        left -= probability
        if left < 0:
            return action
    return outcomes[-1][0]


def chess_steps(chance: random.Random) -> Iterator[int]:
    """Random games of python-chess, of LONGEST moves at most."""
    while True:
        board, steps = chess.Board(), 0
        while steps < LONGEST and (menu := list(board.legal_moves)):
            board.push(menu[int(chance.random() * len(menu))])
            steps += 1
        yield steps


def saboteur_replay(chance: random.Random) -> Iterator[int]:
    """Fold the log of one random game again and again."""
    start, log = recorded_game(chance)
    events = sum(map(len, log))
    while True:
        state = start
        for turn in log:
            state = evolve(state, turn)
        yield events


def recorded_game(chance: random.Random) -> tuple[State, list[tuple[Event, ...]]]:
    """A random game as its blank table and its events, turn by turn."""
    deals = SeededChance(chance.randbytes(32))
    state, events = start_game(RULEBOOK, HouseRules(), seats=PLAYERS, starter=None, chance=deals)
    log = [events]
    while due := awaiting(state):
        menu = legal_actions(view_for(state, due.seat))
        state, events = advance(state, due.seat, pick(menu, chance), deals)
        log.append(events)
    return initial_state(RULEBOOK, HouseRules(), PLAYERS), log


def chess_replay(chance: random.Random) -> Iterator[int]:
    """Push the moves of one random game again and again."""
    moves = recorded_moves(chance)
    while True:
        board = chess.Board()
        for move in moves:
            board.push(move)
        yield len(moves)


def recorded_moves(chance: random.Random) -> list[chess.Move]:
    """A random game of LONGEST moves at most."""
    board = chess.Board()
    while len(board.move_stack) < LONGEST and (menu := list(board.legal_moves)):
        board.push(menu[int(chance.random() * len(menu))])
    return board.move_stack


if __name__ == "__main__":
    main()
