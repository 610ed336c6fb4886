"""The history of turns as one seat, or an onlooker, may read it."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from engine.narration import Line, narrate
from engine.record import TurnSource
from engine.wire import decode_events
from webapp.store.play.turn_log import SOURCES_PLAYED_IN_PERSON
from webapp.store.play.turns import TurnRow
from webapp.store.redacted import Redacted


class HistoryEntry(Redacted, frozen=True, kw_only=True):
    """One turn as one reader may know it. ``seat`` is None for the first deal."""

    seq: int
    seat: int | None
    by: TurnSource
    at: datetime
    lines: tuple[Line, ...]


def history_for(
    turns: Iterable[TurnRow], seat: int | None, *, reveal_all: bool
) -> tuple[HistoryEntry, ...]:
    """Return turns as this seat may know them; with ``reveal_all``, once the game is over, nothing is hidden."""
    return tuple(_entry(turn, seat, reveal_all=reveal_all) for turn in turns)


def turns_since_own(turns: Sequence[TurnRow], seat: int | None) -> Sequence[TurnRow]:
    """Return the turns after the last one that this seat's player played in person."""
    own_turn = last_own_turn(turns, seat)
    return [turn for turn in turns if own_turn is None or turn.seq > own_turn.seq]


def last_own_turn(turns: Sequence[TurnRow], seat: int | None) -> TurnRow | None:
    """Return the last of these turns (in order) that this seat's player played in person."""
    if seat is None:
        return None
    own_turn = (
        turn
        for turn in reversed(turns)
        if turn.seat == seat and turn.by in SOURCES_PLAYED_IN_PERSON
    )
    return next(own_turn, None)


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
    """Return how the turn was played; until the end a plan looks to others like the player's own turn."""
    is_hidden = turn.by == "plan" and turn.seat != seat and not reveal_all
    return "player" if is_hidden else turn.by
