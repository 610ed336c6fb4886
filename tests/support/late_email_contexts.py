"""Contexts of emails about missed turns and open seats."""

from typing import Any

from engine.narration import Line, LineKey
from tests.support.email_envelopes import NOW, envelope_for
from tests.support.email_games import game_after
from tests.support.email_parts import seat_summaries, table_summary
from webapp.services.notifications.email_context import SeatOpenedContext, TurnMissedContext
from webapp.services.play.history import HistoryEntry


def turn_missed(**changed_fields: Any) -> TurnMissedContext:
    """Return the email to Anna about her first missed turn; she loses her seat after three."""
    defaults: dict[str, Any] = {
        "envelope": envelope_for("turn-missed"),
        "table": table_summary(game_after(20)),
        "seats": seat_summaries(4),
        "entries": (
            HistoryEntry(
                seq=20, seat=0, by="clock", at=NOW, lines=(Line(key=LineKey.DISCARDED, seat=0),)
            ),
        ),
        "strikes": 1,
        "strikes_until_open": 3,
    }
    return TurnMissedContext(**(defaults | changed_fields))


def seat_opened(**changed_fields: Any) -> SeatOpenedContext:
    defaults: dict[str, Any] = {
        "envelope": envelope_for("seat-opened"),
        "table": table_summary(game_after(20)),
        "seat": 0,
        "strikes": 3,
        "is_for_volunteers": True,
    }
    return SeatOpenedContext(**(defaults | changed_fields))
