"""What a moderator can limit the list of games to with one press: a club, or a filter that they have saved."""

from typing import Any, Final

from sqlalchemy import Select, func, select

from webapp.store.moderation.json_rows import RedactedRow
from webapp.store.schema.clubs import Club
from webapp.store.schema.moderation import SavedFilter

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
