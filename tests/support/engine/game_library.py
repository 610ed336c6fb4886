"""The recorded games in ``tests/games``: one for every scenario under each rulebook. To rewrite them::

    python -m tests.support.engine.game_library
    LODEPOST_GOLDEN=write python -m pytest tests/rules/test_recorded_games.py

The first plays every recorded game again, move by move under the current rules, and then records a game for every
scenario that none of them contains, with the first seed that leads to it. The second writes what every seat saw.
Review ``git diff`` afterwards.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

from msgspec.structs import replace

from engine.actions import Action, Discard
from engine.commitments import FrozenSeat, FrozenTable, Secrets, commitments, freeze
from engine.events import (
    Dealt,
    GameShortened,
    GoalsReached,
    GoldPaid,
    Passed,
    Rewound,
    RoundEnded,
    SeatGivenUp,
    SeatHandedOver,
    StoneMisfit,
)
from engine.evolve import Transition, initial_state, return_to_state
from engine.record import Record, RecordedTurn, TurnChain, write_record
from engine.record_reading import read_record
from engine.rulebook import HouseRules
from engine.rulebooks.catalogue import RULEBOOKS
from engine.state import State
from tests.reference_model.gold import draw_one_by_one, nuggets_per_saboteur
from tests.support.engine.game_recorder import GameRecorder
from tests.support.engine.positions import due_seat, offered_actions, seats_in_play
from tests.support.engine.random_players import digging_action, mostly_digging_action, random_action
from tests.support.engine.seeded_random import SeededRng
from tests.support.rulebook_groups import ONE_GOAL_RULEBOOKS, PASSES_END_ROUND_RULEBOOKS

GAMES_FOLDER: Final = Path(__file__).parents[2] / "games"
NAMES: Final = ("Alice", "Bob", "Carol", "Dave", "Erin", "Frank", "Grace", "Heidi", "Ivan", "Judy")

COMMON_SCENARIOS: Final = (
    "treasure-diggers",
    "exhausted-saboteurs",
    "exhausted-nobody",
    "misfit",
    "exact-change",
    "given-up",
    "rewind",
)
SCENARIOS: Final[dict[str, tuple[str, ...]]] = {
    rulebook: COMMON_SCENARIOS
    + ("circle-of-passes-saboteurs", "circle-of-passes-nobody")
    * (rulebook in PASSES_END_ROUND_RULEBOOKS)
    + ("goal-choice",) * (rulebook in ONE_GOAL_RULEBOOKS)
    + ("pass-moves-starter",) * RULEBOOKS[rulebook].pass_with_empty_hand
    + ("shortened",) * (rulebook == "en-2004")
    for rulebook in RULEBOOKS
}
"""What can happen in a game under each rulebook. There is a recorded game for each."""


def replayed_record(record: Record) -> Record:
    """Return the record of the same moves under the current rules."""
    assert record.secrets is not None
    recorder = GameRecorder(record.table, record.secrets, SeededRng(0))
    for turn in record.turns[1:]:
        _repeat_turn(recorder, turn)
    turns = tuple(
        replace(turn, seat=recorded_turn.seat, by=recorded_turn.by)
        for turn, recorded_turn in zip(recorder.turns, record.turns, strict=True)
    )
    *_, head = TurnChain(record.secrets, freeze(record.table)).heads(turns)
    return replace(recorder.record(), turns=turns, head=head.hex())


def _repeat_turn(recorder: GameRecorder, turn: RecordedTurn) -> None:
    if turn.action is not None:
        recorder.play(turn.action)
        return
    match turn.events:
        case (SeatGivenUp(seat), *_):
            recorder.give_up(seat, random_below=_first_option)
        case (SeatHandedOver(seat), *_):
            recorder.hand_over(seat)
        case (GameShortened(), *_):
            recorder.shorten()
        case (Rewound(to_seq), *_):
            recorder.rewind(to_seq)


def _secrets_for(name: str, seed: int) -> Secrets:
    gold, *rounds = (hashlib.sha256(f"{name}/{seed}/{part}".encode()).digest() for part in range(4))
    return Secrets(gold=gold, round_1=rounds[0], round_2=rounds[1], round_3=rounds[2])


class ScenarioPlan(NamedTuple):
    """How games are played that are likely to contain a scenario."""

    player: Callable[[State, SeededRng], Action]
    seats: int = 3
    rounds: int = 1
    between_turns: Callable[[GameRecorder], None] | None = None


def _discard(state: State, rng: SeededRng) -> Action:
    discards = [action for action in offered_actions(state) if isinstance(action, Discard)]
    return rng.pick(discards or offered_actions(state))


def _discard_once_deck_is_empty(state: State, rng: SeededRng) -> Action:
    return (mostly_digging_action if state.deck else _discard)(state, rng)


def _give_up_two_seats(recorder: GameRecorder) -> None:
    """Give up the seat on turn after eight turns, and another seat after twenty-five."""
    if len(recorder.turns) in (9, 26):
        seat_on_turn = due_seat(recorder.state)
        other_seats = [seat for seat in seats_in_play(recorder.state) if seat != seat_on_turn]
        seat = seat_on_turn if len(recorder.turns) == 9 else recorder.rng.pick(other_seats)
        recorder.give_up(seat, random_below=_first_option)


def _shorten_after_seven_turns(recorder: GameRecorder) -> None:
    if len(recorder.turns) == 7:
        recorder.shorten()


def _rewind_twice(recorder: GameRecorder) -> None:
    """Rewind within round one, and later from round two into round one."""
    if len(recorder.turns) == 12:
        recorder.rewind(7)
    if recorder.state.round == 2 and not _was_rewound_twice(recorder):
        recorder.rewind(len(recorder.turns) - 4)


def _first_option(_options: int) -> int:
    return 0


def _was_rewound_twice(recorder: GameRecorder) -> bool:
    return sum(isinstance(turn.events[0], Rewound) for turn in recorder.turns) >= 2


SCENARIO_PLANS: Final[dict[str, ScenarioPlan]] = {
    "treasure-diggers": ScenarioPlan(digging_action, seats=5),
    "exhausted-saboteurs": ScenarioPlan(mostly_digging_action, seats=4),
    "exhausted-nobody": ScenarioPlan(mostly_digging_action),
    "circle-of-passes-saboteurs": ScenarioPlan(_discard_once_deck_is_empty, seats=4),
    "circle-of-passes-nobody": ScenarioPlan(_discard_once_deck_is_empty),
    "misfit": ScenarioPlan(digging_action),
    "goal-choice": ScenarioPlan(digging_action),
    "pass-moves-starter": ScenarioPlan(mostly_digging_action, seats=4, rounds=2),
    "exact-change": ScenarioPlan(_discard, seats=10, rounds=3),
    "given-up": ScenarioPlan(mostly_digging_action, seats=5, between_turns=_give_up_two_seats),
    "rewind": ScenarioPlan(random_action, rounds=2, between_turns=_rewind_twice),
    "shortened": ScenarioPlan(random_action, rounds=2, between_turns=_shorten_after_seven_turns),
}


def find_game(rulebook: str, scenario: str) -> Record:
    """Return the game of the first seed that contains a scenario."""
    records = (_played_game(rulebook, scenario, seed) for seed in count())
    return next(record for record in records if scenario in scenarios_of(record))


def _played_game(rulebook: str, scenario: str, seed: int) -> Record:
    plan = SCENARIO_PLANS[scenario]
    name = f"{rulebook}-{scenario}"
    secrets = _secrets_for(name, seed)
    table = FrozenTable(
        game=name,
        rulebook=rulebook,
        house=HouseRules(rounds=plan.rounds),
        starter=0,
        commitments=commitments(name, secrets),
        seats=tuple(FrozenSeat(player) for player in NAMES[: plan.seats]),
    )
    recorder = GameRecorder(table, secrets, SeededRng(seed))
    while not recorder.is_over:
        if plan.between_turns is not None:
            plan.between_turns(recorder)
        recorder.play(plan.player(recorder.state, recorder.rng))
    return recorder.record()


def scenarios_of(record: Record) -> set[str]:
    """Return every scenario that a recorded game contains, from its events alone."""
    kinds = {
        StoneMisfit: "misfit",
        GoalsReached: "goal-choice",
        SeatGivenUp: "given-up",
        Rewound: "rewind",
        GameShortened: "shortened",
    }
    events = [event for turn in record.turns for event in turn.events]
    found_scenarios = {
        name for kind, name in kinds.items() if any(isinstance(event, kind) for event in events)
    }
    round_endings = [event for event in events if isinstance(event, RoundEnded)]
    found_scenarios |= {f"{event.ending}-{event.winners}" for event in round_endings}
    found_scenarios |= (
        {"pass-moves-starter"} if any(map(_pass_moves_starter, record.turns)) else set()
    )
    return found_scenarios | ({"exact-change"} if any(_needed_exact_change(record)) else set())


def _pass_moves_starter(turn: RecordedTurn) -> bool:
    """Return whether an automatic pass of another seat ended the round, and so moved the next starter (E13)."""
    dealt = any(isinstance(event, Dealt) for event in turn.events)
    ended_by = [event.ended_by for event in turn.events if isinstance(event, RoundEnded)]
    is_pass = any(isinstance(event, Passed) for event in turn.events)
    return dealt and is_pass and turn.action is not None and ended_by != [turn.seat]


def _needed_exact_change(record: Record) -> Iterator[bool]:
    """Yield for every payment whether drawing alone would never have ended (E1)."""
    table = record.table
    states = [initial_state(table.rulebook, table.house, len(table.seats))]
    for turn in record.turns:
        match turn.events:
            case (Rewound(to_seq),):
                states.append(return_to_state(states[to_seq + 1], len(states) - 1))
                continue
        transition = Transition(states[-1])
        for event in turn.events:
            if isinstance(event, GoldPaid):
                owed_nuggets = nuggets_per_saboteur(
                    dict(enumerate(transition.state.results[-1].roles))
                )
                yield draw_one_by_one(transition.state.pile, owed_nuggets=owed_nuggets) is None
            transition.record(event)
        states.append(transition.state)


def recorded_games() -> dict[str, Record]:
    """Return every recorded game by its name."""
    return {
        path.stem: read_record(path.read_bytes()) for path in sorted(GAMES_FOLDER.glob("*.game"))
    }


def missing_scenarios(records: Iterable[Record]) -> Iterator[tuple[str, str]]:
    """Yield every rulebook and scenario that none of these games contains."""
    found_scenarios = {
        (record.table.rulebook, name) for record in records for name in scenarios_of(record)
    }
    for rulebook, names in SCENARIOS.items():
        yield from ((rulebook, name) for name in names if (rulebook, name) not in found_scenarios)


def write_all_games() -> None:
    """Rewrite every recorded game, and write one for every missing scenario."""
    records = {name: replayed_record(record) for name, record in recorded_games().items()}
    for rulebook, scenario in list(missing_scenarios(records.values())):
        records[f"{rulebook}-{scenario}"] = find_game(rulebook, scenario)
    for name, record in records.items():
        (GAMES_FOLDER / f"{name}.game").write_text(write_record(record), encoding="utf-8")


if __name__ == "__main__":
    write_all_games()
