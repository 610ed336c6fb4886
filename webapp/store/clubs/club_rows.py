"""What is read of a club, as values."""

from datetime import date, datetime, timedelta
from typing import Any

from webapp.store.redacted import Redacted


class MembershipRow(Redacted, frozen=True):
    """A person in a club, or one who asks to join; ``name`` is empty once the account was deleted."""

    id: int
    account_id: int
    name: str
    rank: str
    status: str
    joined_at: datetime
    wants_announcements: bool
    wants_requests: bool
    """Whether they get an email when someone asks to join, if they may answer."""


class ClubRow(Redacted, frozen=True):
    """A club with the number of its people."""

    id: int
    slug: str
    name: str
    description: str
    is_public: bool
    created_at: datetime
    closed_at: datetime | None
    rulebook: str
    house: dict[str, Any]
    allowance: timedelta
    pace_fields: dict[str, Any]
    late_rule_fields: dict[str, Any]
    language: str
    who_may_open: str
    member_count: int
    join_request_count: int
    """How many people ask to join."""


class SeasonRow(Redacted, frozen=True, array_like=True):
    id: int
    name: str
    starts_on: date
    ends_on: date


class AnnouncementRow(Redacted, frozen=True, array_like=True):
    """``author`` is the name of who wrote it, empty once the account was deleted."""

    id: int
    text: str
    author: str
    announced_at: datetime
