"""Recorded games for every rulebook and every way a game can go, in ``tests/games``. To write them anew::

    python -m tests.support.game_records
    LODEPOST_GOLDEN=write python -m pytest tests/rules/test_games.py

The first plays every recorded game again, move by move under the rules of today, and then records one for every way that
none of them goes, with the first seed that will do. The second writes what every seat saw. Look at ``git diff`` after it.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

from msgspec.structs import replace

from engine.actions import Action, Discard
from engine.events import (
    Dealt,
    Event,
    GoalsReached,
    GoldPaid,
    Passed,
    Rewound,
    RoundEnded,
    SeatGivenUp,
    SeatHandedOver,
    StoneMisfit,
)
from engine.evolve import Transition, initial_state, return_to
from engine.fairness import FrozenSeat, FrozenTable, Secrets, commitments, freeze
from engine.record import Record, RecordedTurn, TurnSource, write_record
from engine.record_reading import read_record
from engine.rulebook import HouseRules
from engine.rulebooks.catalogue import RULEBOOKS
from engine.shuffle import ProvableChance
from engine.state import State
from tests.reference_model.gold import draw_one_by_one, nuggets_per_saboteur
from tests.support.positions import (
    CHOOSING,
    CIRCLING,
    Dice,
    Game,
    digging_action,
    due_seat,
    erring_action,
    menu,
    random_action,
    still_in_play,
)

GAMES: Final = Path(__file__).parents[1] / "games"
NAMES: Final = ("Alice", "Bob", "Carol", "Dave", "Erin", "Frank", "Grace", "Heidi", "Ivan", "Judy")

EVERYWHERE: Final = (
    "treasure-diggers",
    "exhausted-saboteurs",
    "exhausted-nobody",
    "misfit",
    "exact-change",
    "given-up",
    "rewind",
)
WAYS: Final[dict[str, tuple[str, ...]]] = {
    rulebook: EVERYWHERE
    + ("circle-of-passes-saboteurs", "circle-of-passes-nobody") * (rulebook in CIRCLING)
    + ("goal-choice",) * (rulebook in CHOOSING)
    + ("pass-moves-starter",) * RULEBOOKS[rulebook].pass_with_empty_hand
    for rulebook in RULEBOOKS
}
"""Every way a game can go under each rulebook. A game is demanded for each."""


class Recorder:
    """A game being played and written down."""

    def __init__(self, table: FrozenTable, secrets: Secrets) -> None:
        self.table, self.secrets = table, secrets
        self.game = Game(
            table.rulebook,
            seats=len(table.seats),
            house=table.house,
            starter=table.starter,
            chance=ProvableChance(secrets, freeze(table)),
        )
        dealt = self.game.log[0]
        self.turns = [RecordedTurn(seat=None, by="player", action=None, events=dealt)]

    @property
    def state(self) -> State:
        return self.game.state

    def play(self, action: Action, by: TurnSource = "player") -> None:
        seat = due_seat(self.state)
        self._note(self.game.play(action), seat=seat, by=by, action=action)

    def give_up(self, seat: int) -> None:
        self._note(self.game.give_up(seat))

    def hand_over(self, seat: int) -> None:
        self._note(self.game.hand_over(seat))

    def rewind(self, to_seq: int) -> None:
        self._note(self.game.rewind(to_seq))

    def _note(
        self,
        events: tuple[Event, ...],
        *,
        seat: int | None = None,
        by: TurnSource = "moderator",
        action: Action | None = None,
    ) -> None:
        self.turns.append(RecordedTurn(seat=seat, by=by, action=action, events=events))

    def record(self) -> Record:
        return Record(
            table=self.table,
            freeze=freeze(self.table),
            turns=tuple(self.turns),
            secrets=self.secrets,
        )


def played_again(record: Record) -> Record:
    """The same moves under the rules of today."""
    assert record.secrets is not None
    recorder = Recorder(record.table, record.secrets)
    for turn in record.turns[1:]:
        _do_again(recorder, turn)
    turns = tuple(
        replace(turn, seat=before.seat, by=before.by)
        for turn, before in zip(recorder.turns, record.turns, strict=True)
    )
    return replace(recorder.record(), turns=turns)


def _do_again(recorder: Recorder, turn: RecordedTurn) -> None:
    if turn.action is not None:
        recorder.play(turn.action)
        return
    match turn.events:
        case (SeatGivenUp(seat), *_):
            recorder.give_up(seat)
        case (SeatHandedOver(seat), *_):
            recorder.hand_over(seat)
        case (Rewound(to_seq), *_):
            recorder.rewind(to_seq)


def _secrets(name: str, seed: int) -> Secrets:
    gold, *rounds = (hashlib.sha256(f"{name}/{seed}/{part}".encode()).digest() for part in range(4))
    return Secrets(gold=gold, round_1=rounds[0], round_2=rounds[1], round_3=rounds[2])


class Plan(NamedTuple):
    """How a game is played that is to go a certain way."""

    player: Callable[[State, Dice], Action]
    seats: int = 3
    rounds: int = 1
    interlude: Callable[[Recorder, Dice], None] | None = None


def _discarding(state: State, dice: Dice) -> Action:
    discards = [action for action in menu(state) if isinstance(action, Discard)]
    return dice.pick(discards or menu(state))


def _passing_at_last(state: State, dice: Dice) -> Action:
    return (erring_action if state.deck else _discarding)(state, dice)


def _leaving(recorder: Recorder, dice: Dice) -> None:
    """Whoever is due after eight turns leaves, and after twenty-five somebody else."""
    if len(recorder.turns) in (9, 26):
        in_play = still_in_play(recorder.state)
        due = due_seat(recorder.state)
        recorder.give_up(
            due if len(recorder.turns) == 9 else dice.pick([s for s in in_play if s != due])
        )


def _going_back(recorder: Recorder, _dice: Dice) -> None:
    """Back within round one, and out of round two into round one."""
    if len(recorder.turns) == 12:
        recorder.rewind(7)
    if recorder.state.round == 2 and not _has_gone_back_twice(recorder):
        recorder.rewind(len(recorder.turns) - 4)


def _has_gone_back_twice(recorder: Recorder) -> bool:
    return sum(isinstance(turn.events[0], Rewound) for turn in recorder.turns) >= 2


PLANS: Final[dict[str, Plan]] = {
    "treasure-diggers": Plan(digging_action, seats=5),
    "exhausted-saboteurs": Plan(erring_action, seats=4),
    "exhausted-nobody": Plan(erring_action),
    "circle-of-passes-saboteurs": Plan(_passing_at_last, seats=4),
    "circle-of-passes-nobody": Plan(_passing_at_last),
    "misfit": Plan(digging_action),
    "goal-choice": Plan(digging_action),
    "pass-moves-starter": Plan(erring_action, seats=4, rounds=2),
    "exact-change": Plan(_discarding, seats=10, rounds=3),
    "given-up": Plan(erring_action, seats=5, interlude=_leaving),
    "rewind": Plan(random_action, rounds=2, interlude=_going_back),
}


def find(rulebook: str, way: str) -> Record:
    """The game of the first seed that goes this way."""
    for seed in count():
        record = _played(rulebook, way, seed)
        if way in ways_of(record):
            return record
    raise AssertionError("seeds never end")


def _played(rulebook: str, way: str, seed: int) -> Record:
    plan, dice = PLANS[way], Dice(seed)
    name = f"{rulebook}-{way}"
    secrets = _secrets(name, seed)
    table = FrozenTable(
        game=name,
        rulebook=rulebook,
        house=HouseRules(rounds=plan.rounds),
        starter=0,
        commitments=commitments(name, secrets),
        seats=tuple(FrozenSeat(who) for who in NAMES[: plan.seats]),
    )
    recorder = Recorder(table, secrets)
    while not recorder.game.is_over:
        if plan.interlude is not None:
            plan.interlude(recorder, dice)
        recorder.play(plan.player(recorder.state, dice))
    return recorder.record()


def ways_of(record: Record) -> set[str]:
    """Every way that a recorded game went, from its events alone."""
    kinds = {
        StoneMisfit: "misfit",
        GoalsReached: "goal-choice",
        SeatGivenUp: "given-up",
        Rewound: "rewind",
    }
    events = [event for turn in record.turns for event in turn.events]
    ways = {way for kind, way in kinds.items() if any(isinstance(event, kind) for event in events)}
    ended = [event for event in events if isinstance(event, RoundEnded)]
    ways |= {f"{event.ending}-{event.winners}" for event in ended}
    ways |= {"pass-moves-starter"} if any(map(_pass_moves_starter, record.turns)) else set()
    return ways | ({"exact-change"} if any(_stuck_payments(record)) else set())


def _pass_moves_starter(turn: RecordedTurn) -> bool:
    """Whether another seat than the one that played ended the round by a pass, and so moved the next starter (E13)."""
    dealt = any(isinstance(event, Dealt) for event in turn.events)
    ended_by = [event.ended_by for event in turn.events if isinstance(event, RoundEnded)]
    passed = any(isinstance(event, Passed) for event in turn.events)
    return dealt and passed and turn.action is not None and ended_by != [turn.seat]


def _stuck_payments(record: Record) -> Iterator[bool]:
    """For every payment whether drawing alone would never have ended (E1)."""
    table = record.table
    states = [initial_state(table.rulebook, table.house, len(table.seats))]
    for turn in record.turns:
        match turn.events:
            case (Rewound(to_seq),):
                states.append(return_to(states[to_seq + 1], len(states) - 1))
                continue
        course = Transition(states[-1])
        for event in turn.events:
            if isinstance(event, GoldPaid):
                owed = nuggets_per_saboteur(dict(enumerate(course.state.results[-1].roles)))
                yield draw_one_by_one(course.state.pile, owed=owed) is None
            course.record(event)
        states.append(course.state)


def recorded() -> dict[str, Record]:
    """Every recorded game by its name."""
    return {path.stem: read_record(path.read_bytes()) for path in sorted(GAMES.glob("*.game"))}


def missing_ways(records: Iterable[Record]) -> Iterator[tuple[str, str]]:
    """Every rulebook and way that none of these games goes."""
    gone = {(record.table.rulebook, way) for record in records for way in ways_of(record)}
    for rulebook, ways in WAYS.items():
        yield from ((rulebook, way) for way in ways if (rulebook, way) not in gone)


def write_all() -> None:
    """Write every recorded game anew, and one for every way that none goes."""
    records = {name: played_again(record) for name, record in recorded().items()}
    for rulebook, way in list(missing_ways(records.values())):
        records[f"{rulebook}-{way}"] = find(rulebook, way)
    for name, record in records.items():
        (GAMES / f"{name}.game").write_text(write_record(record), encoding="utf-8")


if __name__ == "__main__":
    write_all()
