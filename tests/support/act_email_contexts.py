"""Contexts of emails about what moderators do."""

from datetime import timedelta
from typing import Any

from tests.support.email_envelopes import NOW, envelope_for
from tests.support.email_games import game_after_turns
from tests.support.email_parts import seat_summaries, table_summary
from webapp.game_status import GameStatus
from webapp.rights import GameRight, Relation
from webapp.services.notifications.email_context import (
    ModeratorActContext,
    PlayerLeftContext,
    SeatOfferContext,
    TableCancelledContext,
    VoteContext,
)
from webapp.services.play.public_change import PublicFacts
from webapp.services.play.shown_acts import ShownAct
from webapp.services.play.vote_rules import ShownVote, VoteKind


def shown_act(act: GameRight = GameRight.EXTEND, **changed_fields: Any) -> ShownAct:
    """Return an act of a site moderator on Anna's turn."""
    defaults: dict[str, Any] = {
        "id": 1,
        "at": NOW - timedelta(minutes=1),
        "act": act,
        "acted_as": Relation.SITE_MODERATOR,
        "actor_name": "Mo",
        "seat": 0,
        "name": "Anna",
        "seq": 20,
        "before": PublicFacts(deadline_at=NOW + timedelta(hours=2)),
        "after": PublicFacts(deadline_at=NOW + timedelta(days=2, hours=2)),
        "reason": "Anna asked for more time: her train is late.",
        "is_undoing": False,
        "is_undone": False,
    }
    return ShownAct(**(defaults | changed_fields))


def moderator_act(**changed_fields: Any) -> ModeratorActContext:
    defaults: dict[str, Any] = {
        "envelope": envelope_for("moderator-act"),
        "table": table_summary(game_after_turns(20)),
        "act": shown_act(),
    }
    return ModeratorActContext(**(defaults | changed_fields))


def table_cancelled_context(**changed_fields: Any) -> TableCancelledContext:
    defaults: dict[str, Any] = {
        "envelope": envelope_for("table-cancelled", name=""),
        "table": table_summary(taken=4, status=GameStatus.CANCELLED),
        "is_seated": False,
    }
    return TableCancelledContext(**(defaults | changed_fields))


def shown_vote(**changed_fields: Any) -> ShownVote:
    """Return Bob's proposal to end the game, to which two of four have agreed."""
    defaults: dict[str, Any] = {
        "id": 7,
        "kind": VoteKind.SHORTEN,
        "seat": 1,
        "round": 2,
        "expires_at": NOW + timedelta(days=3),
        "outcome": None,
        "agreed_count": 2,
        "voter_count": 4,
        "may_answer": True,
    }
    return ShownVote(**(defaults | changed_fields))


def vote_opened_context(**changed_fields: Any) -> VoteContext:
    defaults: dict[str, Any] = {
        "envelope": envelope_for("vote-opened"),
        "table": table_summary(game_after_turns(20)),
        "seats": seat_summaries(4),
        "vote": shown_vote(),
    }
    return VoteContext(**(defaults | changed_fields))


def vote_ended_context(**changed_fields: Any) -> VoteContext:
    defaults: dict[str, Any] = {
        "envelope": envelope_for("vote-ended"),
        "vote": shown_vote(outcome="rejected"),
    }
    return vote_opened_context(**(defaults | changed_fields))


def player_left_context(**changed_fields: Any) -> PlayerLeftContext:
    defaults: dict[str, Any] = {
        "envelope": envelope_for("player-left"),
        "table": table_summary(game_after_turns(20)),
        "seat": 2,
    }
    return PlayerLeftContext(**(defaults | changed_fields))


def seat_offer_context(**changed_fields: Any) -> SeatOfferContext:
    defaults: dict[str, Any] = {
        "envelope": envelope_for("seat-offer", name=""),
        "table": table_summary(game_after_turns(20)),
        "seats": seat_summaries(4, me=None),
        "seat": 2,
        "offerer": "Mo",
        "token": "offer-token",
        "expires_at": NOW + timedelta(days=7),
    }
    return SeatOfferContext(**(defaults | changed_fields))
