"""Filters of the dashboard that moderators have saved under a name; each belongs to one person."""

from sqlalchemy import Connection, delete, func, select
from sqlalchemy.dialects import postgresql

from webapp.store.schema.moderation import SavedFilter


def count(connection: Connection, account_id: int) -> int:
    """Return how many filters a person has saved."""
    own_filters = SavedFilter.account_id == account_id
    filter_count: int = connection.execute(
        select(func.count()).select_from(SavedFilter).where(own_filters)
    ).scalar_one()
    return filter_count


def save_filter(connection: Connection, account_id: int, *, name: str, query: str) -> None:
    """Save a filter; one of the same name is replaced."""
    connection.execute(
        postgresql.insert(SavedFilter)
        .values(account_id=account_id, name=name, query=query)
        .on_conflict_do_update(constraint="saved_filter_name", set_={"query": query})
    )


def remove_filter(connection: Connection, account_id: int, number: int) -> None:
    """Delete a filter of this person; do nothing if it is not theirs."""
    connection.execute(
        delete(SavedFilter).where(SavedFilter.id == number, SavedFilter.account_id == account_id)
    )
