"""What stands around every page: where the links of header and footer lead, and what is to be announced."""

from typing import Literal, NamedTuple

Kind = Literal["info", "good", "warn", "bad"]


class NavItem(NamedTuple):
    """A link of the header; ``waiting`` is shown as a badge when there is something to do behind it."""

    href: str
    label: str
    current: bool = False
    waiting: int = 0


class Chrome(NamedTuple):
    home: str
    css: str
    rules: str
    source: str
    items: tuple[NavItem, ...] = ()
    flashes: tuple[tuple[Kind, str], ...] = ()
    """Announcements, each with its kind; shown once, above the page."""
    icon: str | None = None
    """The address of the sign that stands before the name and in the browser's tab."""
