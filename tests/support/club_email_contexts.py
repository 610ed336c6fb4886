"""Contexts of the emails about clubs."""

from typing import Any

from tests.support.email_envelopes import envelope_for
from webapp.services.notifications.email_context import (
    ClubActContext,
    ClubAnnouncementContext,
    ClubAnswerContext,
    ClubInvitationContext,
    ClubRequestContext,
)
from webapp.services.notifications.email_envelope import UnsubscribeTokens


def club_invitation_context(**changed_fields: Any) -> ClubInvitationContext:
    defaults: dict[str, Any] = {
        "envelope": envelope_for("club-invitation", name="", root_id=None, list_id=None),
        "club": "Night shift",
        "description": "We dig on Tuesdays.",
        "inviter": "Bob",
        "token": "invitation-token",
    }
    return ClubInvitationContext(**(defaults | changed_fields))


def club_announcement_context(**changed_fields: Any) -> ClubAnnouncementContext:
    envelope = envelope_for(
        "club-announcement",
        root_id=None,
        list_id="k7h2m.clubs.example",
        unsubscribe=UnsubscribeTokens(club="club-token", everything="all-token"),
    )
    defaults: dict[str, Any] = {
        "envelope": envelope,
        "club": "Night shift",
        "slug": "k7h2m",
        "author": "Bob",
        "text": "The winter season begins.\n\nBring a lantern.",
    }
    return ClubAnnouncementContext(**(defaults | changed_fields))


def club_request_context(**changed_fields: Any) -> ClubRequestContext:
    defaults: dict[str, Any] = {
        "envelope": envelope_for(
            "club-request",
            root_id=None,
            list_id=None,
            unsubscribe=UnsubscribeTokens(requests="requests-token", everything="all-token"),
        ),
        "club": "Night shift",
        "slug": "k7h2m",
        "names": ("Dāvis", "Eve"),
        "count": 2,
    }
    return ClubRequestContext(**(defaults | changed_fields))


def club_admitted_context(**changed_fields: Any) -> ClubAnswerContext:
    defaults: dict[str, Any] = {
        "envelope": envelope_for(
            "club-admitted",
            root_id=None,
            list_id=None,
            unsubscribe=UnsubscribeTokens(everything="all-token"),
        ),
        "club": "Night shift",
        "slug": "k7h2m",
    }
    return ClubAnswerContext(**(defaults | changed_fields))


def club_declined_context(**changed_fields: Any) -> ClubAnswerContext:
    unsubscribe = UnsubscribeTokens(everything="all-token")
    envelope = envelope_for("club-declined", root_id=None, list_id=None, unsubscribe=unsubscribe)
    return club_admitted_context(**({"envelope": envelope} | changed_fields))


def club_act_context(**changed_fields: Any) -> ClubActContext:
    defaults: dict[str, Any] = {
        "envelope": envelope_for(
            "club-act",
            root_id=None,
            list_id=None,
            unsubscribe=UnsubscribeTokens(everything="all-token"),
        ),
        "club": "Night shift",
        "slug": "k7h2m",
        "is_closed": False,
        "reason": "Bob hasn't been here for a year.",
    }
    return ClubActContext(**(defaults | changed_fields))
