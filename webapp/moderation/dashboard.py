"""The moderators' list of games: stuck games first, each with its cause and the acts that may help."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

import msgspec

from webapp.accounts.person import Person
from webapp.accounts.relations import require_site_right, site_relations
from webapp.clock.pace.calendar import lies_ahead
from webapp.clubs.access import find_club
from webapp.clubs.queries.clubs import ClubRow
from webapp.kernel.database import is_storable
from webapp.kernel.game_status import GameStatus
from webapp.kernel.redacted import Redacted
from webapp.kernel.refusals import FieldError, FieldErrors, NotFound
from webapp.kernel.rights import GameRight, SiteRight, TableKind, has_game_right, has_site_right
from webapp.kernel.statements import lock_count
from webapp.kernel.tx import Tx
from webapp.moderation.causes import WaitCause, WaitFacts, cause_of, helpful_acts
from webapp.moderation.queries import game_filter as filter_choices
from webapp.moderation.queries import game_list
from webapp.moderation.queries.game_filter import (
    ClubChoice,
    GameFilter,
    ListPosition,
    SavedFilterRow,
)
from webapp.moderation.queries.game_list import RANK_OF_PAUSE, FoundPerson, ListedGame
from webapp.operations.health import SiteHealth, site_health

MAX_NAME_LENGTH: Final = 40
_MOST_FILTERS: Final = 20


PAGE_SIZE: Final = 50
LIST_STATES_BY_FILTER: Final[dict[str, frozenset[str]]] = {
    "stuck": frozenset({"server", "email", "seat", "paused"}),
    "server": frozenset({"server"}),
    "email": frozenset({"email"}),
    "seat": frozenset({"seat"}),
    "paused": frozenset({"paused"}),
    "waiting": frozenset({"waiting"}),
    "lobby": frozenset({"lobby"}),
    "over": frozenset({"over"}),
}
"""The choices of the filter, and which states of the list each stands for."""
_HOUR: Final = timedelta(hours=1)
TURN_TIME_LIMITS_BY_PACE: Final[dict[str, tuple[timedelta | None, timedelta | None]]] = {
    "brisk": (None, 12 * _HOUR),
    "daily": (12 * _HOUR, 36 * _HOUR),
    "relaxed": (36 * _HOUR, 96 * _HOUR),
    "slow": (96 * _HOUR, None),
}
"""Limits of the time for a turn; the shorter one is excluded."""
_MAX_SEARCH_LENGTH: Final = 100
_ADDRESS_PATTERN: Final = re.compile(r"\S+@\S+")
_MICROSECOND: Final = timedelta(microseconds=1)
_EPOCH: Final = datetime.fromtimestamp(0, UTC)


class DashboardQuery(NamedTuple):
    """What a moderator asks for, as given in the address of the page."""

    search: str = ""
    state: str = ""
    pace: str = ""
    club: str = ""
    after: str = ""


class GameLine(Redacted, frozen=True, kw_only=True):
    """A game of the list."""

    game: ListedGame
    status: GameStatus
    allowance: timedelta
    cause: WaitCause
    acts: tuple[GameRight, ...]
    is_stuck: bool


class Dashboard(Redacted, frozen=True, kw_only=True):
    """A page of the list, and what stands above it."""

    query: DashboardQuery
    club_name: str | None
    """Of the club that the list is limited to."""
    lines: tuple[GameLine, ...]
    next_page_position: str | None
    """Where the next page begins; None on the last one."""
    people: tuple[FoundPerson, ...]
    saved_filters: tuple[SavedFilterRow, ...]
    clubs: tuple[ClubChoice, ...]
    """To which a site moderator can limit the list; the club of the present list is among them."""
    waiting_report_count: int
    is_site_wide: bool
    """Whether the viewer moderates the whole site, and not only a club."""
    health: SiteHealth | None
    """Of the whole site; not shown with the games of one club or with what a search found."""


def dashboard(tx: Tx, viewer: Person, query: DashboardQuery) -> Dashboard:
    """Return the games that a moderator asks for. Raises NotFound if the viewer may not moderate all of them."""
    club = _moderated_club(tx, viewer, query.club)
    if club is None:
        require_site_right(viewer, SiteRight.VIEW_DASHBOARD)
    is_site_wide = has_site_right(SiteRight.VIEW_DASHBOARD, site_relations(viewer))
    game_filter = _filter_of(query, viewer, club)._replace(is_site_wide=is_site_wide)
    page = game_list.read_page(
        tx,
        game_filter,
        after=_list_position_from(query.after),
        limit=PAGE_SIZE + 1,
    )
    shown_games = page.games[:PAGE_SIZE]
    has_more = len(page.games) > PAGE_SIZE
    return Dashboard(
        query=query,
        club_name=None if club is None else club.name,
        lines=tuple(_game_line(game, tx.now, is_site_wide=is_site_wide) for game in shown_games),
        next_page_position=_list_position_of(shown_games[-1]) if has_more else None,
        people=page.people,
        saved_filters=page.saved_filters,
        clubs=_club_choices(page.clubs, club) if is_site_wide else (),
        waiting_report_count=page.waiting_report_count if is_site_wide else 0,
        is_site_wide=is_site_wide,
        health=site_health(tx) if club is None and not game_filter.text else None,
    )


def _moderated_club(tx: Tx, viewer: Person, slug: str) -> ClubRow | None:
    """Return the club that the list is limited to, if it is. Raises NotFound unless the viewer moderates it."""
    if not slug:
        return None
    access = find_club(tx, slug, viewer)
    if not has_game_right(GameRight.VIEW_GAME_STATUS, TableKind.CLUB, access.relations):
        raise NotFound
    return access.club


def _club_choices(
    clubs: tuple[ClubChoice, ...], chosen_club: ClubRow | None
) -> tuple[ClubChoice, ...]:
    if chosen_club is None or any(club.slug == chosen_club.slug for club in clubs):
        return clubs
    return (ClubChoice(chosen_club.slug, chosen_club.name), *clubs)


def _filter_of(query: DashboardQuery, viewer: Person, club: ClubRow | None) -> GameFilter:
    min_allowance, max_allowance = TURN_TIME_LIMITS_BY_PACE.get(query.pace, (None, None))
    text = " ".join(query.search.split())[:_MAX_SEARCH_LENGTH]
    return GameFilter(
        viewer_id=viewer.id,
        states=LIST_STATES_BY_FILTER.get(query.state, frozenset()),
        text=text if text and text.isprintable() else None,
        min_allowance=min_allowance,
        max_allowance=max_allowance,
        club_id=None if club is None else club.id,
    )


def redact_addresses(answer: str | None) -> str | None:
    """Return the answer of a relay for readers who may not see addresses, which relays like to repeat."""
    return None if answer is None else _ADDRESS_PATTERN.sub("…", answer)


def _game_line(game: ListedGame, now: datetime, *, is_site_wide: bool) -> GameLine:
    cause = cause_of(wait_facts(game, now))
    if not is_site_wide:
        reason = redact_addresses(game.turn_email_reason)
        game = msgspec.structs.replace(game, turn_email_reason=reason)
    return GameLine(
        game=game,
        status=GameStatus(game.status),
        allowance=timedelta(seconds=game.allowance_seconds),
        cause=cause,
        acts=helpful_acts(cause),
        is_stuck=game.rank <= RANK_OF_PAUSE,
    )


def wait_facts(game: ListedGame, now: datetime) -> WaitFacts:
    """Return what decides the cause of a game of the list."""
    return WaitFacts(
        now=now,
        status=GameStatus(game.status),
        is_on_hold=game.is_on_hold,
        has_player=game.player_name is not None,
        awaiting_bot=game.awaiting_bot,
        is_banned=lies_ahead(game.banned_until, now=now),
        started_at=game.started_at,
        deadline_at=game.deadline_at,
        wake_at=game.wake_at,
        turn_email_status=game.turn_email_status,
        turn_email_reason=game.turn_email_reason,
        turn_email_due_at=game.turn_email_due_at,
        was_reminded=game.reminder_status == "sent",
    )


def _list_position_of(game: ListedGame) -> str:
    return f"{game.rank}-{(game.since - _EPOCH) // _MICROSECOND}-{game.slug}"


def _list_position_from(text: str) -> ListPosition | None:
    """Return the place that an address names; None, the beginning, if it names none."""
    rank, _, since_and_slug = text.partition("-")
    since, _, slug = since_and_slug.partition("-")
    if not (rank.isascii() and rank.isdigit() and since.isascii() and since.isdigit()):
        return None
    if len(rank) > 1 or len(since) > len("9999999999999999") or not is_storable(slug):
        return None
    return ListPosition(int(rank), _EPOCH + int(since) * _MICROSECOND, slug)


def save_filter(tx: Tx, viewer: Person, *, name: str, path: str) -> None:
    """Save the address of a filtered list. Raises NotFound, and FieldErrors for ``name``."""
    require_site_right(viewer, SiteRight.VIEW_DASHBOARD)
    if len(name) > MAX_NAME_LENGTH:
        raise FieldErrors(FieldError("name", "too-long", {"max": MAX_NAME_LENGTH}))
    lock_count(tx, "filters", viewer.id)
    if filter_choices.count(tx, viewer.id) >= _MOST_FILTERS:
        raise FieldErrors(FieldError("name", "too-many", {"max": _MOST_FILTERS}))
    filter_choices.save_filter(tx, viewer.id, name=name, query=path)


def delete_filter(tx: Tx, viewer: Person, number: int) -> None:
    """Delete one of the moderator's own filters. Raises NotFound if the viewer is no moderator."""
    require_site_right(viewer, SiteRight.VIEW_DASHBOARD)
    filter_choices.remove_filter(tx, viewer.id, number)
