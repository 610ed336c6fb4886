"""Who may open tables in a club."""

from typing import Final

from webapp.services.accounts.person import Person
from webapp.services.clubs.access import ClubAccess
from webapp.services.errors import FieldError, FieldErrors
from webapp.services.tx import Tx
from webapp.store.clubs import clubs, members

_MODERATING_RANKS: Final = frozenset({"founder", "moderator"})


def rank_may_open(rank: str, who_may_open: str) -> bool:
    """Return whether a member of this rank may open tables where the club's setting is this."""
    return who_may_open == "members" or rank in _MODERATING_RANKS


def may_open_tables(access: ClubAccess) -> bool:
    """Return whether the viewer may open a table in this club."""
    if access.club.closed_at is not None or access.membership is None or not access.is_member:
        return False
    return rank_may_open(access.membership.rank, access.club.who_may_open)


def club_id_for_table(tx: Tx, person: Person, slug: str) -> int | None:
    """Return the id of the club in which a table is opened, and lock the club; None for no club.

    Raises FieldErrors for a club where this person may not open tables, whether or not there is such a club.
    """
    if not slug:
        return None
    open_club = (
        clubs.lock_for_table(tx.connection, slug) if slug.isascii() and slug.isalnum() else None
    )
    rank = (
        None if open_club is None else members.rank_in_club(tx.connection, open_club.id, person.id)
    )
    if open_club is None or rank is None or not rank_may_open(rank, open_club.who_may_open):
        raise FieldErrors(FieldError("club", "unknown"))
    return open_club.id
