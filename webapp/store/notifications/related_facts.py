"""What emails are about besides their games, as JSON: acts, peeks, votes and outages."""

from sqlalchemy import ColumnElement, and_, case, exists, func, literal_column, or_, select
from sqlalchemy.orm import aliased

from webapp.store.clock.votes import vote_json
from webapp.store.moderation.shown_acts import act_json, peeks_json
from webapp.store.notifications.moved_deadlines import moved_deadlines_json
from webapp.store.notifications.related_emails import has_kind
from webapp.store.schema.moderation import LedgerEntry
from webapp.store.schema.notifications import Notification
from webapp.store.schema.play import Game

_game = aliased(Game, name="game_of_thread")
_dedup_key = Notification.__table__.c.dedup_key


def related_facts() -> tuple[ColumnElement[str | None], ...]:
    """Return what the email is about, as JSON: an act, peeks, a vote, an outage; and the thread of its game."""
    return (
        _act_of_notification(),
        case((_ends_game(), peeks_json(Notification.__table__.c.game_id))),
        case((has_kind("vote-opened", "vote-ended"), vote_json(_dedup_key))),
        case((has_kind("deadlines-moved"), moved_deadlines_json())),
        select(_game.thread_id).where(_game.id == Notification.game_id).scalar_subquery(),
    )


def _act_of_notification() -> ColumnElement[str | None]:
    return case(
        (has_kind("moderator-act", "nudge"), act_json(_dedup_key)),
        (has_kind("player-left"), act_json(_hand_over_with_leaving())),
        (has_kind("table-cancelled"), act_json(_closing_of_table())),
    )


def _ends_game() -> ColumnElement[bool]:
    """Return whether an email is about the end of a game; a game that is cancelled has no email of its own kind."""
    entry = aliased(LedgerEntry, name="ending_entry")
    is_cancelled = exists().where(
        entry.id == _dedup_key, entry.act == literal_column("'cancel-game'")
    )
    return or_(has_kind("game-over"), and_(has_kind("moderator-act"), is_cancelled))


def _hand_over_with_leaving() -> ColumnElement[int]:
    """Return the entry of the server's hand-over in the transaction in which a host left."""
    entry = aliased(LedgerEntry, name="hand_over_entry")
    return (
        select(func.max(entry.id))
        .where(entry.game_id == Notification.game_id, entry.seq == Notification.seq)
        .where(entry.act == literal_column("'hand-over-table'"))
        .where(entry.acted_as == literal_column("'server'"), entry.at == Notification.first_due_at)
        .scalar_subquery()
    )


def _closing_of_table() -> ColumnElement[int]:
    """Return the entry of the server's closing of a table that never became full; none if its host cancelled it."""
    entry = aliased(LedgerEntry, name="closing_entry")
    return (
        select(func.max(entry.id))
        .where(entry.game_id == Notification.game_id)
        .where(entry.act == literal_column("'cancel-game'"))
        .where(entry.acted_as == literal_column("'server'"))
        .scalar_subquery()
    )
