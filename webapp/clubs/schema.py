"""Tables of clubs: who belongs to one, who is invited, its seasons and its announcements."""

from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, Text, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from webapp.kernel.schema import Base, generated_id


class Club(Base):
    __tablename__ = "club"

    id: Mapped[int] = generated_id()
    slug: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]
    name_skeletons: Mapped[list[str]] = mapped_column(ARRAY(Text))
    """What the name looks like: clubs with one in common have names that are easily confused."""
    description: Mapped[str]
    is_public: Mapped[bool]
    """Whether everyone may see the club's page and ask to join."""
    created_at: Mapped[datetime]
    closed_at: Mapped[datetime | None]
    rulebook: Mapped[str]
    house: Mapped[dict[str, Any]] = mapped_column(JSONB)
    allowance: Mapped[timedelta]
    """Rulebook, house rules and time per turn with which the form of a new table in this club begins."""
    pace: Mapped[dict[str, Any]] = mapped_column(JSONB, server_default=text("'{}'::jsonb"))
    """The rest of the pace with which it begins, as in a game."""
    late_rules: Mapped[dict[str, Any]] = mapped_column(JSONB)
    """The rules about late and absent players with which it begins, as in a game."""
    language: Mapped[str]
    """The language for people whose own is not known."""
    who_may_open: Mapped[str]

    __table_args__ = (
        CheckConstraint("who_may_open IN ('members', 'moderators')", name="who_may_open"),
        Index(
            "club_public",
            "created_at",
            postgresql_where=text("is_public AND closed_at IS NULL"),
        ),
        Index(
            "club_name_skeletons",
            "name_skeletons",
            postgresql_using="gin",
            postgresql_where=text("closed_at IS NULL"),
        ),
    )


class Membership(Base):
    """A person in a club, or one who has asked to join it."""

    __tablename__ = "membership"

    id: Mapped[int] = generated_id()
    """Identifies the member on the pages of the club, where ids of accounts are never shown."""
    club_id: Mapped[int] = mapped_column(ForeignKey("club.id"))
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"), index=True)
    rank: Mapped[str] = mapped_column(server_default=text("'member'"))
    status: Mapped[str]
    joined_at: Mapped[datetime]
    """When they joined, or asked to."""
    wants_announcements: Mapped[bool] = mapped_column(server_default=text("true"))
    wants_requests: Mapped[bool] = mapped_column(server_default=text("true"))
    """Whether a founder or moderator gets an email when someone asks to join."""

    __table_args__ = (
        UniqueConstraint("club_id", "account_id"),
        CheckConstraint("rank IN ('founder', 'moderator', 'member')", name="rank"),
        CheckConstraint("status IN ('asked', 'member')", name="status"),
        CheckConstraint("status = 'member' OR rank = 'member'", name="asked"),
        Index(
            "membership_founder", "club_id", unique=True, postgresql_where=text("rank = 'founder'")
        ),
    )


class ClubInvitation(Base):
    """An invitation to a club: by email for one person, or (without an address) the club's own link."""

    __tablename__ = "club_invitation"

    id: Mapped[int] = generated_id()
    club_id: Mapped[int] = mapped_column(ForeignKey("club.id"), index=True)
    nonce: Mapped[bytes]
    token_hash: Mapped[bytes] = mapped_column(unique=True)
    address: Mapped[str | None]
    invited_by: Mapped[int] = mapped_column(ForeignKey("account.id"))
    invited_at: Mapped[datetime]
    accepted_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))

    __table_args__ = (Index(None, "invited_by", "invited_at"),)


class Season(Base):
    """A span of days, both included, whose finished games make one table of standings."""

    __tablename__ = "season"

    id: Mapped[int] = generated_id()
    club_id: Mapped[int] = mapped_column(ForeignKey("club.id"), index=True)
    name: Mapped[str]
    starts_on: Mapped[date]
    ends_on: Mapped[date]

    __table_args__ = (CheckConstraint("starts_on <= ends_on", name="days"),)


class ClubAnnouncement(Base):
    __tablename__ = "club_announcement"

    id: Mapped[int] = generated_id()
    club_id: Mapped[int] = mapped_column(ForeignKey("club.id"))
    author_id: Mapped[int] = mapped_column(ForeignKey("account.id"))
    text: Mapped[str]
    announced_at: Mapped[datetime]

    __table_args__ = (Index(None, "club_id", "announced_at"),)
