"""Claimed notifications with their recipients; what an email is about is read by queries of its own kind."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import msgspec
from sqlalchemy import (
    ARRAY,
    BigInteger,
    Connection,
    Text,
    bindparam,
    cast,
    false,
    func,
    select,
)

from webapp.store.clock.quiet_times import QuietHours, quiet_hours_json
from webapp.store.schema.accounts import Account
from webapp.store.schema.notifications import Notification
from webapp.store.schema.play import Game
from webapp.store.statements import Statement


class ClaimedNotification(msgspec.Struct, frozen=True):
    """A claimed notification and its recipient. Its repr hides everything that may contain live tokens."""

    id: int
    kind: str
    game_id: int | None
    seq: int | None
    account_id: int | None
    dedup_key: int
    first_due_at: datetime
    message_id: str | None
    message: bytes | None
    banned_until: datetime | None
    """When the recipient's newest ban ends or ended."""
    suppressed_until: datetime | None
    """Until when the recipient gets no emails, because they came back."""
    wants_link_only: bool
    """Whether the recipient wants nothing in it that only they may know."""
    wants_every_email: bool
    """Whether it is sent also while the recipient is on the site."""
    thread_id: str | None
    """The Message-ID to which all emails about the game refer."""
    recipient_id: int | None
    """The recipient's account, also if the notification names none and the address turns out to have one."""
    address: str
    """Empty if the recipient no longer exists, or until the addressee is read."""
    name: str
    language: str
    zone: str
    quiet_hours: tuple[QuietHours, ...]
    """The recipient's, in their zone."""

    def __repr__(self) -> str:
        return f"<ClaimedNotification {self.id} {self.kind}>"


def read(connection: Connection, ids: Sequence[int]) -> tuple[ClaimedNotification, ...]:
    """Return claimed notifications with the accounts that they name, in the order of their ids."""
    return tuple(
        ClaimedNotification(*(*row[:-1], decode_quiet_hours(row[-1])))
        for row in _READ_STATEMENT.run(connection, ids=list(ids))
    )


def decode_quiet_hours(text: str | None) -> tuple[QuietHours, ...]:
    return () if text is None else _HOURS_DECODER.decode(text)


_HOURS_DECODER: Final = msgspec.json.Decoder(tuple[QuietHours, ...])
_READ_STATEMENT: Final = Statement(
    select(
        Notification.id,
        Notification.kind,
        Notification.game_id,
        Notification.seq,
        Notification.account_id,
        Notification.dedup_key,
        Notification.first_due_at,
        Notification.message_id,
        Notification.message,
        Account.banned_until,
        Account.suppressed_until,
        func.coalesce(Account.wants_link_only, false()),
        func.coalesce(Account.wants_every_email, false()),
        Game.thread_id,
        Notification.account_id,
        func.coalesce(Account.address, ""),
        func.coalesce(Account.name, ""),
        func.coalesce(Account.language, "en"),
        func.coalesce(Account.zone, "UTC"),
        cast(quiet_hours_json(Notification.__table__.c.account_id), Text),
    )
    .outerjoin(Account, Account.id == Notification.account_id)
    .outerjoin(Game, Game.id == Notification.game_id)
    .where(Notification.id == func.any(bindparam("ids", type_=ARRAY(BigInteger))))
    .order_by(Notification.id)
)
