"""What the page of a club shows: to its members everything, to others what is public."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

import msgspec

from engine.rulebook import HouseRules
from webapp.accounts.person import Person, Viewer
from webapp.clock.pace.pace import LateRules, Pace, late_rules_from, pace_from
from webapp.clubs.access import ClubAccess, club_for, may_open_tables, require_club_right
from webapp.clubs.founding import needs_reason
from webapp.clubs.queries import games
from webapp.clubs.queries.announcements import AnnouncementRow
from webapp.clubs.queries.clubs import ClubRow
from webapp.clubs.queries.games import ClubGameRow
from webapp.clubs.queries.seasons import SeasonRow, StandingRow, standings
from webapp.kernel.redacted import Redacted
from webapp.kernel.refusals import NotFound
from webapp.kernel.rights import ClubRight, GameRight, TableKind, has_game_right
from webapp.kernel.tx import Tx

_MOST_GAMES: Final = 20
"""Games of each kind that the page lists."""
_MAX_STANDINGS_ROWS: Final = 200
ALL_TIME_SEASON_ID: Final = 0
"""Stands for all seasons together where a season is chosen."""


class ClubCard(Redacted, frozen=True, kw_only=True):
    """A club as everyone who may see it sees it."""

    slug: str
    name: str
    description: str
    is_public: bool
    is_closed: bool
    language: str
    member_count: int
    rulebook: str
    house: HouseRules
    pace: Pace
    late_rules: LateRules
    who_may_open: str


class GameGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Games of one kind, and how many there are besides those that are listed."""

    games: tuple[ClubGameRow, ...] = ()
    unlisted_count: int = 0


class ClubPage(Redacted, frozen=True, kw_only=True):
    me: Person | None
    club: ClubCard
    is_member: bool
    is_founder: bool
    has_requested: bool
    join_request_count: int
    """How many people ask to join; 0 for those who may not answer."""
    wants_announcements: bool
    wants_requests: bool
    permitted_rights: frozenset[str]
    may_open_tables: bool
    may_moderate_games: bool
    announcements: tuple[AnnouncementRow, ...]
    seasons: tuple[SeasonRow, ...]
    season: SeasonRow | None
    """The season of the standings; None for all games."""
    standings: tuple[StandingRow, ...]
    open_tables: GameGroup
    running_games: GameGroup
    finished_games: GameGroup


class SettingsPage(Redacted, frozen=True, kw_only=True):
    me: Person
    club: ClubCard
    permitted_rights: frozenset[str]
    needs_reason: bool
    """Whether the viewer may close the club only as a site moderator, who states a reason."""
    seasons: tuple[SeasonRow, ...]


def settings_page(access: ClubAccess) -> SettingsPage:
    """Return what the moderators of a club can change. The club is loaded in mode "show". Raises NotAllowed."""
    may_close = access.has_right(ClubRight.CLOSE_CLUB)
    me = require_club_right(access, ClubRight.CLOSE_CLUB if may_close else ClubRight.EDIT_CLUB)
    return SettingsPage(
        me=me,
        club=club_card(access.club),
        permitted_rights=permitted_rights(access),
        needs_reason=needs_reason(access, ClubRight.CLOSE_CLUB),
        seasons=access.seasons,
    )


def club_page(tx: Tx, slug: str, viewer: Viewer, *, season_id: int | None = None) -> ClubPage:
    """Return the page with the standings of a season, by default the current one. Raises NotFound."""
    access = club_for(tx, slug, viewer, mode="show")
    season = _chosen_season(access.seasons, season_id, tx.now.astimezone(UTC).date())
    groups = _game_groups(tx, access)
    since, before = _period_of(season)
    membership = access.membership
    return ClubPage(
        me=access.me,
        club=club_card(access.club),
        is_member=access.is_member,
        is_founder=membership is not None and membership.rank == "founder",
        has_requested=access.has_requested,
        join_request_count=access.club.join_request_count
        if access.has_right(ClubRight.ADMIT_MEMBER)
        else 0,
        wants_announcements=membership is not None and membership.wants_announcements,
        wants_requests=membership is not None and membership.wants_requests,
        permitted_rights=permitted_rights(access),
        may_open_tables=may_open_tables(access),
        may_moderate_games=has_game_right(
            GameRight.VIEW_GAME_STATUS, TableKind.CLUB, access.relations
        ),
        announcements=access.announcements if access.has_right(ClubRight.VIEW_MEMBERS) else (),
        seasons=access.seasons,
        season=season,
        standings=standings(
            tx, access.club.id, since=since, before=before, limit=_MAX_STANDINGS_ROWS
        ),
        open_tables=groups.get("open", GameGroup()),
        running_games=groups.get("running", GameGroup()),
        finished_games=groups.get("finished", GameGroup()),
    )


def club_card(row: ClubRow) -> ClubCard:
    return ClubCard(
        slug=row.slug,
        name=row.name,
        description=row.description,
        is_public=row.is_public,
        is_closed=row.closed_at is not None,
        language=row.language,
        member_count=row.member_count,
        rulebook=row.rulebook,
        house=msgspec.convert(row.house, HouseRules),
        pace=pace_from(row.pace_fields, row.allowance),
        late_rules=late_rules_from(row.late_rule_fields),
        who_may_open=row.who_may_open,
    )


def permitted_rights(access: ClubAccess) -> frozenset[str]:
    """Return the rights that the viewer has in this club now: exactly what the use cases accept."""
    return frozenset(right.value for right in ClubRight if access.has_right(right))


def _chosen_season(
    seasons: Sequence[SeasonRow], season_id: int | None, today: date
) -> SeasonRow | None:
    """Return the season with this id, or the current one. Raises NotFound for a season of another club."""
    if season_id is None:
        current_seasons = (
            season for season in seasons if season.starts_on <= today <= season.ends_on
        )
        return next(current_seasons, None)
    if season_id == ALL_TIME_SEASON_ID:
        return None
    for season in seasons:
        if season.id == season_id:
            return season
    raise NotFound


def _period_of(season: SeasonRow | None) -> tuple[datetime | None, datetime | None]:
    """Return the first instant of a season, and the first after it; days are those of UTC."""
    if season is None:
        return None, None
    begins_at = datetime.combine(season.starts_on, time(), UTC)
    return begins_at, datetime.combine(season.ends_on, time(), UTC) + timedelta(days=1)


def _game_groups(tx: Tx, access: ClubAccess) -> dict[str, GameGroup]:
    rows = games.games_of_club(
        tx,
        access.club.id,
        account_id=None if access.me is None else access.me.id,
        is_member=access.is_member,
        limit=_MOST_GAMES,
    )
    shown_games: dict[str, list[ClubGameRow]] = {}
    totals: dict[str, int] = {}
    for row in rows:
        totals[row.group] = row.total
        if row.is_shown:
            shown_games.setdefault(row.group, []).append(row)
    return {
        group: GameGroup(
            games=tuple(shown_games.get(group, ())),
            unlisted_count=total - len(shown_games.get(group, ())),
        )
        for group, total in totals.items()
    }
