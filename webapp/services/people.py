from typing import Final, TypeAlias

from webapp.store.blank import Blank
from webapp.store.opt_outs import Silence

LANGUAGES: Final = ("en", "lv", "et", "sv", "lt", "uk")


class Person(Blank, frozen=True, kw_only=True):
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
    silenced: tuple[Silence, ...] = ()
    """Letters that were stopped; as a table's page knows the person, only those that would tell of that table."""


Asker: TypeAlias = str | Person | None
"""Who asks: the value of a session cookie, somebody already known, or nobody."""
