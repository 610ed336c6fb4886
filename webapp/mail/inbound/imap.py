"""Takes emails out of an ordinary mailbox by IMAP (RFC 9051), for a host whose mail server can't hand them over.

Every email to one of our addresses is stored, and only then deleted in the mailbox. All others stay there as they were, unread.
"""

import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from email.message import Message
from threading import Lock
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias
from urllib.parse import unquote, urlsplit

from webapp.kernel.networks import is_loopback
from webapp.kernel.redacted import Redacted
from webapp.mail.inbound.reading import addresses_in, parsed_message
from webapp.mail.inbound.receiving import MAX_MESSAGE_SIZE

if TYPE_CHECKING:
    from imapclient import IMAPClient

Security: TypeAlias = Literal["tls", "starttls", "none"]
ANSWER_TIMEOUT_SECONDS: Final = 20.0
StoreEmail: TypeAlias = Callable[[Sequence[str], bytes], bool]
"""Store an email with these recipients, and return whether it is for us. Raises what ends the whole run."""
LOOK_BACK: Final = timedelta(days=14)
"""The greatest age of emails that a process finds when it looks into the mailbox for the first time."""
_PORT_BY_SECURITY: Final[dict[Security, int]] = {"tls": 993, "starttls": 143, "none": 143}
_SECURITY_BY_SCHEME: Final[dict[str, Security]] = {
    "imaps": "tls",
    "imap+starttls": "starttls",
    "imap": "none",
}
_RECIPIENT_FIELDS: Final = ("delivered-to", "x-original-to", "envelope-to", "to", "cc")
_MAX_RECIPIENTS: Final = 20
_FIELDS: Final = b"BODY[HEADER.FIELDS (DELIVERED-TO X-ORIGINAL-TO ENVELOPE-TO TO CC CONTENT-TYPE)]"
_SIZE: Final = b"RFC822.SIZE"
_WHOLE: Final = b"BODY[]"


class ImapUnavailable(Exception):
    """The mailbox cannot be read at present; the message says why, without a password."""


class ImapMailbox(Redacted, frozen=True, kw_only=True):
    """A folder on an IMAP server, and how to sign in to it."""

    host: str
    port: int
    security: Security
    user: str
    password: str
    folder: str
    trusted_context: ssl.SSLContext | None = None
    """Trusted certificate authorities; None for those of the system."""


class SeenEmails(NamedTuple):
    """The last email that a process has seen in a folder; numbers count while ``validity`` stays (RFC 9051 2.3.1.1)."""

    validity: int = 0
    last_uid: int = 0


class ImapPoll:
    """A mailbox and what this process has seen in it, which only the thread with the lock changes."""

    def __init__(self, mailbox: ImapMailbox | None = None) -> None:
        self.mailbox = mailbox
        self.seen = SeenEmails()
        self.lock = Lock()


class FetchedEmail(Redacted, frozen=True):
    """An email in the mailbox, and the recipients that its header names."""

    uid: int
    recipients: tuple[str, ...]
    size: int
    is_report: bool
    """Whether it may report about an email from here without a token in its envelope sender: some relays take none."""


def imap_mailbox_at(url: str, *, trusted_context: ssl.SSLContext | None = None) -> ImapMailbox:
    """Return the mailbox of an IMAP_URL: ``imaps://`` (TLS first), ``imap+starttls://``, and ``imap://`` without TLS on this machine alone."""
    parts = urlsplit(url)
    host, security = parts.hostname or "", _SECURITY_BY_SCHEME[parts.scheme]
    if security == "none" and not is_loopback(host):
        security = "starttls"
    return ImapMailbox(
        host=host,
        port=parts.port or _PORT_BY_SECURITY[security],
        security=security,
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        folder=unquote(parts.path.strip("/")) or "INBOX",
        trusted_context=trusted_context,
    )


@contextmanager
def open_mailbox(mailbox: ImapMailbox) -> Iterator["OpenMailbox"]:
    """Sign in and open the folder. Raises ImapUnavailable, also for whatever goes wrong inside the block."""
    # Only the workers of sites with such a mailbox need it.
    from imapclient import IMAPClient
    from imapclient.exceptions import IMAPClientError

    context = mailbox.trusted_context or ssl.create_default_context()
    try:
        client = IMAPClient(
            mailbox.host,
            port=mailbox.port,
            ssl=mailbox.security == "tls",
            ssl_context=context if mailbox.security == "tls" else None,
            timeout=ANSWER_TIMEOUT_SECONDS,
        )
        try:
            if mailbox.security == "starttls":
                client.starttls(context)
            client.login(mailbox.user, mailbox.password)
            selected = client.select_folder(mailbox.folder)
            yield OpenMailbox(client, int(selected[b"UIDVALIDITY"]))
        finally:
            client.shutdown()
    except (IMAPClientError, OSError) as error:
        raise ImapUnavailable(" ".join(str(error).split())[:200]) from error


class OpenMailbox:
    """An open folder."""

    def __init__(self, client: "IMAPClient", validity: int) -> None:
        self._client, self._validity = client, validity

    def take_new(self, seen: SeenEmails, store: StoreEmail, *, now: datetime) -> SeenEmails:
        """Hand every email that is new since ``seen`` and may be for us to ``store``, and delete those that it has kept.

        Return what has been seen.
        """
        if seen.validity != self._validity:
            seen = SeenEmails(self._validity)
        for email in self._emails_after(seen.last_uid, since=(now - LOOK_BACK).date()):
            if email.size <= MAX_MESSAGE_SIZE and (email.is_report or _has_token(email)):
                raw = self._client.fetch([email.uid], [_peek(_WHOLE)])[email.uid][_WHOLE]
                if store(email.recipients, raw):
                    self._delete(email.uid)
            seen = SeenEmails(self._validity, email.uid)
        return seen

    def _emails_after(self, last_uid: int, *, since: date) -> Iterator[FetchedEmail]:
        found = self._client.search(["UNDELETED", "SINCE", since, "UID", f"{last_uid + 1}:*"])
        # "N:*" always contains the newest email.
        for uid in sorted(number for number in found if number > last_uid):
            fetched = self._client.fetch([uid], [_SIZE, _peek(_FIELDS)]).get(uid)
            if fetched is not None:
                header = parsed_message(fetched[_FIELDS])
                is_report = header.get_content_type() == "multipart/report"
                yield FetchedEmail(uid, tuple(_recipients(header)), fetched[_SIZE], is_report)

    def _delete(self, uid: int) -> None:
        """Delete an email; only a server with UIDPLUS can do that without deleting others that are marked (RFC 4315)."""
        self._client.delete_messages([uid], silent=True)
        if self._client.has_capability("UIDPLUS"):
            self._client.uid_expunge([uid])


def _has_token(email: FetchedEmail) -> bool:
    return any("+" in recipient for recipient in email.recipients)


def _peek(item: bytes) -> bytes:
    """Return what is asked for, so that emails stay unread."""
    return item.replace(b"BODY[", b"BODY.PEEK[")


def _recipients(header: Message) -> list[str]:
    """Return the addresses to which an email was delivered or sent, those noted by mail servers on its way first."""
    values = [str(value) for name in _RECIPIENT_FIELDS for value in header.get_all(name, [])]
    return list(dict.fromkeys(addresses_in(values)))[:_MAX_RECIPIENTS]
