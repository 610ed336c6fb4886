"""Verify a recorded game offline: its commitments, its freeze record, every deal, every turn and the chain of turns.

Flaws are codes; their sentences are in the translations.
"""

import operator
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import partial
from itertools import chain
from typing import TypeAlias

import msgspec

from engine.actions import Action
from engine.cards import DECK, GOALS, GOLD_CARDS, role_pile
from engine.cells import GOAL_CELLS
from engine.commitments import Chance, FrozenTable, ProvableChance, Secrets, commitments, thaw
from engine.errors import IllegalAction
from engine.events import Dealt, Event, GameShortened, Rewound, SeatGivenUp, SeatHandedOver
from engine.evolve import evolve
from engine.game import advance, give_up_seat, hand_over_seat, rewind, shorten_game, start_game
from engine.record import Record, RecordedTurn, TurnChain
from engine.state import State

_Outcome: TypeAlias = tuple[State, tuple[Event, ...]]


class FlawCode(StrEnum):
    """The kinds of flaws in a record; the comment names what ``detail`` holds."""

    NOT_OPENED = "not-opened"
    COMMITMENT_BROKEN = "commitment-broken"  # the secret's label
    FREEZE_UNREADABLE = "freeze-unreadable"
    FREEZE_DIFFERS = "freeze-differs"  # the header's field
    DEAL_DIFFERS = "deal-differs"  # the round
    NO_DEAL = "no-deal"
    ACTION_REFUSED = "action-refused"  # the reason
    EVENTS_DIFFER = "events-differ"
    NO_HEAD = "no-head"
    HEAD_DIFFERS = "head-differs"
    HEAD_UNKNOWN = "head-unknown"  # the beginning of a head that a player was shown


class Flaw(msgspec.Struct, frozen=True):
    """One flaw of a record; ``seq`` is its turn, if it belongs to one."""

    code: FlawCode
    seq: int | None = None
    detail: str = ""


class VerificationReport(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a verification."""

    flaws: tuple[Flaw, ...]
    """All flaws found. Deals and turns are verified up to the first wrong one, and the stated head if nothing else is wrong."""
    turn_count: int
    """The number of turns that the rules reproduce exactly, the first deal included."""
    deal_count: int
    """The number of deals that the secrets reproduce exactly."""
    is_finished: bool
    """Whether the game ended within these turns."""
    heads: tuple[str, ...] = ()
    """The head after every turn that the rules reproduce, in hexadecimal; empty without the secrets."""

    @property
    def is_sound(self) -> bool:
        """Whether no flaw was found."""
        return not self.flaws

    def turn_with_head(self, beginning: str) -> int | None:
        """Return the turn after which the head begins with these digits; None if there is none."""
        return next(
            (seq for seq, head in enumerate(self.heads) if head.startswith(beginning)), None
        )


def verify_record(record: Record, *, shown_heads: Sequence[str] = ()) -> VerificationReport:
    """Verify everything that the record itself can prove, trusting none of its claims.

    ``shown_heads`` are heads that players were shown during the game, or their first digits, in lower-case hexadecimal: only they prove
    that the record is of the game that was played.
    """
    if record.secrets is None:
        flaws = (*_freeze_flaws(record), Flaw(FlawCode.NOT_OPENED))
        return VerificationReport(flaws=flaws, turn_count=0, deal_count=0, is_finished=False)
    chance = ProvableChance(record.secrets, record.freeze)
    flaw_or_none_by_deal = tuple(_verify_deals(record, chance))
    deal_flaws = tuple(flaw for flaw in flaw_or_none_by_deal if flaw is not None)
    turns = _TurnVerifier(record, chance)
    turn_flaws = tuple(turns.flaws({flaw.seq for flaw in deal_flaws}))
    report = VerificationReport(
        flaws=(
            *_commitment_flaws(record.table, record.secrets),
            *_freeze_flaws(record),
            *deal_flaws,
            *turn_flaws,
        ),
        turn_count=len(turns.states),
        deal_count=flaw_or_none_by_deal.count(None),
        is_finished=bool(turns.states and turns.states[-1].winners),
        heads=_heads(record.secrets, record.freeze, record.turns[: len(turns.states)]),
    )
    head_flaws = _head_flaws(record, report, shown_heads)
    return msgspec.structs.replace(report, flaws=(*report.flaws, *head_flaws))


def _heads(secrets: Secrets, freeze: bytes, turns: Iterable[RecordedTurn]) -> tuple[str, ...]:
    return tuple(head.hex() for head in TurnChain(secrets, freeze).heads(turns))


def _head_flaws(
    record: Record, report: VerificationReport, shown_heads: Sequence[str]
) -> Iterator[Flaw]:
    for head in shown_heads:
        if report.turn_with_head(head) is None:
            yield Flaw(FlawCode.HEAD_UNKNOWN, detail=head)
    # The head of a record that is wrong elsewhere differs as well, which says nothing new.
    if report.is_sound and record.head is None:
        yield Flaw(FlawCode.NO_HEAD)
    elif report.is_sound and record.head != report.heads[-1]:
        yield Flaw(FlawCode.HEAD_DIFFERS)


def _commitment_flaws(table: FrozenTable, secrets: Secrets) -> Iterator[Flaw]:
    expected = commitments(table.game, secrets)
    for label, recorded_commitment, expected_commitment in zip(
        secrets.by_label(), table.commitments, expected, strict=True
    ):
        if recorded_commitment != expected_commitment:
            yield Flaw(FlawCode.COMMITMENT_BROKEN, detail=label)


def _freeze_flaws(record: Record) -> Iterator[Flaw]:
    try:
        frozen_table = thaw(record.freeze)
    except ValueError:
        yield Flaw(FlawCode.FREEZE_UNREADABLE)
        return
    for name in FrozenTable.__struct_fields__:
        if getattr(frozen_table, name) != getattr(record.table, name):
            yield Flaw(FlawCode.FREEZE_DIFFERS, detail=name)


def _verify_deals(record: Record, chance: Chance) -> Iterator[Flaw | None]:
    """Yield None for each deal of the log that the secrets reproduce, and the flaw of the first that they do not."""
    for seq, turn in enumerate(record.turns):
        for event in turn.events:
            if not isinstance(event, Dealt):
                continue
            if not _is_dealt_by(chance, event, len(record.table.seats)):
                yield Flaw(FlawCode.DEAL_DIFFERS, seq, str(event.round))
                return
            yield None


def _is_dealt_by(chance: Chance, event: Dealt, seats: int) -> bool:
    """Return whether the piles have the order that chance gives.

    How the deck is split into hands depends on the position, so the verification of the turns checks it.
    """
    label = f"round-{event.round}"
    return (
        (*event.roles, event.aside) == chance.shuffled(f"{label}/roles", role_pile(seats))
        and event.goals == chance.shuffled(f"{label}/goals", GOALS)
        and (*chain(*event.hands), *event.deck) == chance.shuffled(f"{label}/deck", DECK)
        and event.pile in {None, chance.shuffled("gold", GOLD_CARDS)}
    )


class _TurnVerifier:
    """Replays the turns of a record under the rules, up to the first wrong one; ``states`` holds the positions."""

    def __init__(self, record: Record, chance: Chance) -> None:
        self._record = record
        self._chance = chance
        self.states: list[State] = []

    def flaws(self, flawed_turns: set[int | None]) -> Iterator[Flaw]:
        """Yield the flaw of the first wrong turn, unless the turn is already known to be flawed."""
        if not self._record.turns:
            yield Flaw(FlawCode.NO_DEAL)
        for seq, turn in enumerate(self._record.turns):
            flaw = self._verify_turn(seq, turn)
            if flaw is not None:
                yield from () if seq in flawed_turns else (flaw,)
                return

    def _verify_turn(self, seq: int, turn: RecordedTurn) -> Flaw | None:
        try:
            for state, events in self._possible_outcomes(turn):
                if events == turn.events:
                    self.states.append(state)
                    return None
        except IllegalAction as refusal:
            return Flaw(FlawCode.ACTION_REFUSED, seq, refusal.reason)
        return Flaw(FlawCode.EVENTS_DIFFER if seq else FlawCode.NO_DEAL, seq)

    def _possible_outcomes(self, turn: RecordedTurn) -> Iterable[_Outcome]:
        """Return the possible outcomes of a turn: several only if chance made a default choice. Raises IllegalAction."""
        if not self.states:
            is_deal = turn.action is None and turn.seat is None
            return (self._first_deal(),) if is_deal else ()
        if turn.action is not None:
            return () if turn.seat is None else (self._advance(turn.seat, turn.action),)
        match turn.events:
            case (SeatGivenUp(seat), *_) if turn.seat in {None, seat}:
                return self._outcomes_of_giving_up(seat)
            case (SeatHandedOver(seat),) if turn.seat in {None, seat}:
                return (hand_over_seat(self.states[-1], seat),)
        return self._outcomes_for_the_table(turn)

    def _outcomes_for_the_table(self, turn: RecordedTurn) -> Iterable[_Outcome]:
        """Return the only possible outcome of a turn of no seat without an action. Raises IllegalAction."""
        match (turn.seat, *turn.events):
            case (None, GameShortened()):
                return (shorten_game(self.states[-1]),)
            case (None, Rewound(to_seq)):
                return (rewind(self.states, to_seq),)
        return ()

    def _first_deal(self) -> _Outcome:
        table = self._record.table
        return start_game(
            table.rulebook,
            table.house,
            seats=len(table.seats),
            starter=table.starter,
            chance=self._chance,
        )

    def _advance(self, seat: int, action: Action) -> _Outcome:
        state_before = self.states[-1]
        _, events = advance(state_before, seat, action, self._chance)
        # Continue from the folded events: if they led to another position, a later turn would differ.
        return evolve(state_before, events), events

    def _outcomes_of_giving_up(self, seat: int) -> Iterator[_Outcome]:
        for choice in range(len(GOAL_CELLS)):
            random_below = partial(operator.mod, choice)
            yield give_up_seat(
                self.states[-1], seat, random_below=random_below, chance=self._chance
            )
