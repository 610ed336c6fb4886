"""A clock, a relay and a look at the outbox, as tests of jobs want them."""

from datetime import datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from sqlalchemy import text

from tests.support.factories import NOON
from webapp.mail.parcel import RenderedEmail
from webapp.services.tx import Database

if TYPE_CHECKING:
    from collections.abc import Callable


class Passing:
    """Time that passes when a test says so, and while somebody waits."""

    def __init__(self) -> None:
        self.now = NOON
        self.waited: list[float] = []

    def __call__(self) -> datetime:
        return self.now

    def pause(self, seconds: float) -> None:
        self.waited.append(seconds)
        self.now += timedelta(seconds=seconds)


class Recording:
    """A relay that keeps what it is given; ``before`` and ``after`` may look at a parcel, and raise."""

    def __init__(self) -> None:
        self.parcels: list[RenderedEmail] = []
        self.before: Callable[[RenderedEmail], object] = lambda _: None
        self.after: Callable[[RenderedEmail], object] = lambda _: None
        self.closed = False

    def send(self, parcel: RenderedEmail) -> None:
        self.before(parcel)
        self.parcels.append(parcel)
        self.after(parcel)

    def close(self) -> None:
        self.closed = True

    @property
    def messages(self) -> list[EmailMessage]:
        return [read(parcel.message) for parcel in self.parcels]

    def sent(self) -> list[tuple[str, str]]:
        """What was sent to whom, in order."""
        return sorted((kind_of(parcel.message), parcel.recipient) for parcel in self.parcels)


class Row(NamedTuple):
    id: int
    kind: str
    status: str
    attempts: int
    reason: str | None
    message: bytes | None
    lease_until: datetime | None
    due_at: datetime


class Outbox:
    """The letters as they stand in the database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def rows(self, kind: str | None = None) -> list[Row]:
        with self._database.engine.begin() as connection:
            columns = ", ".join(Row._fields)
            found = connection.execute(text(f"SELECT {columns} FROM notification ORDER BY id"))
            return [Row(*row) for row in found if kind in (None, row.kind)]

    def only(self, kind: str) -> Row:
        (row,) = self.rows(kind)
        return row

    def statuses(self) -> set[str]:
        return {row.status for row in self.rows()}

    def count(self, table: str) -> int:
        with self._database.engine.begin() as connection:
            return int(connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one())

    def empty(self) -> None:
        self.say("DELETE FROM notification")

    def say(self, statement: str, **values: Any) -> None:
        with self._database.engine.begin() as connection:
            connection.execute(text(statement), values)


def read(message: bytes) -> EmailMessage:
    return cast("EmailMessage", message_from_bytes(message, policy=policy.default))


def kind_of(message: bytes) -> str:
    return str(read(message)["Feedback-ID"]).partition(":")[0]


def text_of(message: bytes) -> str:
    return str(read(message).get_payload(0).get_content())  # type: ignore[union-attr]
