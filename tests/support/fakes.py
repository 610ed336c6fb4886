"""A fake clock, a fake transport, and a reader of the outbox."""

import hashlib
from datetime import datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from sqlalchemy import text

from tests.support.transactions import NOON
from webapp.kernel.tx import Database
from webapp.mail.mime import MessageParts, message_bytes
from webapp.mail.transport import RenderedEmail

if TYPE_CHECKING:
    from collections.abc import Callable


class FakeClock:
    """A clock that starts at noon and stands still until a test or a pause moves it."""

    def __init__(self) -> None:
        self.now = NOON
        self.pauses: list[float] = []

    def __call__(self) -> datetime:
        return self.now

    def move(self, step: timedelta) -> None:
        self.now += step

    def pause(self, seconds: float) -> None:
        """Pass for ``time.sleep``."""
        self.pauses.append(seconds)
        self.now += timedelta(seconds=seconds)


def drawn_as_digest(svg: str, width: int) -> bytes:
    """Return what replaces a PNG, which takes long to draw: equal pictures give equal bytes, and others others."""
    return hashlib.sha256(f"{width} {svg}".encode()).digest()


def drawn(parts: MessageParts) -> bytes:
    """Return a composed message, with digests for its pictures."""
    return message_bytes(parts, png_of=drawn_as_digest)


class RecordingTransport:
    """A transport that keeps what it is given. ``before_sending`` and ``after_sending`` are called with each email, and may raise."""

    def __init__(self) -> None:
        self.emails: list[RenderedEmail] = []
        self.before_sending: Callable[[RenderedEmail], object] = lambda _: None
        self.after_sending: Callable[[RenderedEmail], object] = lambda _: None

    def send(self, email: RenderedEmail) -> None:
        self.before_sending(email)
        self.emails.append(email)
        self.after_sending(email)

    def close(self) -> None:
        """Do nothing: there is no connection."""

    @property
    def messages(self) -> list[EmailMessage]:
        return [parse_message(email.message) for email in self.emails]

    def sent(self) -> list[tuple[str, str]]:
        """Return the kinds and recipients of all emails, sorted."""
        return sorted((kind_of(email.message), email.recipient) for email in self.emails)


class OutboxRow(NamedTuple):
    """Columns of a notification."""

    id: int
    kind: str
    status: str
    attempts: int
    reason: str | None
    message: bytes | None
    lease_until: datetime | None
    due_at: datetime


class Outbox:
    """Reads and changes the notifications in the database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def rows(self, kind: str | None = None) -> list[OutboxRow]:
        with self._database.engine.begin() as connection:
            columns = ", ".join(OutboxRow._fields)
            result_rows = connection.execute(
                text(
                    f"SELECT {columns} FROM notification "
                    "LEFT JOIN stored_message ON notification_id = id ORDER BY id"
                )
            )
            return [OutboxRow(*row) for row in result_rows if kind in (None, row.kind)]

    def only_row(self, kind: str) -> OutboxRow:
        (row,) = self.rows(kind)
        return row

    def statuses(self) -> set[str]:
        return {row.status for row in self.rows()}

    def count(self, table: str) -> int:
        with self._database.engine.begin() as connection:
            return int(connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one())

    def clear(self) -> None:
        self.execute("DELETE FROM notification")

    def execute(self, statement: str, **values: Any) -> None:
        with self._database.engine.begin() as connection:
            connection.execute(text(statement), values)


def parse_message(message: bytes) -> EmailMessage:
    """Parse a message as a mail program does."""
    return cast("EmailMessage", message_from_bytes(message, policy=policy.default))


def kind_of(message: bytes) -> str:
    return str(parse_message(message)["Feedback-ID"]).partition(":")[0]


def text_of(message: EmailMessage | bytes) -> str:
    """Return the plain text with the line ends of Python."""
    parsed_message = parse_message(message) if isinstance(message, bytes) else message
    part = parsed_message.get_body(("plain",))
    assert part is not None
    return str(part.get_content()).replace("\r\n", "\n")


def html_of(message: EmailMessage) -> str:
    """Return the HTML of a message."""
    part = message.get_body(("html",))
    assert part is not None
    return str(part.get_content())
