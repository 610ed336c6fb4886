"""Claimed notifications with their recipients, and queries for what their emails are about: each kind has its own, for many at once."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final, TypeVar

import msgspec
from sqlalchemy import (
    ColumnElement,
    FromClause,
    Select,
    Text,
    cast,
    false,
    func,
    select,
)
from sqlalchemy.orm import aliased

from webapp.accounts.schema import Account
from webapp.clock.queries.email_times import QuietHoursRow, quiet_hours_json
from webapp.kernel.json_columns import decode_rows
from webapp.kernel.redacted import Redacted
from webapp.kernel.statements import Statement, is_one_of
from webapp.kernel.tx import Tx
from webapp.mail.schema import Notification, StoredMessage
from webapp.play.schema import Game

DEDUP_KEY: Final[ColumnElement[int]] = Notification.__table__.c.dedup_key
FactsT = TypeVar("FactsT")


class ClaimedNotification(msgspec.Struct, frozen=True):
    """A claimed notification and its recipient. Its repr hides everything that may contain live tokens."""

    id: int
    kind: str
    game_id: int | None
    seq: int | None
    account_id: int | None
    dedup_key: int
    first_due_at: datetime
    message: bytes | None
    """The message as ``webapp.mail.stored_message`` stores it."""
    banned_until: datetime | None
    """When the recipient's newest ban ends or ended."""
    suppressed_until: datetime | None
    """The end of the time in which the recipient gets no emails, because earlier ones came back."""
    wants_link_only: bool
    """Whether the recipient wants the email to contain nothing that only they may know."""
    wants_every_email: bool
    """Whether it is sent also while the recipient is on the site."""
    thread_id: str | None
    """The Message-ID to which all emails about the game refer."""
    recipient_id: int | None
    """The recipient's account, also if the notification names none and the address turns out to have one."""
    address: str
    """The address of the recipient; empty if they no longer exist, or until the addressee is read."""
    name: str
    language: str
    zone: str
    quiet_hours: tuple[QuietHoursRow, ...]
    """The recipient's quiet hours, in their zone."""

    def __repr__(self) -> str:
        return f"<ClaimedNotification {self.id} {self.kind}>"


def read(tx: Tx, ids: Sequence[int]) -> tuple[ClaimedNotification, ...]:
    """Return claimed notifications with the accounts that they name, in the order of their ids."""
    return tuple(
        ClaimedNotification(*(*columns, decode_rows(quiet_hours, QuietHoursRow)))
        for *columns, quiet_hours in _READ_STATEMENT.run(tx, ids=list(ids))
    )


class Addressee(Redacted, frozen=True):
    """The recipient of an email whose notification names an address and no account; the address may have an account."""

    address: str
    account_id: int | None
    language: str
    zone: str
    quiet_hours: tuple[QuietHoursRow, ...]


class FactsQuery:
    """A query for what the emails of a kind are about: a column with the notification's id, and the columns of the facts."""

    def __init__(self, build: Callable[[], Select[*tuple[Any, ...]]]) -> None:
        is_claimed = is_one_of(Notification.id, "ids")
        self.statement = Statement(lambda: build().where(is_claimed))

    def run(self, tx: Tx, ids: Sequence[int], decode: Callable[..., FactsT]) -> dict[int, FactsT]:
        """Return what ``decode`` makes of the columns, by the notification's id."""
        return {row[0]: decode(*row[1:]) for row in self.statement.run(tx, ids=list(ids))}


class AddresseeJoin:
    """The joins with which a query reads addressees: the account of an address, and a language for one without."""

    def __init__(
        self,
        address: Any,  # noqa: ANN401 - a column
        *,
        languages: Sequence[ColumnElement[Any]] = (),
        inviter_id: Any = None,  # noqa: ANN401 - a column
    ) -> None:
        self._address, self._languages, self._inviter_id = address, tuple(languages), inviter_id
        self.account = aliased(Account, name="addressee")
        self.inviter = aliased(Account, name="inviter")

    def join(self, source: FromClause) -> FromClause:
        """Return the rows with the addressee's account and the inviter's, if they have one."""
        has_address = func.lower(self.account.address) == func.lower(self._address)
        people = source.outerjoin(self.account, has_address)
        if self._inviter_id is None:
            return people
        return people.outerjoin(self.inviter, self.inviter.id == self._inviter_id)

    def columns(self) -> tuple[ColumnElement[Any], ...]:
        """Return the columns that ``addressee`` takes."""
        account_id = func.coalesce(Notification.account_id, self.account.id)
        languages, zones = [self.account.language, *self._languages], [self.account.zone]
        if self._inviter_id is not None:
            languages, zones = [*languages, self.inviter.language], [*zones, self.inviter.zone]
        return (
            func.coalesce(self._address, ""),
            account_id,
            func.coalesce(*languages, "en"),
            func.coalesce(*zones, "UTC"),
            cast(quiet_hours_json(account_id), Text),
        )


ADDRESSEE_COLUMN_COUNT: Final = 5


def addressee(columns: Sequence[Any]) -> Addressee:
    """Return the addressee from the columns of ``AddresseeJoin``."""
    return Addressee(*(*columns[:-1], decode_rows(columns[-1], QuietHoursRow)))


_READ_STATEMENT: Final = Statement(
    lambda: (
        select(
            Notification.id,
            Notification.kind,
            Notification.game_id,
            Notification.seq,
            Notification.account_id,
            Notification.dedup_key,
            Notification.first_due_at,
            StoredMessage.message,
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
        .outerjoin(StoredMessage, StoredMessage.notification_id == Notification.id)
        .outerjoin(Account, Account.id == Notification.account_id)
        .outerjoin(Game, Game.id == Notification.game_id)
        .where(is_one_of(Notification.id, "ids"))
        .order_by(Notification.id)
    )
)
