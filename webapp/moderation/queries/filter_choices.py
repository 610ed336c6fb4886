"""What a moderator can limit the list of games to with one press: a club, or a filter that they have saved."""

from typing import Any, Final

from sqlalchemy import Select, delete, func, select
from sqlalchemy.dialects import postgresql

from webapp.clubs.schema import Club
from webapp.kernel.tx import Tx
from webapp.moderation.queries.person_rows import RedactedRow
from webapp.moderation.schema import SavedFilter

_MOST_CLUBS: Final = 200


class ClubChoice(RedactedRow, frozen=True, array_like=True):
    """A club to which the list can be limited."""

    slug: str
    name: str


class SavedFilterRow(RedactedRow, frozen=True, array_like=True):
    """A query that the moderator has named."""

    id: int
    name: str
    query: str


def saved_filters(account_id: int) -> Select[Any]:
    """Return a query of the filters that this moderator has saved, by name."""
    columns: tuple[Any, ...] = (SavedFilter.id, SavedFilter.name, SavedFilter.query)
    return (
        select(*columns)
        .where(SavedFilter.account_id == account_id)
        .order_by(func.lower(SavedFilter.name), SavedFilter.id)
    )


def open_clubs() -> Select[Any]:
    """Return a query of the clubs that are not closed, by name."""
    columns: tuple[Any, ...] = (Club.slug, Club.name)
    return (
        select(*columns)
        .where(Club.closed_at.is_(None))
        .order_by(func.lower(Club.name), Club.id)
        .limit(_MOST_CLUBS)
    )


def count(tx: Tx, account_id: int) -> int:
    """Return how many filters a person has saved."""
    own_filters = SavedFilter.account_id == account_id
    filter_count: int = tx.execute(
        select(func.count()).select_from(SavedFilter).where(own_filters)
    ).scalar_one()
    return filter_count


def save_filter(tx: Tx, account_id: int, *, name: str, query: str) -> None:
    """Save a filter; one of the same name is replaced."""
    tx.execute(
        postgresql.insert(SavedFilter)
        .values(account_id=account_id, name=name, query=query)
        .on_conflict_do_update(constraint="saved_filter_name", set_={"query": query})
    )


def remove_filter(tx: Tx, account_id: int, number: int) -> None:
    """Delete a filter of this person; do nothing if it is not theirs."""
    tx.execute(
        delete(SavedFilter).where(SavedFilter.id == number, SavedFilter.account_id == account_id)
    )
