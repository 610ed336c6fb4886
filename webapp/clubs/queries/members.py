"""Members of clubs and people who ask to join. Every change needs the club locked."""

from datetime import datetime
from typing import Any

from sqlalchemy import Select, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert

from webapp.accounts.schema import Account
from webapp.clubs.schema import Club, Membership
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx

_COLUMNS = (
    Membership.id,
    Membership.account_id,
    Account.name,
    Membership.rank,
    Membership.status,
    Membership.joined_at,
    Membership.wants_announcements,
    Membership.wants_requests,
)


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


def add(
    tx: Tx,
    club_id: int,
    account_id: int,
    *,
    rank: str = "member",
    status: str = "member",
) -> None:
    """Store a member, or a person who asks to join; someone who asked before becomes a member."""
    values = {"rank": rank, "status": status, "joined_at": tx.now}
    tx.execute(
        insert(Membership)
        .values(club_id=club_id, account_id=account_id, **values)
        .on_conflict_do_update(index_elements=["club_id", "account_id"], set_=values)
    )


def members_of_club(tx: Tx, club_id: int) -> tuple[MembershipRow, ...]:
    """Return everyone in the club and everyone who asks to join, by time."""
    rows = tx.execute(
        _members_select()
        .where(Membership.club_id == club_id)
        .order_by(Membership.joined_at, Membership.id)
    )
    return tuple(MembershipRow(*row) for row in rows)


def find(tx: Tx, club_id: int, membership_id: int) -> MembershipRow | None:
    """Return one member of this club by the membership's id."""
    row = tx.execute(
        _members_select().where(Membership.club_id == club_id, Membership.id == membership_id)
    ).first()
    return None if row is None else MembershipRow(*row)


def accept(tx: Tx, membership_id: int) -> None:
    """Make a person who asks to join a member."""
    _change_membership(tx, membership_id, status="member", joined_at=tx.now)


def set_rank(tx: Tx, membership_id: int, rank: str) -> None:
    _change_membership(tx, membership_id, rank=rank)


def demote_founder(tx: Tx, club_id: int) -> None:
    """Make the founder a moderator, so that another member can become the founder."""
    tx.execute(
        update(Membership)
        .where(Membership.club_id == club_id, Membership.rank == "founder")
        .values(rank="moderator")
    )


def set_wanted_emails(tx: Tx, membership_id: int, *, announcements: bool, requests: bool) -> None:
    _change_membership(
        tx, membership_id, wants_announcements=announcements, wants_requests=requests
    )


def remove_member(tx: Tx, membership_id: int) -> None:
    tx.execute(delete(Membership).where(Membership.id == membership_id))


def remove_all_join_requests(tx: Tx, club_id: int) -> None:
    """Delete all requests to join a club."""
    tx.execute(
        delete(Membership).where(Membership.club_id == club_id, Membership.status == "asked")
    )


def rank_in_club(tx: Tx, club_id: int, account_id: int) -> str | None:
    """Return the rank of a member, or None for someone who is none."""
    return tx.execute(
        select(Membership.rank)
        .where(Membership.club_id == club_id, Membership.account_id == account_id)
        .where(Membership.status == "member")
    ).scalar_one_or_none()


def count_clubs_of_account(tx: Tx, account_id: int, *, rank: str | None = None) -> int:
    """Return the number of open clubs that an account is in or asks to join, or in which it has this rank."""
    query = (
        select(func.count())
        .select_from(Membership)
        .join(Club, Club.id == Membership.club_id)
        .where(Membership.account_id == account_id, Club.closed_at.is_(None))
    )
    if rank is not None:
        query = query.where(Membership.rank == rank)
    return tx.execute(query).scalar_one()


def accounts_wanting_announcements(
    tx: Tx, club_id: int, *, excluded_account_id: int
) -> tuple[int, ...]:
    """Return the accounts of all members who want announcements by email, except one."""
    rows = tx.execute(
        select(Membership.account_id)
        .where(Membership.club_id == club_id, Membership.status == "member")
        .where(Membership.wants_announcements, Membership.account_id != excluded_account_id)
        .order_by(Membership.account_id)
    )
    return tuple(rows.scalars())


def accounts_wanting_requests(tx: Tx, club_id: int) -> tuple[int, ...]:
    """Return the accounts of the founder and the moderators who want an email when someone asks to join."""
    rows = tx.execute(
        select(Membership.account_id)
        .where(Membership.club_id == club_id, Membership.rank != "member")
        .where(Membership.wants_requests)
        .order_by(Membership.account_id)
    )
    return tuple(rows.scalars())


def _members_select() -> Select[*tuple[Any, ...]]:
    return select(*_COLUMNS).join(Account, Account.id == Membership.account_id)


def _change_membership(tx: Tx, membership_id: int, **values: object) -> None:
    tx.execute(update(Membership).where(Membership.id == membership_id).values(values))
