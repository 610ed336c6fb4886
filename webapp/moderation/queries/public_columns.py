"""The columns of games that moderators may read: no hand, role, goal, deck, action or event is among them.

SQL of moderation names only these columns. The module does not import the models of games, so no other column can be
reached from it; import contracts keep those models away from the rest of ``webapp/moderation``.
"""

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    DateTime,
    Integer,
    Interval,
    SmallInteger,
    Text,
    column,
    table,
)

_INSTANT_TYPE: Final = DateTime(timezone=True)

GAME: Final = table(
    "game",
    column("id", BigInteger),
    column("slug", Text),
    column("host_id", BigInteger),
    column("host_name", Text),
    column("table_name", Text),
    column("club_id", BigInteger),
    column("rulebook", Text),
    column("seat_count", SmallInteger),
    column("allowance", Interval),
    column("public", Boolean),
    column("status", Text),
    column("opened_at", _INSTANT_TYPE),
    column("ended_at", _INSTANT_TYPE),
    column("paused_at", _INSTANT_TYPE),
    column("seq", BigInteger),
    column("awaiting", SmallInteger),
    column("awaiting_bot", Boolean),
    column("round", SmallInteger),
    column("turn_seq", BigInteger),
    column("turn_started_at", _INSTANT_TYPE),
    column("deadline_at", _INSTANT_TYPE),
    column("remind_at", _INSTANT_TYPE),
    column("wake_at", _INSTANT_TYPE),
)
SEAT: Final = table(
    "seat",
    column("game_id", BigInteger),
    column("number", SmallInteger),
    column("account_id", BigInteger),
    column("bot_name", Text),
    column("bot_level", Text),
    column("name", Text),
)
TURN: Final = table(
    "turn",
    column("game_id", Integer),
    column("seq", Integer),
    column("seat", SmallInteger),
    column("by", Text),
    column("at", _INSTANT_TYPE),
)
MESSAGE: Final = table(
    "message",
    column("game_id", BigInteger),
    column("number", BigInteger),
    column("account_id", BigInteger),
    column("text", Text),
    column("removed_at", _INSTANT_TYPE),
)
NOTIFICATION: Final = table(
    "notification",
    column("id", BigInteger),
    column("kind", Text),
    column("game_id", BigInteger),
    column("seq", BigInteger),
    column("account_id", BigInteger),
    column("dedup_key", BigInteger),
    column("status", Text),
    column("first_due_at", _INSTANT_TYPE),
    column("due_at", _INSTANT_TYPE),
    column("quiet_until", _INSTANT_TYPE),
    column("attempts", SmallInteger),
    column("reason", Text),
    column("settled_at", _INSTANT_TYPE),
)
"""Emails without their messages, which hold cards and live tokens."""
ACCOUNT: Final = table(
    "account",
    column("id", BigInteger),
    column("ref", Text),
    column("address", Text),
    column("name", Text),
    column("language", Text),
    column("created_at", _INSTANT_TYPE),
    column("banned_until", _INSTANT_TYPE),
)
"""People; only site moderators are shown an address."""
INCONSISTENCY: Final = table("inconsistency", column("game_id", BigInteger), column("kind", Text))
