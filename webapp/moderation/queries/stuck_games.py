"""Where games get stuck: one small query for each cause, which an index answers however many games there are.

A query returns the id of a game, a rank, and since when. The lower the rank, the more the game needs a moderator.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    DateTime,
    Select,
    Text,
    and_,
    bindparam,
    func,
    literal,
    literal_column,
    or_,
    select,
    union_all,
)

from webapp.moderation.queries.public_columns import (
    ACCOUNT,
    GAME,
    INCONSISTENCY,
    NOTIFICATION,
    SEAT,
)

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


def status_is(status: str) -> ColumnElement[bool]:
    """Return the condition as literal text: only then does the planner use the partial indexes."""
    return GAME.c.status == literal_column(f"'{status}'", Text)


IS_RUNNING: Final = status_is("running")
PERSON_IS_ON_TURN: Final = and_(IS_RUNNING, GAME.c.awaiting_bot == literal_column("false"))
BOT_IS_ON_TURN: Final = and_(IS_RUNNING, GAME.c.awaiting_bot)


def stuck_games(states: frozenset[str]) -> Select[Any]:
    """Return a query of game_id, rank and since for the states asked for; each game once, under its lowest rank."""
    chosen_selects = [
        query
        for state, queries in _SELECTS_BY_STATE.items()
        if state in states
        for query in queries
    ]
    found_games = union_all(*chosen_selects).subquery("found")
    return select(
        found_games.c.game_id,
        func.min(found_games.c.rank).label("rank"),
        func.min(found_games.c.since).label("since"),
    ).group_by(found_games.c.game_id)


def _stuck_games_select(rank: int, since: ColumnElement[Any]) -> Select[Any]:
    return select(GAME.c.id.label("game_id"), literal(rank).label("rank"), since.label("since"))


def _games_on_hold() -> Select[Any]:
    has_findings = GAME.c.id.in_(select(INCONSISTENCY.c.game_id))
    return _stuck_games_select(RANK_OF_SERVER, GAME.c.turn_started_at).where(
        IS_RUNNING, has_findings
    )


def _games_past_deadline() -> Select[Any]:
    return _stuck_games_select(RANK_OF_SERVER, GAME.c.deadline_at).where(
        PERSON_IS_ON_TURN, GAME.c.wake_at <= NOW + MAX_POSTPONEMENT, GAME.c.deadline_at <= NOW
    )


def _slow_bot() -> Select[Any]:
    return _stuck_games_select(RANK_OF_SERVER, GAME.c.turn_started_at).where(
        BOT_IS_ON_TURN,
        GAME.c.wake_at <= NOW + MAX_POSTPONEMENT,
        GAME.c.turn_started_at <= NOW - BOT_IS_SLOW_AFTER,
    )


def _games_with_waiting_email() -> Select[Any]:
    waiting_since = func.greatest(NOTIFICATION.c.first_due_at, NOTIFICATION.c.quiet_until)
    is_late = waiting_since <= NOW - EMAIL_IS_LATE_AFTER
    # One that is postponed for quiet hours is not tried again before they end.
    was_refused = and_(NOTIFICATION.c.reason.is_not(None), waiting_since <= NOW)
    return _email_of_turn("pending").where(or_(was_refused, is_late))


def _email_of_turn(status: str) -> Select[Any]:
    return (
        _stuck_games_select(RANK_OF_PLAYER, NOTIFICATION.c.first_due_at)
        .join(GAME, GAME.c.id == NOTIFICATION.c.game_id)
        .where(
            NOTIFICATION.c.status == literal_column(f"'{status}'", Text),
            NOTIFICATION.c.kind == "your-turn",
            NOTIFICATION.c.seq == GAME.c.turn_seq,
            PERSON_IS_ON_TURN,
        )
    )


def _seat_without_player() -> Select[Any]:
    return _seat_on_turn().where(SEAT.c.account_id.is_(None), SEAT.c.bot_name.is_(None))


def _banned_player() -> Select[Any]:
    return (
        _seat_on_turn()
        .join(ACCOUNT, ACCOUNT.c.id == SEAT.c.account_id)
        .where(ACCOUNT.c.banned_until > NOW)
    )


def _seat_on_turn() -> Select[Any]:
    return (
        _stuck_games_select(RANK_OF_PLAYER, GAME.c.turn_started_at)
        .select_from(GAME)
        .join(SEAT, and_(SEAT.c.game_id == GAME.c.id, SEAT.c.number == GAME.c.awaiting))
        .where(PERSON_IS_ON_TURN)
    )


def _paused_games() -> Select[Any]:
    return _stuck_games_select(RANK_OF_PAUSE, GAME.c.paused_at).where(status_is("paused"))


_SELECTS_BY_STATE: Final[Mapping[str, tuple[Select[Any], ...]]] = {
    "server": (_games_on_hold(), _games_past_deadline(), _slow_bot()),
    "email": (_games_with_waiting_email(), _email_of_turn("failed")),
    "seat": (_seat_without_player(), _banned_player()),
    "paused": (_paused_games(),),
}
STUCK_STATES: Final = frozenset(_SELECTS_BY_STATE)
"""What may be wrong with a game, as the filter of the dashboard names it."""
