"""The engine beside python-chess: steps a second of random play, rollouts to the end of a round, and events a second of replay.

Every round measures python-chess, the engine and python-chess again, in one process; the ratio of a round is the engine over
the mean of its two anchors, and the table shows the median of the rounds. A step is what a server does for a player who decides
at once: list all legal actions, choose one, apply it. This engine counts its legal actions and builds only the chosen one;
python-chess builds all of them.
"""

import random
import time
from collections.abc import Callable, Iterator, Sequence

import chess

from bench.shared.result_rows import row_writer
from engine.actions import Action
from engine.bots.keen import RolloutTrial
from engine.commitments import SeededChance
from engine.events import Event
from engine.evolve import evolve, initial_state
from engine.game import advance, start_game
from engine.rollouts import Dice
from engine.rulebook import HouseRules
from engine.state import State
from engine.view import awaiting, legal_actions, view_for

REPETITION_COUNT = 5
ROUND_SECONDS = 1.0
PLAYER_COUNT = 4
RULEBOOK = "en-2004"
MAX_CHESS_MOVES = 200
TARGETS = {
    "12. engine steps/s": ">= 3",
    "12. random rollouts/s to the end of a round": ">= 1",
    "12. replayed events/s": ">= 2",
}

Workload = Callable[[random.Random], Iterator[int]]


def main() -> None:
    """Measure and print all rows."""
    steps_metric, rollout_metric, replay_metric = TARGETS
    with row_writer(TARGETS) as rows:
        for metric, subject, anchor, note in (
            (steps_metric, saboteur_steps, chess_steps, "legal_moves and push"),
            (rollout_metric, saboteur_rollouts, chess_games, "whole random games"),
            (replay_metric, saboteur_replay, chess_replay, "push"),
        ):
            rows.write_ratio(metric, measure_speeds(subject, anchor), f"python-chess: {note}")


def measure_speeds(subject: Workload, anchor: Workload) -> list[tuple[float, float]]:
    """Return the speeds of subject and anchor, round by round."""
    return [measure_round(subject, anchor, number) for number in range(REPETITION_COUNT)]


def measure_round(subject: Workload, anchor: Workload, number: int) -> tuple[float, float]:
    """Return the subject's speed and the mean of the anchor's just before and just after."""
    anchor_speed_before = units_per_second(anchor, number)
    speed = units_per_second(subject, number)
    return speed, (anchor_speed_before + units_per_second(anchor, number)) / 2


def units_per_second(work: Workload, seed: int) -> float:
    """Return units of work per second, measured over about one second."""
    started_at, units_done = time.perf_counter(), 0
    for new_units in work(random.Random(seed)):
        units_done += new_units
        if time.perf_counter() - started_at > ROUND_SECONDS:
            break
    return units_done / (time.perf_counter() - started_at)


def saboteur_steps(chance: random.Random) -> Iterator[int]:
    """Random rounds of Saboteur under full rules, each action chosen from the view of the seat on turn."""
    while True:
        deal_chance = SeededChance(chance.randbytes(32))
        state, _ = start_game(
            RULEBOOK, HouseRules(), seats=PLAYER_COUNT, starter=None, chance=deal_chance
        )
        steps = 0
        while awaited := awaiting(state):
            choices = legal_actions(view_for(state, awaited.seat))
            state, _ = advance(state, awaited.seat, random_choice(choices, chance), deal_chance)
            steps += 1
        yield steps


def random_choice(choices: Sequence[Action], chance: random.Random) -> Action:
    """Return one legal action; cheaper than `random.choice`, which the anchors do not use either."""
    return choices[int(chance.random() * len(choices))]


def chess_steps(chance: random.Random) -> Iterator[int]:
    """Random games of python-chess, of MAX_CHESS_MOVES moves at most."""
    while True:
        board, steps = chess.Board(), 0
        while steps < MAX_CHESS_MOVES and (choices := list(board.legal_moves)):
            board.push(choices[int(chance.random() * len(choices))])
            steps += 1
        yield steps


def chess_games(chance: random.Random) -> Iterator[int]:
    """Whole random games of python-chess, as ``chess_steps`` plays them."""
    for _ in chess_steps(chance):
        yield 1


def saboteur_rollouts(chance: random.Random) -> Iterator[int]:
    """Whole rounds as a keen bot tries them out at the start of a round, each from another deal that it thinks possible."""
    state, _ = start_game(
        RULEBOOK,
        HouseRules(),
        seats=PLAYER_COUNT,
        starter=0,
        chance=SeededChance(chance.randbytes(32)),
    )
    trial = RolloutTrial(view_for(state, 0), (), Dice(chance.randrange(1 << 32)))
    while True:
        trial.deal_again()
        trial.play_once()
        yield 1


def saboteur_replay(chance: random.Random) -> Iterator[int]:
    """Fold the log of one random game repeatedly."""
    start_state, log = recorded_game(chance)
    event_count = sum(map(len, log))
    while True:
        state = start_state
        for turn in log:
            state = evolve(state, turn)
        yield event_count


def recorded_game(chance: random.Random) -> tuple[State, list[tuple[Event, ...]]]:
    """Play a random game and return its initial state and its events turn by turn."""
    deal_chance = SeededChance(chance.randbytes(32))
    state, events = start_game(
        RULEBOOK, HouseRules(), seats=PLAYER_COUNT, starter=None, chance=deal_chance
    )
    log = [events]
    while awaited := awaiting(state):
        choices = legal_actions(view_for(state, awaited.seat))
        state, events = advance(state, awaited.seat, random_choice(choices, chance), deal_chance)
        log.append(events)
    return initial_state(RULEBOOK, HouseRules(), PLAYER_COUNT), log


def chess_replay(chance: random.Random) -> Iterator[int]:
    """Push the moves of one random game repeatedly."""
    moves = recorded_moves(chance)
    while True:
        board = chess.Board()
        for move in moves:
            board.push(move)
        yield len(moves)


def recorded_moves(chance: random.Random) -> list[chess.Move]:
    """A random game of MAX_CHESS_MOVES moves at most."""
    board = chess.Board()
    while len(board.move_stack) < MAX_CHESS_MOVES and (choices := list(board.legal_moves)):
        board.push(choices[int(chance.random() * len(choices))])
    return board.move_stack


if __name__ == "__main__":
    main()
