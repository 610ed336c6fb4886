"""What emails about games are about: other emails about the same turn, acts, peeks and votes."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import (
    ColumnElement,
    and_,
    exists,
    func,
    literal_column,
    select,
)
from sqlalchemy.orm import aliased

from webapp.accounts.schema import Session
from webapp.kernel.json_columns import decode_row
from webapp.kernel.public_acts import ShownAct
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.mail.queries.email_facts import DEDUP_KEY, FactsQuery
from webapp.mail.schema import Notification
from webapp.moderation.queries.shown_acts import act_json, decode_act, decode_acts, peeks_json
from webapp.moderation.schema import LedgerEntry
from webapp.play.queries.votes import VoteRow, vote_json


class PresenceFacts(Redacted, frozen=True):
    """What the recipient of an email about a turn has seen already, and when they were last on the site."""

    reminded_at: datetime | None
    """When a reminder of the same turn was sent."""
    last_active_at: datetime | None
    """When the recipient was last seen on the site, to the minute."""
    is_first_turn: bool
    """Whether the cards were dealt with this turn."""


class TurnEmailFacts(Redacted, frozen=True):
    """Another email to the same person, about the turn with which the cards were dealt."""

    status: str
    due_at: datetime


class ActFacts(Redacted, frozen=True):
    """What a moderator did, and when moderators looked at the secrets of the game if that ended it."""

    act: ShownAct | None
    peeks: tuple[ShownAct, ...]


def read_last_visits(tx: Tx, ids: Sequence[int]) -> dict[int, PresenceFacts]:
    """Return when the recipients of emails about their turn were last on the site, and what they have seen already."""
    return _LAST_VISITS.run(tx, ids, PresenceFacts)


def read_times_of_turn_emails(tx: Tx, ids: Sequence[int]) -> dict[int, datetime | None]:
    """Return when the first emails about the turns of reminders were sent."""
    return _TURN_EMAILS.run(tx, ids, lambda at: at)


def read_first_turn_emails(tx: Tx, ids: Sequence[int]) -> dict[int, TurnEmailFacts]:
    """Return the emails about the first turn to those who were dealt cards with it; nothing for the other players."""
    return _FIRST_TURN_EMAILS.run(tx, ids, TurnEmailFacts)


def read_acts(tx: Tx, ids: Sequence[int]) -> dict[int, ActFacts]:
    """Return the acts that notifications are about."""
    return _ACTS.run(tx, ids, lambda act, peeks: ActFacts(decode_act(act), decode_acts(peeks)))


def read_peeks(tx: Tx, ids: Sequence[int]) -> dict[int, tuple[ShownAct, ...]]:
    """Return when moderators looked at the secrets of the games of notifications."""
    return _PEEKS.run(tx, ids, decode_acts)


def read_hand_overs(tx: Tx, ids: Sequence[int]) -> dict[int, ShownAct | None]:
    """Return the server's hand-over of the table for each host who left; None for other players."""
    return _HAND_OVERS.run(tx, ids, decode_act)


def read_votes(tx: Tx, ids: Sequence[int]) -> dict[int, VoteRow | None]:
    """Return the votes that notifications are about."""
    return _VOTES.run(tx, ids, lambda text: decode_row(text, VoteRow))


def _sent_at(kind: str) -> ColumnElement[datetime | None]:
    """Return when the email of a kind about the same turn was sent to the same person."""
    other = aliased(Notification, name="other")
    return (
        select(func.max(other.settled_at))
        .where(other.kind == literal_column(f"'{kind}'"))
        .where(other.game_id == Notification.game_id, other.seq == Notification.seq)
        .where(other.account_id == Notification.account_id, other.status == "sent")
        .scalar_subquery()
    )


def _is_first_turn() -> ColumnElement[bool]:
    other = aliased(Notification, name="deal")
    return (
        exists()
        .where(other.kind == literal_column("'dealt'"))
        .where(other.game_id == Notification.game_id, other.seq == Notification.seq)
        .where(other.account_id == Notification.account_id)
    )


def _last_active_at() -> ColumnElement[datetime | None]:
    """Return when the recipient last requested a page in any browser."""
    return (
        select(func.max(Session.active_at))
        .where(Session.account_id == Notification.account_id)
        .scalar_subquery()
    )


def _peeks_if_it_ends_the_game() -> ColumnElement[str | None]:
    """Return the peeks into a game that the act cancels: a game that is cancelled has no email of its own kind."""
    entry = aliased(LedgerEntry, name="ending_entry")
    return (
        select(peeks_json(Notification.__table__.c.game_id))
        .where(entry.id == DEDUP_KEY, entry.act == literal_column("'cancel-game'"))
        .scalar_subquery()
    )


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


_LAST_VISITS: Final = FactsQuery(
    lambda: select(Notification.id, _sent_at("reminder"), _last_active_at(), _is_first_turn())
)
_turn_email = aliased(Notification, name="turn_email")
_FIRST_TURN_EMAILS: Final = FactsQuery(
    lambda: select(Notification.id, _turn_email.status, _turn_email.due_at).join(
        _turn_email,
        and_(
            _turn_email.kind == literal_column("'your-turn'"),
            _turn_email.dedup_key == literal_column("0"),
            _turn_email.game_id == Notification.game_id,
            _turn_email.seq == Notification.seq,
            _turn_email.account_id == Notification.account_id,
        ),
    )
)
_TURN_EMAILS: Final = FactsQuery(lambda: select(Notification.id, _sent_at("your-turn")))
_ACTS: Final = FactsQuery(
    lambda: select(Notification.id, act_json(DEDUP_KEY), _peeks_if_it_ends_the_game())
)
_PEEKS: Final = FactsQuery(
    lambda: select(Notification.id, peeks_json(Notification.__table__.c.game_id))
)
_HAND_OVERS: Final = FactsQuery(
    lambda: select(Notification.id, act_json(_hand_over_with_leaving()))
)
_VOTES: Final = FactsQuery(lambda: select(Notification.id, vote_json(DEDUP_KEY)))
