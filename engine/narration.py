"""The history of a game as one seat may read it.

A line is a key with typed parameters; its sentence is in the translations. Lines are built from events field by field, so
that no field of an event leaves the engine by default (R3, R26, R41, R52, E31).
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Any, Final, NamedTuple

import msgspec

from engine.cards import BREAKS, Card, Goal, Role, Tool
from engine.cells import Cell
from engine.events import (
    CardLaid,
    Dealt,
    Discarded,
    Drawn,
    Ending,
    Event,
    GameEnded,
    GameShortened,
    GoalSeen,
    GoalsReached,
    GoalTurned,
    GoldDrawn,
    GoldPaid,
    GoldTaken,
    Passed,
    Rewound,
    RockFell,
    RoundEnded,
    SeatGivenUp,
    SeatHandedOver,
    Side,
    StoneMisfit,
    ToolBroken,
    ToolRepaired,
)


class LineKey(StrEnum):
    """The kind of a line; the comment names its parameters. Some kinds are for one seat only.

    The recorded views in ``tests/games`` pin the values.
    """

    ROUND_DEALT = "round-dealt"  # round, seat (the starter)
    ROLE_DEALT = "role-dealt"  # seat, role, cards (the hand): for the seat only
    CARD_LAID = "card-laid"  # seat, card, cell, turned
    GOALS_REACHED = "goals-reached"  # seat, cells
    STONE_MISFIT = "stone-misfit"  # seat, cell, goal
    TREASURE_TURNED = "treasure-turned"  # seat, cell, goal
    STONE_TURNED = "stone-turned"  # seat, cell, goal, turned
    TOOL_BROKEN = "tool-broken"  # seat, target, tool
    OWN_TOOL_BROKEN = "own-tool-broken"  # seat, tool
    TOOL_REPAIRED = "tool-repaired"  # seat, target, tool, card
    OWN_TOOL_REPAIRED = "own-tool-repaired"  # seat, tool, card
    ROCK_FELL = "rock-fell"  # seat, cell, card
    GOAL_LOOKED_AT = "goal-looked-at"  # seat, cell
    GOAL_SEEN = "goal-seen"  # seat, cell, goal: for the seat only
    DISCARDED = "discarded"  # seat
    CARD_DISCARDED = "card-discarded"  # seat, card: for the seat only
    PASSED = "passed"  # seat
    CARD_DRAWN = "card-drawn"  # seat, card: for the seat only
    ROUND_ENDED = "round-ended"  # round, ending, side, roles, aside
    GOLD_DRAWN = "gold-drawn"  # seat (picks first), count
    GOLD_HELD = "gold-held"  # seat, gold (the cards): for the holder only
    GOLD_TAKEN = "gold-taken"  # seat
    GOLD_KEPT = "gold-kept"  # seat, nuggets: for the seat only
    PAID = "paid"  # seat, nuggets
    PAID_IN_CARDS = "paid-in-cards"  # seat, nuggets, gold, overshot, restored: for the seat only
    GAME_ENDED = "game-ended"  # gold (nuggets by seat), seats (the winners)
    SEAT_GIVEN_UP = "seat-given-up"  # seat
    SEAT_HANDED_OVER = "seat-handed-over"  # seat
    GAME_SHORTENED = "game-shortened"  # round (the last)
    REWOUND = "rewound"  # to_seq


class Line(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One sentence of history as one seat may read it."""

    key: LineKey
    seat: int | None = None
    target: int | None = None
    card: Card | None = None
    cards: tuple[Card, ...] = ()
    cell: Cell | None = None
    cells: tuple[Cell, ...] = ()
    turned: bool = False
    tool: Tool | None = None
    goal: Goal | None = None
    role: Role | None = None
    roles: tuple[Role, ...] = ()
    aside: Role | None = None
    round: int | None = None
    ending: Ending | None = None
    side: Side | None = None
    nuggets: int | None = None
    gold: tuple[int, ...] = ()
    overshot: tuple[int, ...] = ()
    restored: bool = False
    count: int | None = None
    seats: tuple[int, ...] = ()
    to_seq: int | None = None

    def __repr__(self) -> str:
        """Show the key only, because the parameters can reveal a hand."""
        return f"<Line {self.key}>"


class _Viewer(NamedTuple):
    """The reader of the lines: one seat, or an onlooker (None)."""

    seat: int | None
    reveal_all: bool

    def sees(self, seat: int) -> bool:
        """Return whether the viewer may read the secrets of a seat."""
        return self.reveal_all or self.seat == seat


def narrate(event: Event, seat: int | None, *, reveal_all: bool = False) -> tuple[Line, ...]:
    """Return the lines of an event for a seat, or for an onlooker (None); often none.

    With ``reveal_all`` the lines hold the secrets of every seat, which is only for games that have ended.
    """
    narrator = _NARRATORS.get(type(event))
    return () if narrator is None else narrator(event, _Viewer(seat, reveal_all))


def _dealt(event: Dealt, viewer: _Viewer) -> tuple[Line, ...]:
    roles = (
        Line(key=LineKey.ROLE_DEALT, seat=seat, role=role, cards=event.hands[seat])
        for seat, role in enumerate(event.roles)
        if viewer.sees(seat)
    )
    return Line(key=LineKey.ROUND_DEALT, round=event.round, seat=event.starter), *roles


def _card_laid(event: CardLaid, _viewer: _Viewer) -> tuple[Line, ...]:
    return (
        Line(
            key=LineKey.CARD_LAID,
            seat=event.seat,
            card=event.card,
            cell=event.cell,
            turned=event.turned,
        ),
    )


def _goals_reached(event: GoalsReached, _viewer: _Viewer) -> tuple[Line, ...]:
    return (Line(key=LineKey.GOALS_REACHED, seat=event.seat, cells=event.cells),)


def _stone_misfit(event: StoneMisfit, _viewer: _Viewer) -> tuple[Line, ...]:
    return (Line(key=LineKey.STONE_MISFIT, seat=event.seat, cell=event.cell, goal=event.goal),)


def _goal_turned(event: GoalTurned, _viewer: _Viewer) -> tuple[Line, ...]:
    key = LineKey.TREASURE_TURNED if event.goal == "treasure" else LineKey.STONE_TURNED
    return (Line(key=key, seat=event.seat, cell=event.cell, goal=event.goal, turned=event.turned),)


def _tool_broken(event: ToolBroken, _viewer: _Viewer) -> tuple[Line, ...]:
    tool = BREAKS[event.card]
    if event.target == event.seat:
        return (Line(key=LineKey.OWN_TOOL_BROKEN, seat=event.seat, tool=tool),)
    return (Line(key=LineKey.TOOL_BROKEN, seat=event.seat, target=event.target, tool=tool),)


def _tool_repaired(event: ToolRepaired, _viewer: _Viewer) -> tuple[Line, ...]:
    if event.target == event.seat:
        return (
            Line(key=LineKey.OWN_TOOL_REPAIRED, seat=event.seat, tool=event.tool, card=event.card),
        )
    return (
        Line(
            key=LineKey.TOOL_REPAIRED,
            seat=event.seat,
            target=event.target,
            tool=event.tool,
            card=event.card,
        ),
    )


def _rock_fell(event: RockFell, _viewer: _Viewer) -> tuple[Line, ...]:
    return (Line(key=LineKey.ROCK_FELL, seat=event.seat, cell=event.cell, card=event.card),)


def _goal_seen(event: GoalSeen, viewer: _Viewer) -> tuple[Line, ...]:
    if viewer.sees(event.seat):
        return (Line(key=LineKey.GOAL_SEEN, seat=event.seat, cell=event.cell, goal=event.goal),)
    return (Line(key=LineKey.GOAL_LOOKED_AT, seat=event.seat, cell=event.cell),)


def _discarded(event: Discarded, viewer: _Viewer) -> tuple[Line, ...]:
    if viewer.sees(event.seat):
        return (Line(key=LineKey.CARD_DISCARDED, seat=event.seat, card=event.card),)
    return (Line(key=LineKey.DISCARDED, seat=event.seat),)


def _passed(event: Passed, _viewer: _Viewer) -> tuple[Line, ...]:
    return (Line(key=LineKey.PASSED, seat=event.seat),)


def _drawn(event: Drawn, viewer: _Viewer) -> tuple[Line, ...]:
    if not viewer.sees(event.seat):
        return ()
    return (Line(key=LineKey.CARD_DRAWN, seat=event.seat, card=event.card),)


def _round_ended(event: RoundEnded, _viewer: _Viewer) -> tuple[Line, ...]:
    line = Line(
        key=LineKey.ROUND_ENDED,
        round=event.round,
        ending=event.ending,
        side=event.winners,
        roles=event.roles,
        aside=event.aside,
    )
    return (line,)


def _gold_drawn(event: GoldDrawn, viewer: _Viewer) -> tuple[Line, ...]:
    line = Line(key=LineKey.GOLD_DRAWN, seat=event.seat, count=len(event.cards))
    if not viewer.sees(event.seat):
        return (line,)
    return line, Line(key=LineKey.GOLD_HELD, seat=event.seat, gold=event.cards)


def _gold_taken(event: GoldTaken, viewer: _Viewer) -> tuple[Line, ...]:
    if viewer.sees(event.seat):
        return (Line(key=LineKey.GOLD_KEPT, seat=event.seat, nuggets=event.nuggets),)
    return (Line(key=LineKey.GOLD_TAKEN, seat=event.seat),)


def _gold_paid(event: GoldPaid, viewer: _Viewer) -> tuple[Line, ...]:
    nuggets = sum(event.cards)
    if not viewer.sees(event.seat):
        return (Line(key=LineKey.PAID, seat=event.seat, nuggets=nuggets),)
    return (
        Line(
            key=LineKey.PAID_IN_CARDS,
            seat=event.seat,
            nuggets=nuggets,
            gold=event.cards,
            overshot=event.overshot,
            restored=event.restored,
        ),
    )


def _game_ended(event: GameEnded, _viewer: _Viewer) -> tuple[Line, ...]:
    return (Line(key=LineKey.GAME_ENDED, gold=event.nuggets, seats=event.winners),)


def _seat_changed(event: SeatGivenUp | SeatHandedOver, _viewer: _Viewer) -> tuple[Line, ...]:
    is_given_up = isinstance(event, SeatGivenUp)
    key = LineKey.SEAT_GIVEN_UP if is_given_up else LineKey.SEAT_HANDED_OVER
    return (Line(key=key, seat=event.seat),)


def _game_shortened(event: GameShortened, _viewer: _Viewer) -> tuple[Line, ...]:
    return (Line(key=LineKey.GAME_SHORTENED, round=event.rounds),)


def _rewound(event: Rewound, _viewer: _Viewer) -> tuple[Line, ...]:
    return (Line(key=LineKey.REWOUND, to_seq=event.to_seq),)


_NARRATORS: Final[dict[type[Event], Callable[[Any, _Viewer], tuple[Line, ...]]]] = {
    Dealt: _dealt,
    CardLaid: _card_laid,
    GoalsReached: _goals_reached,
    StoneMisfit: _stone_misfit,
    GoalTurned: _goal_turned,
    ToolBroken: _tool_broken,
    ToolRepaired: _tool_repaired,
    RockFell: _rock_fell,
    GoalSeen: _goal_seen,
    Discarded: _discarded,
    Passed: _passed,
    Drawn: _drawn,
    RoundEnded: _round_ended,
    GoldDrawn: _gold_drawn,
    GoldTaken: _gold_taken,
    GoldPaid: _gold_paid,
    GameEnded: _game_ended,
    SeatGivenUp: _seat_changed,
    SeatHandedOver: _seat_changed,
    GameShortened: _game_shortened,
    Rewound: _rewound,
}
