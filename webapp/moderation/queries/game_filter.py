"""What a moderator asks the list of games for, as conditions on the public columns of games."""

from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    CompoundSelect,
    DateTime,
    Select,
    Text,
    and_,
    bindparam,
    delete,
    exists,
    func,
    or_,
    select,
    true,
    union,
)
from sqlalchemy.dialects import postgresql

from webapp.clubs.schema import Club
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.moderation.queries.public_columns import ACCOUNT, GAME, SEAT
from webapp.moderation.schema import SavedFilter

_MOST_CLUBS: Final = 200


class ClubChoice(Redacted, frozen=True, array_like=True):
    """A club to which the list can be limited."""

    slug: str
    name: str


class SavedFilterRow(Redacted, frozen=True, array_like=True):
    """A query that the moderator has named."""

    id: int
    name: str
    query: str


class ListPosition(NamedTuple):
    """Where a page of the list ends: the next one begins behind it."""

    rank: int
    since: datetime
    slug: str


class GameFilter(NamedTuple):
    """What the list is limited to; None and an empty set limit nothing."""

    viewer_id: int
    """Games in which the moderator sits are never listed: there they are only a player."""
    states: frozenset[str] = frozenset()
    text: str | None = None
    """The beginning of a name, a whole address, or a slug."""
    min_allowance: timedelta | None = None
    max_allowance: timedelta | None = None
    """The limits of the time that players have for a turn; ``min_allowance`` is excluded."""
    club_id: int | None = None
    is_site_wide: bool = True
    """Whether the viewer moderates the whole site: they may find people by their addresses, and see every club."""

    def shape(self) -> "GameFilter":
        """Return the filter without the values that are parameters: filters of the same shape have the same statement."""
        return GameFilter(
            viewer_id=0,
            states=self.states,
            text=None if self.text is None else "",
            min_allowance=None if self.min_allowance is None else timedelta(),
            max_allowance=None if self.max_allowance is None else timedelta(),
            club_id=None if self.club_id is None else 0,
            is_site_wide=self.is_site_wide,
        )


_SEARCH_TEXT: Final[ColumnElement[str]] = bindparam("text", type_=Text)
_SEARCH_TEXT_END: Final[ColumnElement[str]] = bindparam("text_end", type_=Text)
AFTER_SINCE: Final[ColumnElement[datetime]] = bindparam(
    "after_since", type_=DateTime(timezone=True)
)
AFTER_SLUG: Final[ColumnElement[str]] = bindparam("after_slug", type_=Text)
_VIEWER_ID: Final[ColumnElement[int]] = bindparam("viewer_id", type_=BigInteger)
_LAST_CHARACTER: Final = "\U0010ffff"
_MOST_PEOPLE: Final = 10


def filter_conditions(game_filter: GameFilter) -> list[ColumnElement[bool]]:
    """Return the conditions for games that belong to the list, whatever their state."""
    # An alias: the query may join the seat on turn.
    seat = SEAT.alias("seat_of_viewer")
    is_viewer_seated = exists().where(seat.c.game_id == GAME.c.id, seat.c.account_id == _VIEWER_ID)
    found_conditions = [~is_viewer_seated]
    if game_filter.text is not None:
        found_conditions.append(GAME.c.id.in_(_games_found(game_filter)))
    if game_filter.min_allowance is not None:
        found_conditions.append(GAME.c.allowance > bindparam("min_allowance"))
    if game_filter.max_allowance is not None:
        found_conditions.append(GAME.c.allowance <= bindparam("max_allowance"))
    if game_filter.club_id is not None:
        found_conditions.append(GAME.c.club_id == bindparam("club_id"))
    return found_conditions


def parameters(
    game_filter: GameFilter, after: ListPosition | None, *, now: datetime
) -> dict[str, Any]:
    """Return the values of what the conditions and queries of this module leave open."""
    text = game_filter.text or ""
    return {
        "now": now,
        "viewer_id": game_filter.viewer_id,
        "text": text.lower(),
        "text_end": text.lower() + _LAST_CHARACTER,
        "min_allowance": game_filter.min_allowance,
        "max_allowance": game_filter.max_allowance,
        "club_id": game_filter.club_id,
        "after_since": None if after is None else after.since,
        "after_slug": None if after is None else after.slug,
    }


def people_found() -> Select[Any]:
    """Return a query of the people whom the text finds."""
    return (
        select(ACCOUNT.c.ref, ACCOUNT.c.name, ACCOUNT.c.address)
        .where(_has_name_or_address())
        .order_by(func.lower(ACCOUNT.c.name), ACCOUNT.c.id)
        .limit(_MOST_PEOPLE)
    )


def is_after_position(
    rank: int, since: ColumnElement[Any], after_rank: int | None
) -> ColumnElement[bool]:
    """Return the condition for games of one rank that follow a place in the list."""
    if after_rank is None or rank > after_rank:
        return true()
    is_later = or_(since > AFTER_SINCE, GAME.c.slug > AFTER_SLUG)
    return and_(since >= AFTER_SINCE, is_later)


def _games_found(game_filter: GameFilter) -> CompoundSelect[Any]:
    """Return the ids of the games that the text finds; as a union, because no index answers an OR of two tables."""
    other = GAME.alias("game_found")
    return union(
        select(other.c.id).where(other.c.slug == _SEARCH_TEXT), _games_of_people(game_filter)
    )


def _games_of_people(game_filter: GameFilter) -> Select[Any]:
    is_found = _has_name_or_address() if game_filter.is_site_wide else _has_name()
    seats = select(SEAT.c.game_id).join(ACCOUNT, ACCOUNT.c.id == SEAT.c.account_id)
    return seats.where(is_found)


def _has_name_or_address() -> ColumnElement[bool]:
    return or_(func.lower(ACCOUNT.c.address) == _SEARCH_TEXT, _has_name())


def _has_name() -> ColumnElement[bool]:
    """Return the condition that a name begins with the text: as a range, which the index answers for any text."""
    name = func.lower(ACCOUNT.c.name)
    return and_(
        name.op("~>=~", is_comparison=True)(_SEARCH_TEXT),
        name.op("~<~", is_comparison=True)(_SEARCH_TEXT_END),
    )


def saved_filters() -> Select[Any]:
    """Return a query of the filters that the viewer has saved, by name."""
    columns: tuple[Any, ...] = (SavedFilter.id, SavedFilter.name, SavedFilter.query)
    return (
        select(*columns)
        .where(SavedFilter.account_id == _VIEWER_ID)
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
