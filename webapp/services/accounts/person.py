"""A signed-in person as the services pass them around."""

from typing import TypeAlias

from webapp.store.notifications.opt_outs import ActiveOptOut
from webapp.store.play.rows import AccountRow
from webapp.store.redacted import Redacted


class Person(Redacted, frozen=True, kw_only=True):
    """The owner of an account. ``id`` and ``address`` are never shown to others."""

    id: int
    name: str
    """Normalized, not escaped; empty until chosen."""
    address: str
    language: str
    zone: str
    """The IANA name of the person's time zone."""
    picks_gold: bool
    """Whether the best gold card is picked automatically."""
    opt_outs: tuple[ActiveOptOut, ...] = ()
    """Emails that the person stopped; on a table's page only those about that table."""


Viewer: TypeAlias = str | Person | None
"""The reader of a page: the value of a session cookie, a person already looked up, or no one."""


def is_storable(text: str) -> bool:
    """Return whether text from a request may be used in a query: Postgres rejects NUL and lone surrogates."""
    return text.isascii() and text.isprintable()


def person_from(row: AccountRow) -> Person:
    return Person(
        id=row.id,
        address=row.address,
        name=row.name,
        language=row.language,
        zone=row.zone,
        picks_gold=row.picks_gold,
        opt_outs=row.opt_outs,
    )
