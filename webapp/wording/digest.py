"""What happened since the viewer's last turn, in one line: how many turns, and the event that matters most to them."""

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple, Protocol, TypeVar

from engine.cards import Tool
from engine.narration import Line, LineKey
from webapp.wording.history import PlayedTurn, short_sentence
from webapp.wording.perspective import Perspective

_MOST_IMPORTANT_FIRST: Final = (
    LineKey.GAME_ENDED,
    LineKey.ROUND_ENDED,
    LineKey.TREASURE_TURNED,
    LineKey.REWOUND,
    LineKey.GAME_SHORTENED,
    LineKey.GOAL_SEEN,
    LineKey.STONE_TURNED,
    LineKey.GOALS_REACHED,
    LineKey.STONE_MISFIT,
    LineKey.SEAT_GIVEN_UP,
    LineKey.SEAT_HANDED_OVER,
    LineKey.ROCK_FELL,
    LineKey.TOOL_BROKEN,
    LineKey.OWN_TOOL_BROKEN,
    LineKey.TOOL_REPAIRED,
    LineKey.OWN_TOOL_REPAIRED,
    LineKey.GOAL_LOOKED_AT,
    LineKey.CARD_LAID,
    LineKey.ROUND_DEALT,
    LineKey.CARD_DISCARDED,
    LineKey.DISCARDED,
    LineKey.PASSED,
)
_KEYS_OF_TURNS: Final = frozenset(
    {
        LineKey.ROCK_FELL,
        LineKey.TOOL_BROKEN,
        LineKey.OWN_TOOL_BROKEN,
        LineKey.TOOL_REPAIRED,
        LineKey.OWN_TOOL_REPAIRED,
        LineKey.GOAL_LOOKED_AT,
        LineKey.CARD_LAID,
        LineKey.CARD_DISCARDED,
        LineKey.DISCARDED,
        LineKey.PASSED,
    }
)
"""Deals, choices and rewinds are steps of history as well, but no one calls them turns."""
_IMPORTANCE: Final = {key: number for number, key in enumerate(reversed(_MOST_IMPORTANT_FIRST))}
_IMPORTANCE_TO_VIEWER: Final = _IMPORTANCE[LineKey.GOAL_SEEN] + 0.5
"""What was done to the viewer's own tools, or for them when their time ran out."""


class NumberedTurn(PlayedTurn, Protocol):
    """A turn of history with its number."""

    @property
    def seq(self) -> int: ...


_Turn = TypeVar("_Turn", bound=NumberedTurn)


class _Event(NamedTuple):
    importance: float
    position: int
    line: Line
    turn: NumberedTurn


def digest(
    turns_since: Sequence[NumberedTurn],
    own_turn: NumberedTurn | None,
    perspective: Perspective,
    *,
    known_tools: Collection[Tool] = (),
) -> str:
    """Return the line; of equally important events the latest. Empty if nothing has happened.

    Turns that were taken back are left out. That one of ``known_tools`` of the viewer was broken is on the page already.
    """
    event = _main_event(turns_since, own_turn, perspective, known_tools)
    if event is None:
        return ""
    sentence = short_sentence(event.line, perspective, timed_out=event.turn.by == "clock")
    turn_count = len(turn_numbers(turns_since))
    if not turn_count or own_turn is None:
        return sentence
    return perspective.language.ngettext(
        "%(num)s new turn. %(event)s",
        "%(num)s new turns. %(event)s",
        turn_count,
        event=sentence,
    )


def digest_turn(
    turns_since: Sequence[NumberedTurn],
    own_turn: NumberedTurn | None,
    perspective: Perspective,
    *,
    known_tools: Collection[Tool] = (),
) -> NumberedTurn | None:
    """Return the turn of which the line tells."""
    event = _main_event(turns_since, own_turn, perspective, known_tools)
    return None if event is None else event.turn


def _main_event(
    turns_since: Sequence[NumberedTurn],
    own_turn: NumberedTurn | None,
    perspective: Perspective,
    known_tools: Collection[Tool],
) -> _Event | None:
    turns = without_undone_turns(turns_since) or ([] if own_turn is None else [own_turn])
    events = [
        _Event(_importance(line, turn, perspective), position, line, turn)
        for position, turn in enumerate(turns)
        for line in turn.lines
        if line.key in _IMPORTANCE
    ]
    new_events = [event for event in events if not _is_known(event.line, known_tools, perspective)]
    return max(
        new_events or events, key=lambda event: (event.importance, event.position), default=None
    )


def _is_real_turn(turn: PlayedTurn) -> bool:
    return any(line.key in _KEYS_OF_TURNS for line in turn.lines)


def without_undone_turns(turns: Sequence[_Turn]) -> list[_Turn]:
    """Return the turns, oldest first, without those that a rewind took back; a rewind can be taken back as well."""
    kept_turns: list[_Turn] = []
    newest_seq = None
    for turn in reversed(turns):
        if newest_seq is None or turn.seq <= newest_seq:
            kept_turns.append(turn)
            newest_seq = next(
                (line.to_seq for line in turn.lines if line.to_seq is not None), newest_seq
            )
    return kept_turns[::-1]


def turn_numbers(turns_since: Sequence[NumberedTurn]) -> dict[int, int]:
    """Return the numbers of the turns since the viewer's own, from 1, by ``seq``: those on the mine and in the list."""
    real_turns = filter(_is_real_turn, without_undone_turns(turns_since))
    return {turn.seq: number for number, turn in enumerate(real_turns, 1)}


def _is_known(line: Line, known_tools: Collection[Tool], perspective: Perspective) -> bool:
    return (
        line.key is LineKey.TOOL_BROKEN
        and line.target == perspective.me
        and line.tool in known_tools
    )


def _importance(line: Line, turn: PlayedTurn, perspective: Perspective) -> float:
    importance = _IMPORTANCE[line.key]
    if perspective.me is None:
        return importance
    is_done_to_viewer = line.target == perspective.me
    was_too_late = turn.by == "clock" and turn.seat == perspective.me
    return (
        max(importance, _IMPORTANCE_TO_VIEWER) if is_done_to_viewer or was_too_late else importance
    )
