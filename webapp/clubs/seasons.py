"""Seasons of a club. Every function needs the club locked."""

from datetime import date
from typing import Final

from webapp.clubs.access import ClubAccess, require_club_right
from webapp.clubs.founding import club_name_and_errors
from webapp.clubs.queries import seasons
from webapp.kernel.refusals import DenialReason, FieldError, FieldErrors, NotAllowed, NotFound
from webapp.kernel.rights import ClubRight
from webapp.kernel.tx import Tx

MOST_SEASONS: Final = 40
_EARLIEST_SEASON_DAY: Final = date(2000, 1, 1)
_LATEST_SEASON_DAY: Final = date(2199, 12, 31)


def add_season(tx: Tx, access: ClubAccess, *, name: str, starts_on: date, ends_on: date) -> None:
    """Store a season. The same season twice is stored once. Raises FieldErrors and NotAllowed."""
    require_club_right(access, ClubRight.MANAGE_SEASONS)
    name, errors = club_name_and_errors(name, field="season_name")
    errors += _day_errors("starts_on", starts_on) + _day_errors("ends_on", ends_on)
    if not errors and ends_on < starts_on:
        errors.append(FieldError("ends_on", "before-start"))
    if errors:
        raise FieldErrors(*errors)
    own_seasons = seasons.seasons_of(tx, access.club.id)
    if any(
        (old.name, old.starts_on, old.ends_on) == (name, starts_on, ends_on) for old in own_seasons
    ):
        return
    if len(own_seasons) >= MOST_SEASONS:
        raise NotAllowed(DenialReason.TOO_MANY_SEASONS)
    seasons.add_season(tx, access.club.id, name=name, starts_on=starts_on, ends_on=ends_on)


def remove_season(tx: Tx, access: ClubAccess, season_id: int) -> None:
    """Delete a season; its games stay. Deleting it twice changes nothing. Raises NotFound for a season of another club."""
    require_club_right(access, ClubRight.MANAGE_SEASONS)
    if seasons.remove_season(tx, access.club.id, season_id):
        return
    if seasons.has_season(tx, season_id):
        raise NotFound


def _day_errors(field: str, day: date) -> list[FieldError]:
    return (
        []
        if _EARLIEST_SEASON_DAY <= day <= _LATEST_SEASON_DAY
        else [FieldError(field, "not-a-date")]
    )
