"""The history of turns as one seat, or an onlooker, may read it."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

import msgspec

from engine.events import SeatHandedOver
from engine.narration import Line, LineKey, narrate
from engine.record import TurnSource
from engine.wire import decode_events
from webapp.clock.turn import SOURCES_PLAYED_IN_PERSON
from webapp.kernel.redacted import Redacted
from webapp.play.queries.turns import TurnRow


class Sitting(Protocol):
    """Who had a seat before its present player, until a turn."""

    @property
    def name(self) -> str: ...
    @property
    def until_seq(self) -> int: ...


class HistoryEntry(Redacted, frozen=True, kw_only=True, omit_defaults=True):
    """One turn as one viewer may know it. ``seat`` is None for the first deal."""

    seq: int
    seat: int | None
    by: TurnSource
    at: datetime
    lines: tuple[Line, ...]
    former_names: tuple[tuple[int, str], ...] = ()
    """The seats that have changed hands since, with the names of who played in them then."""


class HistoryRound(Redacted, frozen=True, kw_only=True):
    """The steps of one round: pages show a game round by round."""

    number: int
    seqs: tuple[int, ...]


def history_for(
    turns: Iterable[TurnRow], seat: int | None, *, reveal_all: bool
) -> tuple[HistoryEntry, ...]:
    """Return turns as this seat may know them; with ``reveal_all``, once the game is over, nothing is hidden."""
    return tuple(_entry(turn, seat, reveal_all=reveal_all) for turn in turns)


def with_former_names(
    entries: Iterable[HistoryEntry], sittings: Mapping[int, Sequence[Sitting]]
) -> tuple[HistoryEntry, ...]:
    """Return the entries with the names of those who had a seat before its present player."""
    return tuple(
        msgspec.structs.replace(entry, former_names=_former_names(entry.seq, sittings))
        for entry in entries
    )


def rounds_of(entries: Sequence[HistoryEntry]) -> tuple[HistoryRound, ...]:
    """Return the rounds of a game with the steps played in each; the entries begin with the first deal.

    The turn that ends a round belongs to it, although the next round may be dealt in it. After a rewind the earlier round continues.
    """
    round_after: dict[int, int] = {}
    seqs_by_round: dict[int, list[int]] = {}
    for entry in entries:
        round_number = round_after.get(entry.seq - 1, 1)
        seqs_by_round.setdefault(round_number, []).append(entry.seq)
        for line in entry.lines:
            if line.key is LineKey.ROUND_DEALT and line.round is not None:
                round_number = line.round
            elif line.to_seq is not None:
                round_number = round_after[line.to_seq]
        round_after[entry.seq] = round_number
    return tuple(
        HistoryRound(number=number, seqs=tuple(seqs))
        for number, seqs in sorted(seqs_by_round.items())
    )


def turns_since_own(turns: Sequence[TurnRow], seat: int | None) -> Sequence[TurnRow]:
    """Return the turns after the last one that this seat's player played in person, or since they have the seat."""
    own_turns = _turns_of_player(turns, seat)
    own_turn = last_own_turn(turns, seat)
    return [turn for turn in own_turns if own_turn is None or turn.seq > own_turn.seq]


def last_own_turn(turns: Sequence[TurnRow], seat: int | None) -> TurnRow | None:
    """Return the last of these turns (in order) that this seat's present player played in person."""
    if seat is None:
        return None
    own_turn = (
        turn
        for turn in reversed(_turns_of_player(turns, seat))
        if turn.seat == seat and turn.by in SOURCES_PLAYED_IN_PERSON
    )
    return next(own_turn, None)


def _turns_of_player(turns: Sequence[TurnRow], seat: int | None) -> Sequence[TurnRow]:
    """Return the turns from the one in which the present player took over the seat; all if they did not."""
    for index in range(len(turns) - 1, -1, -1):
        # Turns of players have an action, and a seat changes hands without one.
        if turns[index].action is None and _is_handed_over(turns[index], seat):
            return turns[index:]
    return turns


def _is_handed_over(turn: TurnRow, seat: int | None) -> bool:
    return any(
        isinstance(event, SeatHandedOver) and event.seat == seat
        for event in decode_events(turn.events)
    )


def _former_names(
    seq: int, sittings: Mapping[int, Sequence[Sitting]]
) -> tuple[tuple[int, str], ...]:
    names = []
    for seat, sittings_of_seat in sittings.items():
        name = next((each.name for each in sittings_of_seat if seq <= each.until_seq), None)
        names += [] if name is None else [(seat, name)]
    return tuple(names)


def _entry(turn: TurnRow, seat: int | None, *, reveal_all: bool) -> HistoryEntry:
    events = decode_events(turn.events)
    return HistoryEntry(
        seq=turn.seq,
        seat=turn.seat,
        by=_visible_source(turn, seat, reveal_all=reveal_all),
        # To the second: fractions would reveal how long a bot thought, and so its role.
        at=turn.at.replace(microsecond=0),
        lines=tuple(
            line for event in events for line in narrate(event, seat, reveal_all=reveal_all)
        ),
    )


def _visible_source(turn: TurnRow, seat: int | None, *, reveal_all: bool) -> TurnSource:
    """Return how the turn was played; until the end, plans and automatic picks look to others like the player's own turns."""
    is_hidden = turn.by in {"plan", "server"} and turn.seat != seat and not reveal_all
    return "player" if is_hidden else turn.by
