"""Contexts of emails about missed turns and open seats."""

from datetime import timedelta
from typing import Any

from engine.narration import Line, LineKey
from engine.view import view_for
from tests.support.email_envelopes import NOW, envelope_for
from tests.support.email_games import game_after_turns
from tests.support.email_parts import seat_summaries, table_summary
from webapp.services.notifications.email_context import (
    BriefingContext,
    DeadlinesMovedContext,
    OpenSeatsContext,
    SeatOpenedContext,
    TurnMissedContext,
)
from webapp.services.notifications.email_envelope import UnsubscribeTokens
from webapp.services.play.history import HistoryEntry
from webapp.store.lobby.open_seats import OpenSeatRow
from webapp.store.notifications.moved_deadlines import MovedDeadline


def turn_missed_context(**changed_fields: Any) -> TurnMissedContext:
    """Return the email to Anna about her first missed turn; she loses her seat after three."""
    defaults: dict[str, Any] = {
        "envelope": envelope_for("turn-missed"),
        "table": table_summary(game_after_turns(20)),
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


def briefing_context(**changed_fields: Any) -> BriefingContext:
    """Return the email to Anna, who has taken over seat 1 of a game."""
    game = game_after_turns(20)
    defaults: dict[str, Any] = {
        "envelope": envelope_for("briefing"),
        "table": table_summary(game),
        "seats": seat_summaries(4),
        "view": view_for(game.state, 0),
        "discards": ("map", "path-trb"),
        "deadline_at": NOW + timedelta(days=2),
    }
    return BriefingContext(**(defaults | changed_fields))


def seat_opened_context(**changed_fields: Any) -> SeatOpenedContext:
    defaults: dict[str, Any] = {
        "envelope": envelope_for("seat-opened"),
        "table": table_summary(game_after_turns(20)),
        "seat": 0,
        "strikes": 3,
        "is_for_volunteers": True,
    }
    return SeatOpenedContext(**(defaults | changed_fields))


def deadlines_moved_context(**changed_fields: Any) -> DeadlinesMovedContext:
    """Return the email to Anna after an outage of the server; two games wait for her."""
    defaults: dict[str, Any] = {
        "envelope": envelope_for(
            "deadlines-moved",
            root_id=None,
            list_id=None,
            unsubscribe=UnsubscribeTokens(everything="all-token"),
        ),
        "cause": "server",
        "began_at": NOW - timedelta(hours=5),
        "ended_at": NOW - timedelta(hours=1),
        "games": (
            MovedDeadline("k7h2m", "Berta", "", NOW + timedelta(hours=9)),
            MovedDeadline("p3x8w", "Anna", "Friday miners", NOW + timedelta(days=2)),
        ),
    }
    return DeadlinesMovedContext(**(defaults | changed_fields))


def open_seats_context(**changed_fields: Any) -> OpenSeatsContext:
    """Return the email to Anna, who has asked for it, about two open seats."""
    defaults: dict[str, Any] = {
        "envelope": envelope_for(
            "open-seats",
            root_id=None,
            list_id=None,
            unsubscribe=UnsubscribeTokens(seats="seats-token", everything="all-token"),
        ),
        "seats": (open_seat_row("k7h2m", "Berta"), open_seat_row("p3x8w", "Carl", round=2)),
    }
    return OpenSeatsContext(**(defaults | changed_fields))


def open_seat_row(slug: str, host_name: str, **changed_fields: Any) -> OpenSeatRow:
    defaults: dict[str, Any] = {
        "game_id": 1,
        "slug": slug,
        "host_name": host_name,
        "table_name": "",
        "rulebook": "en-2004",
        "seat_count": 4,
        "round": 1,
        "opened_at": NOW - timedelta(hours=3),
        "lowest_reliability": 0,
    }
    return OpenSeatRow(**(defaults | changed_fields))
