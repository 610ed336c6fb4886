from typing import Final, TypeAlias

from webapp.store.notifications.opt_outs import ActiveOptOut
from webapp.store.play.rows import AccountRow
from webapp.store.redacted import Redacted

LANGUAGES: Final = ("en", "lv", "et", "sv", "lt", "uk")


class Person(Redacted, frozen=True, kw_only=True):
    """Somebody with an account. ``id`` and ``address`` are never shown to others."""

    id: int
    name: str
    """Cleaned, not escaped; empty until chosen."""
    address: str
    language: str
    zone: str
    """The IANA name of the person's time zone."""
    picks_gold: bool
    """The best gold card is picked automatically."""
    opt_outs: tuple[ActiveOptOut, ...] = ()
    """Letters that were stopped; as a table's page knows the person, only those that would tell of that table."""


Viewer: TypeAlias = str | Person | None
"""Who asks: the value of a session cookie, somebody already known, or nobody."""


def could_be_stored(word: str) -> bool:
    """Whether a word from outside may be asked for at all: the database takes neither zeros nor half characters."""
    return word.isascii() and word.isprintable()


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
