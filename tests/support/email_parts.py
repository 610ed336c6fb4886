"""Parts of email contexts: the table and its seats.

Its own module because :mod:`tests.support.email_contexts`, which has the contexts, is long enough.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

from engine.commitments import SECRET_LABELS
from engine.rulebook import HouseRules
from tests.support.email_envelopes import NOW
from tests.support.engine.in_memory_game import InMemoryGame
from webapp.game_status import GameStatus
from webapp.pace.pace import Pace
from webapp.services.play.summaries import Commitment, Head, SeatSummary, TableSummary

NAMES: Final = (
    "Anna",
    "Bob",
    "Carol",
    "Dāvis",
    "Ēriks",
    "Frida",
    "Ģirts",
    "Їжак",
    "Ingrid",
    "Jüri",
)
COMMITMENTS: Final = tuple(
    Commitment(label, label[-1].encode().hex() * 32) for label in SECRET_LABELS
)
DIGEST: Final = "3f2a91bc77d05e12a0b41c9d8e6f5a4b3c2d1e0f9a8b7c6d5e4f3a2b1c0d9e8f"


def head_of(game: InMemoryGame) -> Head:
    """Return a head after the last turn of a game; its digits are no real ones."""
    return Head(game.state.seq, DIGEST)


def table_summary(game: InMemoryGame | None = None, **changed_fields: Any) -> TableSummary:
    """Return the table of a game; without one, a table of four that waits for players."""
    seats = game.state.seats if game else 4
    defaults: dict[str, Any] = {
        "slug": "k7h2m",
        "rulebook": game.state.rulebook if game else "en-2004",
        "house": game.state.house if game else HouseRules(open_gold=True, rounds=2),
        "seats": seats,
        "taken": seats if game else 2,
        "pace": Pace(time_per_turn=timedelta(days=2)),
        "public": False,
        "host": "Bob",
        "status": GameStatus.RUNNING if game else GameStatus.OPEN,
        "opened_at": NOW - timedelta(days=3),
        "starter": None,
    }
    return TableSummary(**(defaults | changed_fields))


def seat_summaries(
    count: int, *, me: int | None = 0, free: Sequence[int] = (), **gone_and_awaited_seats: Any
) -> tuple[SeatSummary, ...]:
    return tuple(
        SeatSummary(
            number=number,
            name="" if number in free else NAMES[number],
            is_bot=number == count - 1 and number not in free,
            is_me=number == me,
            is_free=number in free,
            is_ready=False,
            has_salt=number == 1,
            is_gone=number in gone_and_awaited_seats.get("gone", ()),
            is_awaited=number == gone_and_awaited_seats.get("awaited"),
            bot_level="steady" if number == count - 1 and number not in free else None,
        )
        for number in range(count)
    )
