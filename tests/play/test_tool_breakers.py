"""Who broke the tools that are broken now."""

from types import SimpleNamespace
from typing import Any

import pytest

from engine.events import Event, Rewound, ToolBroken, ToolRepaired
from engine.wire import encode_events
from tests.support.transactions import NOON
from webapp.play.queries.turns import TurnRow
from webapp.play.views.table_page import tool_breakers

BROKEN_BY_BOB = ToolBroken(seat=1, target=0, card="break-lantern")
BROKEN_BY_CAROL = ToolBroken(seat=2, target=0, card="break-lantern")
REPAIRED = ToolRepaired(seat=0, target=0, card="repair-lantern", tool="lantern")


def breaker(*events: Event) -> int | None:
    """Return who broke Alice's lantern, which is broken after these turns; the first is turn 1."""
    turns = [
        TurnRow(
            seq=seq,
            seat=1,
            by="player",
            action=None,
            events=encode_events((event,)),
            head=b"",
            at=NOON,
        )
        for seq, event in enumerate(events, start=1)
    ]
    view: Any = SimpleNamespace(seat=0, broken=(("lantern",), (), ()))
    return tool_breakers(turns, view).get("lantern")


@pytest.mark.parametrize(
    "events, seat",
    [
        ((BROKEN_BY_BOB, REPAIRED, BROKEN_BY_CAROL), 2),
        ((BROKEN_BY_BOB, REPAIRED, BROKEN_BY_CAROL, Rewound(to_seq=1)), 1),
        ((BROKEN_BY_BOB, REPAIRED, Rewound(to_seq=0), BROKEN_BY_CAROL), 2),
        ((BROKEN_BY_BOB, REPAIRED, BROKEN_BY_CAROL, Rewound(to_seq=1), Rewound(to_seq=3)), 2),
        ((), None),
    ],
    ids=["last", "taken-back", "after-a-rewind", "rewind-taken-back", "unknown"],
)
def test_tool_was_broken_by_the_last_turn_that_counts(
    events: tuple[Event, ...], seat: int | None
) -> None:
    assert breaker(*events) == seat
