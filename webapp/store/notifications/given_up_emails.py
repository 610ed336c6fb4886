"""Emails about games that were given up or wait after a refusal, and may be tried again."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, select, update

from webapp.store.schema.notifications import Notification, waits_after_refusal


class GameEmail(NamedTuple):
    """What is public about an email of a game."""

    kind: str
    seq: int | None
    account_id: int | None
    status: str
    is_waiting: bool
    """Whether it waits for another attempt, and no one is sending it now."""


def find_of_game(connection: Connection, game_id: int, email_id: int) -> GameEmail | None:
    """Return an email about this game."""
    row = connection.execute(
        select(
            Notification.kind,
            Notification.seq,
            Notification.account_id,
            Notification.status,
            waits_after_refusal(),
        ).where(Notification.id == email_id, Notification.game_id == game_id)
    ).first()
    return None if row is None else GameEmail(*row)


def try_now(connection: Connection, email_id: int, *, now: datetime) -> None:
    """Let the next attempt of an email that waits be made now; how often it was tried stays."""
    connection.execute(
        update(Notification)
        .where(Notification.id == email_id, waits_after_refusal())
        .values(due_at=now)
    )


def requeue(connection: Connection, email_id: int, *, now: datetime) -> None:
    """Let an email that was given up be composed and sent again, from the first attempt on."""
    connection.execute(
        update(Notification)
        .where(Notification.id == email_id, Notification.status == "failed")
        .values(
            status="pending",
            attempts=0,
            first_due_at=now,
            due_at=now,
            reason=None,
            settled_at=None,
        )
    )
