"""Turns and emails of a game as moderators choose among them: who and when, never what."""

from datetime import datetime
from typing import Final

import msgspec
from sqlalchemy import or_, select

from webapp.accounts.schema import Account
from webapp.kernel.tx import Tx
from webapp.mail.schema import Notification, waits_after_refusal
from webapp.moderation.queries.public_columns import TURN

_MAX_LISTED_ROWS: Final = 100


class DatedTurn(msgspec.Struct, frozen=True):
    """Whose turn it was, and when."""

    seq: int
    seat: int | None
    at: datetime


class PublicEmail(msgspec.Struct, frozen=True):
    """An email about a game that was not sent: to whom, and why."""

    id: int
    kind: str
    recipient: str | None
    reason: str | None
    settled_at: datetime | None


def latest_turns(tx: Tx, game_id: int) -> tuple[DatedTurn, ...]:
    """Return the latest turns of a game, newest first."""
    rows = tx.execute(
        select(TURN.c.seq, TURN.c.seat, TURN.c.at)
        .where(TURN.c.game_id == game_id)
        .order_by(TURN.c.seq.desc())
        .limit(_MAX_LISTED_ROWS)
    )
    return tuple(DatedTurn(*row) for row in rows)


def unsent_emails(tx: Tx, game_id: int) -> tuple[PublicEmail, ...]:
    """Return the emails about a game that were given up or wait after a refusal, newest first."""
    rows = tx.execute(
        select(
            Notification.id,
            Notification.kind,
            Account.name,
            Notification.reason,
            Notification.settled_at,
        )
        .outerjoin(Account, Account.id == Notification.account_id)
        .where(Notification.game_id == game_id)
        .where(or_(Notification.status == "failed", waits_after_refusal()))
        # Whether an offer of a seat was delivered would tell about its recipient.
        .where(Notification.kind != "seat-offer")
        .order_by(Notification.id.desc())
        .limit(_MAX_LISTED_ROWS)
    )
    return tuple(PublicEmail(*row) for row in rows)
