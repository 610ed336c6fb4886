"""Clocks for tests: a game with Alice, Bob, a bot and an open seat, that waits for Alice since noon on a Monday."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

from msgspec.structs import replace

from webapp.clock.pace.calendar import Interval
from webapp.clock.pace.pace import LateRules, Pace
from webapp.clock.turn import Clock, Player

NOON: Final = datetime(2026, 3, 2, 12, tzinfo=UTC)
ALICE, BOB, BOT, OPEN_SEAT = range(4)
ALICE_ID, BOB_ID = 7, 8
PACE: Final = Pace(
    time_per_turn=timedelta(hours=10), bank=timedelta(hours=5), refill=timedelta(hours=1)
)
WAITS_FOR_ABSENT: Final = LateRules(absence="stop", absence_cap=timedelta(days=2))
BOTS_PLAY_FOR_ABSENT: Final = LateRules(absence="bot")


def hours(count: float) -> timedelta:
    return timedelta(hours=count)


def at(hour: float) -> datetime:
    """Return the instant so many hours after the turn began."""
    return NOON + hours(hour)


def away(*spans: tuple[float, float]) -> tuple[Interval, ...]:
    return tuple(Interval(at(start), at(end)) for start, end in spans)


def new_clock(*, alice: Player | None = None, seat: int = ALICE, **fields: Any) -> Clock:
    """Return the clock of a game at position 4, at which the turn of a seat began at noon; of Alice if no one else is named."""
    players = (
        alice or Player(account_id=ALICE_ID),
        Player(account_id=BOB_ID),
        Player(is_bot=True),
        Player(),
    )
    empty: dict[str, Any] = {"pace": PACE, "rules": LateRules(), "players": players}
    empty |= {"seq": 3, "turn_seq": 3, "seat": None, "started_at": None}
    begun = Clock(
        **empty | {name: fields.pop(name) for name in ("pace", "rules") if name in fields}
    )
    clock = begun.begin(seat, seq=4, now=NOON, by="player").clock
    return replace(clock, **fields) if fields else clock


def alice_away(*spans: tuple[float, float]) -> Player:
    return Player(account_id=ALICE_ID, away=away(*spans))
