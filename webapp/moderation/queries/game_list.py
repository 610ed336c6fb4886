"""The list of games that a moderator sees: one page, stuck games first, in one statement.

Where games get stuck: one small query for each cause, which an index answers however many games there are.

A query returns the id of a game, a rank, since when, and its slug. The lower the rank, the more the game needs a moderator.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    CTE,
    BigInteger,
    ColumnElement,
    DateTime,
    FromClause,
    Select,
    Subquery,
    Text,
    and_,
    bindparam,
    exists,
    false,
    func,
    literal,
    literal_column,
    or_,
    select,
    true,
    tuple_,
    union_all,
)
from sqlalchemy.dialects.postgresql import distinct_on

from webapp.clubs.schema import Club
from webapp.kernel.json_columns import decode_rows, rows_column
from webapp.kernel.redacted import Redacted
from webapp.kernel.statements import Statement
from webapp.kernel.tx import Tx
from webapp.moderation.queries.game_filter import (
    AFTER_SINCE,
    AFTER_SLUG,
    ClubChoice,
    GameFilter,
    ListPosition,
    SavedFilterRow,
    filter_conditions,
    is_after_position,
    open_clubs,
    parameters,
    people_found,
    saved_filters,
)
from webapp.moderation.queries.public_columns import (
    ACCOUNT,
    GAME,
    INCONSISTENCY,
    NOTIFICATION,
    SEAT,
)
from webapp.moderation.schema import Report

RANK_OF_SERVER: Final = 0
"""Only the server is at fault: no player can help."""
RANK_OF_PLAYER: Final = 1
"""The player on turn may not know, may not act, or does not exist."""
RANK_OF_PAUSE: Final = 2
RANK_OF_RUNNING: Final = 3
RANK_OF_BOTS: Final = 4
RANK_OF_LOBBY: Final = 5
RANK_OF_OVER: Final = 6

MAX_POSTPONEMENT: Final = timedelta(minutes=6)
"""A game that failed is due again within this time."""
BOT_IS_SLOW_AFTER: Final = timedelta(minutes=2)
EMAIL_IS_LATE_AFTER: Final = timedelta(minutes=10)
"""How old an email that no one has tried to send is when something is wrong."""

NOW: Final[ColumnElement[Any]] = bindparam("now", type_=DateTime(timezone=True))


def _status_is(status: str) -> ColumnElement[bool]:
    """Return the condition as literal text: only then does the planner use the partial indexes."""
    return GAME.c.status == literal_column(f"'{status}'", Text)


IS_RUNNING: Final = _status_is("running")
PERSON_IS_ON_TURN: Final = and_(IS_RUNNING, GAME.c.awaiting_bot == literal_column("false"))
BOT_IS_ON_TURN: Final = and_(IS_RUNNING, GAME.c.awaiting_bot)
WAITING_UNTIL: Final = func.coalesce(GAME.c.deadline_at, GAME.c.wake_at)
"""An index has games in this order."""


def _stuck_games(game_filter: GameFilter, states: frozenset[str], limit: int | None) -> Select[Any]:
    """Return the games with the states asked for; each game once, where it comes first in the list.

    With a limit, so many from each query: more than that are not needed for the first page.
    """
    found_games = union_all(
        *(
            query.where(*filter_conditions(game_filter))
            .order_by("since", "slug")
            .limit(limit)
            .subquery()
            .select()
            for state, queries in _SELECTS_BY_STATE.items()
            if state in states
            for query in queries
        )
    ).subquery("found")
    return (
        select(found_games)
        .ext(distinct_on(found_games.c.id))
        .order_by(found_games.c.id, found_games.c.rank, found_games.c.since)
    )


def _stuck_games_select(rank: int, since: ColumnElement[Any]) -> Select[Any]:
    return select(GAME.c.id, literal(rank).label("rank"), since.label("since"), GAME.c.slug)


def _games_on_hold() -> Select[Any]:
    has_findings = GAME.c.id.in_(select(INCONSISTENCY.c.game_id))
    return _stuck_games_select(RANK_OF_SERVER, GAME.c.turn_started_at).where(
        IS_RUNNING, has_findings
    )


def _games_past_deadline() -> Select[Any]:
    return _stuck_games_select(RANK_OF_SERVER, WAITING_UNTIL).where(
        PERSON_IS_ON_TURN,
        # For the index. A game without a deadline waits until something else.
        WAITING_UNTIL <= NOW,
        GAME.c.deadline_at <= NOW,
        GAME.c.wake_at <= NOW + MAX_POSTPONEMENT,
    )


def _slow_bot() -> Select[Any]:
    return _stuck_games_select(RANK_OF_SERVER, GAME.c.turn_started_at).where(
        BOT_IS_ON_TURN,
        GAME.c.wake_at <= NOW + MAX_POSTPONEMENT,
        GAME.c.turn_started_at <= NOW - BOT_IS_SLOW_AFTER,
    )


def _games_by_email(is_stuck: Callable[[FromClause], ColumnElement[bool]]) -> Select[Any]:
    """Return the games in which an email about the turn is stuck: each once, although a turn can have several."""
    earlier = NOTIFICATION.alias("earlier")
    has_earlier = exists().where(
        earlier.c.game_id == NOTIFICATION.c.game_id,
        earlier.c.seq == NOTIFICATION.c.seq,
        earlier.c.kind == "your-turn",
        is_stuck(earlier),
        tuple_(earlier.c.first_due_at, earlier.c.id)
        < tuple_(NOTIFICATION.c.first_due_at, NOTIFICATION.c.id),
    )
    return (
        _stuck_games_select(RANK_OF_PLAYER, NOTIFICATION.c.first_due_at)
        .join(GAME, GAME.c.id == NOTIFICATION.c.game_id)
        .where(
            NOTIFICATION.c.kind == "your-turn",
            NOTIFICATION.c.seq == GAME.c.turn_seq,
            is_stuck(NOTIFICATION),
            ~has_earlier,
            PERSON_IS_ON_TURN,
        )
    )


def _is_waiting(email: FromClause) -> ColumnElement[bool]:
    waiting_since = func.greatest(email.c.first_due_at, email.c.quiet_until)
    is_late = waiting_since <= NOW - EMAIL_IS_LATE_AFTER
    # One that is postponed for quiet hours is not tried again before they end.
    was_refused = and_(email.c.reason.is_not(None), waiting_since <= NOW)
    return and_(email.c.status == literal_column("'pending'", Text), or_(was_refused, is_late))


def _has_failed(email: FromClause) -> ColumnElement[bool]:
    return email.c.status == literal_column("'failed'", Text)


def _seat_without_player() -> Select[Any]:
    return _seat_on_turn().where(SEAT.c.account_id.is_(None), SEAT.c.bot_name.is_(None))


def _banned_player() -> Select[Any]:
    return (
        _seat_on_turn()
        .join(ACCOUNT, ACCOUNT.c.id == SEAT.c.account_id)
        # Without an index condition Postgres expects as many as were ever banned, and not a third of all accounts.
        .where(
            ACCOUNT.c.banned_until.is_not(None), func.coalesce(ACCOUNT.c.banned_until, NOW) > NOW
        )
    )


def _seat_on_turn() -> Select[Any]:
    return (
        _stuck_games_select(RANK_OF_PLAYER, GAME.c.turn_started_at)
        .select_from(GAME)
        .join(SEAT, and_(SEAT.c.game_id == GAME.c.id, SEAT.c.number == GAME.c.awaiting))
        .where(PERSON_IS_ON_TURN)
    )


def _paused_games() -> Select[Any]:
    return _stuck_games_select(RANK_OF_PAUSE, GAME.c.paused_at).where(_status_is("paused"))


_SELECTS_BY_STATE: Final[Mapping[str, tuple[Select[Any], ...]]] = {
    "server": (_games_on_hold(), _games_past_deadline(), _slow_bot()),
    "email": (_games_by_email(_is_waiting), _games_by_email(_has_failed)),
    "seat": (_seat_without_player(), _banned_player()),
    "paused": (_paused_games(),),
}
STUCK_STATES: Final = frozenset(_SELECTS_BY_STATE)
"""What may be wrong with a game, as the filter of the dashboard names it."""


class ListedGame(Redacted, frozen=True, array_like=True):
    """A game of the list with what tells why it waits."""

    rank: int
    since: datetime
    slug: str
    host_name: str
    table_name: str
    rulebook: str
    seat_count: int
    allowance_seconds: float
    is_public: bool
    status: str
    round: int
    seq: int
    turn_seq: int
    awaiting: int | None
    awaiting_bot: bool
    started_at: datetime | None
    deadline_at: datetime | None
    wake_at: datetime | None
    paused_at: datetime | None
    player_name: str | None
    """Of the player on turn, as the table knows them."""
    player_bot_level: str | None
    player_ref: str | None
    banned_until: datetime | None
    free_seats: int
    is_on_hold: bool
    turn_email_status: str | None
    turn_email_reason: str | None
    turn_email_due_at: datetime | None
    turn_email_settled_at: datetime | None
    reminder_status: str | None
    club_slug: str | None
    club_name: str | None


class FoundPerson(Redacted, frozen=True, array_like=True):
    """A person whom a search found."""

    ref: str
    name: str
    address: str


class GameListRows(NamedTuple):
    """A page of games, and what stands above the list."""

    games: tuple[ListedGame, ...]
    people: tuple[FoundPerson, ...]
    saved_filters: tuple[SavedFilterRow, ...]
    clubs: tuple[ClubChoice, ...]
    """By name; empty for moderators of a club."""
    waiting_report_count: int


def read_page(
    tx: Tx,
    game_filter: GameFilter,
    *,
    after: ListPosition | None,
    limit: int,
) -> GameListRows:
    """Return the games behind a place of the list, and what stands above it."""
    after_rank = None if after is None else after.rank
    statement = page_statement(game_filter.shape(), after_rank=after_rank, limit=limit)
    (row,) = statement.run(tx, **parameters(game_filter, after, now=tx.now))
    games, people, saved_filters, clubs, waiting_report_count = row
    return GameListRows(
        decode_rows(games, ListedGame),
        decode_rows(people, FoundPerson),
        decode_rows(saved_filters, SavedFilterRow),
        decode_rows(clubs, ClubChoice),
        waiting_report_count,
    )


@lru_cache(maxsize=128)
def page_statement(game_filter: GameFilter, *, after_rank: int | None, limit: int) -> Statement:
    """Return the statement of ``read_page`` for filters of this shape."""
    return Statement(lambda: _page_query(game_filter, after_rank=after_rank, limit=limit))


def _page_query(game_filter: GameFilter, *, after_rank: int | None, limit: int) -> Select[Any]:
    page = _page(game_filter, after_rank=after_rank, limit=limit)
    people, clubs = people_found(), open_clubs()
    if not (game_filter.text is not None and game_filter.is_site_wide):
        people = people.where(false())
    if not game_filter.is_site_wide:
        clubs = clubs.where(false())
    return select(
        rows_column(with_details(page)),
        rows_column(people),
        rows_column(saved_filters()),
        rows_column(clubs),
        select(func.count())
        .select_from(Report)
        .where(Report.decided_at.is_(None))
        .scalar_subquery(),
    )


def _page(game_filter: GameFilter, *, after_rank: int | None, limit: int) -> Subquery:
    """Return ids, ranks and instants of one page. Every branch is ordered and limited, so an index can answer it."""
    branches = [
        branch.limit(limit).subquery().select()
        for branch in _branches(game_filter, after_rank, limit)
    ]
    listed_games = union_all(*branches).subquery("listed")
    return select(listed_games).order_by("rank", "since", "slug").limit(limit).subquery("page")


def _branches(game_filter: GameFilter, after_rank: int | None, limit: int) -> list[Select[Any]]:
    every_state = game_filter.states or _default_states(game_filter)
    stuck_states = every_state & STUCK_STATES
    is_first_page = after_rank is None and bool(stuck_states)
    stuck_games = _stuck_games(
        game_filter, stuck_states or STUCK_STATES, limit if is_first_page else None
    ).cte("stuck")
    branches = []
    if stuck_states:
        is_listed = true() if after_rank is None else _is_after(stuck_games, after_rank)
        branches.append(select(stuck_games).where(is_listed).order_by("rank", "since", "slug"))
    is_listed_above = GAME.c.id.in_(select(stuck_games.c.id))
    for state, rank, since, condition in _OTHER_STATES:
        if state in every_state and (after_rank is None or rank >= after_rank):
            branch = _branch(game_filter, rank, since, after_rank).where(condition)
            branches.append(branch.where(~is_listed_above) if state == "waiting" else branch)
    # No state follows the place that the address names.
    return branches or [select(stuck_games).where(false())]


def _default_states(game_filter: GameFilter) -> frozenset[str]:
    """Return what is listed if no state is chosen: what is being played, and with a search everything."""
    states_in_play = STUCK_STATES | {"waiting"}
    return states_in_play if game_filter.text is None else states_in_play | {"lobby", "over"}


def _is_after(stuck_games: CTE, after_rank: int) -> ColumnElement[bool]:
    columns = stuck_games.c
    return tuple_(columns.rank, columns.since, columns.slug) > tuple_(
        literal(after_rank), AFTER_SINCE, AFTER_SLUG
    )


def _branch(
    game_filter: GameFilter, rank: int, since: ColumnElement[Any], after_rank: int | None
) -> Select[Any]:
    columns = GAME.c.id, literal(rank).label("rank"), since.label("since"), GAME.c.slug
    found_games = select(*columns).where(
        *filter_conditions(game_filter), is_after_position(rank, since, after_rank)
    )
    return found_games.order_by("since", "slug")


def with_details(page: Subquery) -> Select[Any]:
    """Return the columns of ``ListedGame`` for the games of a page."""
    reminder, list_position = NOTIFICATION.alias("reminder"), (page.c.rank, page.c.since)
    return (
        select(
            *list_position, *_GAME_COLUMNS, *_WAIT_COLUMNS, reminder.c.status, Club.slug, Club.name
        )
        .select_from(page)
        .join(GAME, GAME.c.id == page.c.id)
        .outerjoin(Club, Club.id == GAME.c.club_id)
        .outerjoin(SEAT, and_(SEAT.c.game_id == GAME.c.id, SEAT.c.number == GAME.c.awaiting))
        .outerjoin(ACCOUNT, ACCOUNT.c.id == SEAT.c.account_id)
        .outerjoin(NOTIFICATION, _is_about_this_turn(NOTIFICATION, "your-turn", literal(0)))
        .outerjoin(reminder, _is_about_this_turn(reminder, "reminder", _reminder_seconds()))
        .order_by(page.c.rank, page.c.since, page.c.slug)
    )


def _is_about_this_turn(notification: Any, kind: str, dedup_key: Any) -> ColumnElement[bool]:  # noqa: ANN401 - a table, a value
    return and_(
        notification.c.game_id == GAME.c.id,
        notification.c.seq == GAME.c.turn_seq,
        notification.c.kind == kind,
        notification.c.account_id == SEAT.c.account_id,
        notification.c.dedup_key == dedup_key,
    )


def _reminder_seconds() -> ColumnElement[int]:
    return func.floor(func.extract("epoch", GAME.c.remind_at)).cast(BigInteger)


def _free_seats() -> ColumnElement[int]:
    other = SEAT.alias("any_seat")
    is_free = other.c.account_id.is_(None) & other.c.bot_name.is_(None)
    count = select(func.count()).select_from(other)
    return count.where(other.c.game_id == GAME.c.id, is_free).scalar_subquery()


_IS_IN_LOBBY: Final = or_(_status_is("open"), _status_is("ready-check"))
_IS_OVER: Final = or_(_status_is("finished"), _status_is("cancelled"))
_OTHER_STATES: Final = (
    (
        "waiting",
        RANK_OF_RUNNING,
        WAITING_UNTIL,
        PERSON_IS_ON_TURN,
    ),
    ("waiting", RANK_OF_BOTS, GAME.c.turn_started_at, BOT_IS_ON_TURN),
    ("lobby", RANK_OF_LOBBY, GAME.c.opened_at, _IS_IN_LOBBY),
    ("over", RANK_OF_OVER, func.coalesce(GAME.c.ended_at, GAME.c.opened_at), _IS_OVER),
)
"""The states of games that are not stuck: rank, since when, and the condition. When workers look at them would show held turns."""
_GAME_COLUMNS: Final[tuple[ColumnElement[Any], ...]] = (
    GAME.c.slug,
    GAME.c.host_name,
    GAME.c.table_name,
    GAME.c.rulebook,
    GAME.c.seat_count,
    func.extract("epoch", GAME.c.allowance),
    GAME.c.public,
    GAME.c.status,
    GAME.c.round,
    GAME.c.seq,
    GAME.c.turn_seq,
    GAME.c.awaiting,
    GAME.c.awaiting_bot,
    GAME.c.turn_started_at,
    GAME.c.deadline_at,
    GAME.c.wake_at,
    GAME.c.paused_at,
)
_WAIT_COLUMNS: Final[tuple[ColumnElement[Any], ...]] = (
    func.coalesce(SEAT.c.name, SEAT.c.bot_name),
    SEAT.c.bot_level,
    ACCOUNT.c.ref,
    ACCOUNT.c.banned_until,
    _free_seats(),
    exists().where(INCONSISTENCY.c.game_id == GAME.c.id),
    NOTIFICATION.c.status,
    NOTIFICATION.c.reason,
    func.greatest(NOTIFICATION.c.first_due_at, NOTIFICATION.c.quiet_until),
    NOTIFICATION.c.settled_at,
)
