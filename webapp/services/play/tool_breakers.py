"""Who broke the tools of a seat that are still broken, from the log: positions do not remember it."""

from collections.abc import Iterator, Mapping, Sequence

from engine.cards import BREAKS, Tool
from engine.events import Rewound, ToolBroken
from engine.view import View
from engine.wire import decode_events
from webapp.store.play.turns import TurnRow


def tool_breakers(turns: Sequence[TurnRow], view: View) -> Mapping[Tool, int]:
    """Return the seat that broke each broken tool of the viewer; a tool that was broken before these turns is left out."""
    wanted_tools = set(() if view.seat is None else view.broken[view.seat])
    breakers: dict[Tool, int] = {}
    if not wanted_tools:
        return breakers
    for event in _breaks_of(turns, view.seat):
        breakers.setdefault(BREAKS[event.card], event.seat)
        if wanted_tools <= breakers.keys():
            break
    return {tool: seat for tool, seat in breakers.items() if tool in wanted_tools}


def _breaks_of(turns: Sequence[TurnRow], seat: int | None) -> Iterator[ToolBroken]:
    """Yield how tools of a seat were broken, newest first, without turns that were taken back."""
    last_valid_seq = turns[-1].seq if turns else 0
    for turn in reversed(turns):
        if turn.seq > last_valid_seq:
            continue
        for event in decode_events(turn.events):
            if isinstance(event, Rewound):
                last_valid_seq = event.to_seq
            elif isinstance(event, ToolBroken) and event.target == seat:
                yield event
