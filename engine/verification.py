"""Checking a whole game, offline: its commitments, its freeze, every deal and every step.

What is wrong is said in codes; the sentences live with those who print them.
"""

import operator
from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import partial
from itertools import chain
from typing import TypeAlias

import msgspec

from engine.actions import Action
from engine.cards import DECK, GOALS, GOLD, role_pile
from engine.cells import GOAL_CELLS
from engine.errors import IllegalAction, Reason
from engine.events import Dealt, Event, Rewound, SeatGivenUp, SeatHandedOver
from engine.evolve import evolve, return_to
from engine.fairness import FrozenTable, Secrets, commitments, thaw
from engine.game import advance, give_up_seat, hand_over_seat, start_game
from engine.record import Record, RecordedTurn
from engine.shuffle import Chance, ProvableChance
from engine.state import State

_Outcome: TypeAlias = tuple[State, tuple[Event, ...]]


class FlawCode(StrEnum):
    """What is wrong with a record; the comment names what ``detail`` holds."""

    NOT_OPENED = "not-opened"
    COMMITMENT_BROKEN = "commitment-broken"  # the secret's label
    FREEZE_UNREADABLE = "freeze-unreadable"
    FREEZE_DIFFERS = "freeze-differs"  # the header's field
    DEAL_DIFFERS = "deal-differs"  # the round
    NO_DEAL = "no-deal"
    ACTION_REFUSED = "action-refused"  # the reason
    EVENTS_DIFFER = "events-differ"


class VerificationFinding(msgspec.Struct, frozen=True):
    """One flaw, and in which turn, if it is in one."""

    flaw: FlawCode
    seq: int | None = None
    detail: str = ""


class VerificationReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a check came to."""

    findings: tuple[VerificationFinding, ...]
    """Everything that is wrong. The steps are checked up to the first wrong one."""
    turns: int
    """Turns that the rules give exactly as recorded, the first deal among them."""
    deals: int
    """Deals that the secrets give exactly as recorded."""
    finished: bool
    """Whether the game came to its end within these turns."""

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings


def verify_record(record: Record) -> VerificationReport:
    """Check everything that can be checked without anybody's word for it."""
    if record.secrets is None:
        findings = (*_freeze_flaws(record), VerificationFinding(FlawCode.NOT_OPENED))
        return VerificationReport(findings=findings, turns=0, deals=0, finished=False)
    chance = ProvableChance(record.secrets, record.freeze)
    deals = tuple(_check_deals(record, chance))
    wrong_deals = tuple(finding for finding in deals if finding is not None)
    walk = _Walk(record, chance)
    wrong_steps = tuple(walk.findings({finding.seq for finding in wrong_deals}))
    return VerificationReport(
        findings=(
            *_commitment_flaws(record.table, record.secrets),
            *_freeze_flaws(record),
            *wrong_deals,
            *wrong_steps,
        ),
        turns=len(walk.states),
        deals=deals.count(None),
        finished=bool(walk.states and walk.states[-1].winners),
    )


def _commitment_flaws(table: FrozenTable, secrets: Secrets) -> Iterator[VerificationFinding]:
    due = commitments(table.game, secrets)
    for label, given, expected in zip(secrets.by_label(), table.commitments, due, strict=True):
        if given != expected:
            yield VerificationFinding(FlawCode.COMMITMENT_BROKEN, detail=label)


def _freeze_flaws(record: Record) -> Iterator[VerificationFinding]:
    try:
        frozen = thaw(record.freeze)
    except ValueError:
        yield VerificationFinding(FlawCode.FREEZE_UNREADABLE)
        return
    for name in FrozenTable.__struct_fields__:
        if getattr(frozen, name) != getattr(record.table, name):
            yield VerificationFinding(FlawCode.FREEZE_DIFFERS, detail=name)


def _check_deals(record: Record, chance: Chance) -> Iterator[VerificationFinding | None]:
    """What is wrong with each deal of the log; None where the secrets give it so."""
    for seq, turn in enumerate(record.turns):
        for event in turn.events:
            if isinstance(event, Dealt):
                right = _is_dealt_by(chance, event, len(record.table.seats))
                yield (
                    None
                    if right
                    else VerificationFinding(FlawCode.DEAL_DIFFERS, seq, str(event.round))
                )


def _is_dealt_by(chance: Chance, event: Dealt, seats: int) -> bool:
    """Whether the piles lie as chance has them. How they are handed out depends on the position, and is for the steps."""
    label = f"round-{event.round}"
    return (
        (*event.roles, event.aside) == chance.shuffled(f"{label}/roles", role_pile(seats))
        and event.goals == chance.shuffled(f"{label}/goals", GOALS)
        and (*chain(*event.hands), *event.deck) == chance.shuffled(f"{label}/deck", DECK)
        and event.pile in {None, chance.shuffled("gold", GOLD)}
    )


class _Walk:
    """The way through a game, step by step as the rules have it, up to the first wrong step."""

    def __init__(self, record: Record, chance: Chance) -> None:
        self._record = record
        self._chance = chance
        self.states: list[State] = []

    def findings(self, known: set[int | None]) -> Iterator[VerificationFinding]:
        """What is wrong with the first wrong step, unless its turn is known to be wrong."""
        if not self._record.turns:
            yield VerificationFinding(FlawCode.NO_DEAL)
        for seq, turn in enumerate(self._record.turns):
            flaw = self._step(seq, turn)
            if flaw is not None:
                yield from () if seq in known else (flaw,)
                return

    def _step(self, seq: int, turn: RecordedTurn) -> VerificationFinding | None:
        try:
            for state, events in self._outcomes(turn):
                if events == turn.events:
                    self.states.append(state)
                    return None
        except IllegalAction as refused:
            return VerificationFinding(FlawCode.ACTION_REFUSED, seq, refused.reason)
        return VerificationFinding(FlawCode.EVENTS_DIFFER if seq else FlawCode.NO_DEAL, seq)

    def _outcomes(self, turn: RecordedTurn) -> Iterable[_Outcome]:
        """What may come of a turn; more than one only where a default was by chance. Raises IllegalAction."""
        if not self.states:
            asked = turn.action is not None or turn.seat is not None
            return () if asked else (self._opening(),)
        if turn.action is not None:
            return () if turn.seat is None else (self._play(turn.seat, turn.action),)
        match turn.events:
            case (SeatGivenUp(seat), *_) if turn.seat in {None, seat}:
                return self._ways_to_give_up(seat)
            case (SeatHandedOver(seat),) if turn.seat in {None, seat}:
                return (hand_over_seat(self.states[-1], seat),)
            case (Rewound(to_seq),) if turn.seat is None:
                return self._rewound(to_seq)
        return ()

    def _opening(self) -> _Outcome:
        table = self._record.table
        return start_game(
            table.rulebook,
            table.house,
            seats=len(table.seats),
            starter=table.starter,
            chance=self._chance,
        )

    def _play(self, seat: int, action: Action) -> _Outcome:
        before = self.states[-1]
        _, events = advance(before, seat, action, self._chance)
        # On from what the events fold to: were that another position, the steps to come would not agree.
        return evolve(before, events), events

    def _ways_to_give_up(self, seat: int) -> Iterator[_Outcome]:
        for which in range(len(GOAL_CELLS)):
            yield give_up_seat(
                self.states[-1], seat, pick=partial(operator.mod, which), chance=self._chance
            )

    def _rewound(self, to_seq: int) -> tuple[_Outcome, ...]:
        if self.states[-1].winners:
            raise IllegalAction(Reason.GAME_OVER)
        if to_seq >= len(self.states) - 1:
            raise IllegalAction(Reason.NO_SUCH_TURN)
        return ((return_to(self.states[to_seq], len(self.states)), (Rewound(to_seq),)),)
