"""What emails are about, read for many notifications of a kind at once."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Final, TypeVar

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Connection,
    FromClause,
    Select,
    Text,
    bindparam,
    cast,
    func,
)
from sqlalchemy.orm import aliased

from webapp.store.clock.quiet_times import QuietHours, quiet_hours_json
from webapp.store.notifications.claimed_notifications import decode_quiet_hours
from webapp.store.redacted import Redacted
from webapp.store.schema.accounts import Account
from webapp.store.schema.notifications import Notification
from webapp.store.statements import Statement

FactsT = TypeVar("FactsT")
DEDUP_KEY: Final[ColumnElement[int]] = Notification.__table__.c.dedup_key


class Addressee(Redacted, frozen=True):
    """To whom an email goes whose notification names an address, not an account: it may have one all the same."""

    address: str
    account_id: int | None
    language: str
    zone: str
    quiet_hours: tuple[QuietHours, ...]


class FactsQuery:
    """A query for what the emails of a kind are about: a column with the notification's id, and the columns of the facts."""

    def __init__(self, query: Select[*tuple[Any, ...]]) -> None:
        self._query = query

    @cached_property
    def statement(self) -> Statement:
        """Compiled when it is first run: a process that sends no such email need not wait for it."""
        is_claimed = Notification.id == func.any(bindparam("ids", type_=ARRAY(BigInteger)))
        return Statement(self._query.where(is_claimed))

    def run(
        self, connection: Connection, ids: Sequence[int], decode: Callable[..., FactsT]
    ) -> dict[int, FactsT]:
        """Return what ``decode`` makes of the columns, by the notification's id."""
        return {row[0]: decode(*row[1:]) for row in self.statement.run(connection, ids=list(ids))}


class AddresseeJoin:
    """What a query adds to read addressees: the account that an address has, and for those without one whose language to use."""

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
    return Addressee(*(*columns[:-1], decode_quiet_hours(columns[-1])))
