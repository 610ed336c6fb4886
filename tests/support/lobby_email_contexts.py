"""Contexts of emails about tables before the deal."""

from datetime import timedelta
from typing import Any

from tests.support.email_envelopes import NOW, envelope_for
from tests.support.email_parts import COMMITMENTS, seat_summaries, table_summary
from webapp.game_status import GameStatus
from webapp.services.lobby.waiting_times import READY_CHECK_LASTS
from webapp.services.notifications.email_context import ReadyCheckContext
from webapp.services.notifications.lobby_contexts import SeatFreedContext, TableWaitingContext


def ready_check_context(**changed_fields: Any) -> ReadyCheckContext:
    defaults: dict[str, Any] = {
        "envelope": envelope_for("ready-check"),
        "table": table_summary(taken=4, status=GameStatus.READY_CHECK),
        "seats": seat_summaries(4),
        "commitments": COMMITMENTS,
        "answer_by": NOW + READY_CHECK_LASTS,
    }
    return ReadyCheckContext(**(defaults | changed_fields))


def table_waiting_context(**changed_fields: Any) -> TableWaitingContext:
    defaults: dict[str, Any] = {
        "envelope": envelope_for("table-waiting"),
        "table": table_summary(taken=2),
        "seats": seat_summaries(4, free=(2, 3)),
        "closes_at": NOW + timedelta(days=7),
    }
    return TableWaitingContext(**(defaults | changed_fields))


def ready_check_over_context(**changed_fields: Any) -> TableWaitingContext:
    defaults = {"envelope": envelope_for("ready-check-over")}
    return table_waiting_context(**(defaults | changed_fields))


def ready_check_missed_context(**changed_fields: Any) -> SeatFreedContext:
    defaults = {"envelope": envelope_for("ready-check-missed")}
    return player_removed_context(**(defaults | changed_fields))


def player_removed_context(**changed_fields: Any) -> SeatFreedContext:
    defaults: dict[str, Any] = {
        "envelope": envelope_for("player-removed"),
        "table": table_summary(taken=3),
        "may_see_table": True,
        "can_return": True,
    }
    return SeatFreedContext(**(defaults | changed_fields))
