"""A signed-in person as use cases pass them around."""

from datetime import datetime
from typing import TypeAlias

import msgspec

from webapp.clock.pace.calendar import lies_ahead
from webapp.kernel.redacted import Redacted


class WaitingGame(Redacted, frozen=True, array_like=True):
    """A game that waits for a person, with the name of its table and the number of all games that do."""

    slug: str
    host_name: str
    table_name: str
    waiting_count: int


class ActiveOptOut(msgspec.Struct, frozen=True, array_like=True):
    """Emails that a person has stopped; ``slug`` and ``host`` are those of the table if the scope is one game."""

    scope: str
    slug: str | None
    host: str | None
    table_name: str | None = ""


class Person(Redacted, frozen=True):
    """The owner of an account. ``id`` and ``address`` are never shown to others."""

    id: int
    address: str
    name: str
    """The name, normalized, not escaped; empty until chosen."""
    language: str
    zone: str
    """The IANA name of the person's time zone."""
    picks_gold: bool
    """Whether the best gold card is picked automatically."""
    banned_until: datetime | None = None
    """The end of the ban in force or of the last one."""
    warning_id: int | None = None
    """A warning that the person has not confirmed to have read yet."""
    dismissed_announcement: int = 0
    """The newest announcement to the whole site that the person has dismissed."""
    hold_minutes: int = 0
    """How many minutes the person's turns are held before they enter the game."""
    suppressed_until: datetime | None = None
    """The end of the time in which the person gets no emails, because earlier ones came back; it may have passed."""
    wants_link_only: bool = False
    """Whether emails about games contain nothing that only the person may know, and no moves."""
    wants_every_email: bool = False
    """Whether emails about turns are sent at once, also while the person has the table open."""
    moves_need_sign_in: bool = False
    """Whether a move by a link in an email asks the person to be signed in."""
    wants_hints: bool = False
    """Whether the table says what each step is for: until the person has finished a game, or dismissed that."""
    is_moderator: bool = False
    """Whether the person moderates the whole site, and may do so in this session."""
    lacks_passkey: bool = False
    """Whether the person would moderate the site, if they had proved with a passkey who they are in this session."""
    first_waiting_games: tuple[WaitingGame, ...] = ()
    """The first of the games in which it is the person's turn, or they are asked whether they are ready."""
    opt_outs: tuple[ActiveOptOut, ...] = ()
    """Emails that the person stopped; on a table's page only those about that table."""

    def is_banned(self, *, now: datetime) -> bool:
        """Return whether a ban is in force."""
        return lies_ahead(self.banned_until, now=now)

    @property
    def waiting_games(self) -> int:
        """Return how many games wait for the person."""
        return self.first_waiting_games[0].waiting_count if self.first_waiting_games else 0

    def next_game(self, *, after: str | None) -> WaitingGame | None:
        """Return the game that waits with the least time left, unless it is the one with the slug ``after``."""
        return next((game for game in self.first_waiting_games if game.slug != after), None)


Viewer: TypeAlias = str | Person | None
"""The viewer of a page: the value of a session cookie, a person already looked up, or no one."""


class Banned(Exception):
    """A banned person asked for a page: they are shown why, until when, and how to appeal, and nothing else."""

    def __init__(self, person: Person) -> None:
        super().__init__()
        self.person = person


class PasskeyRequired(Exception):
    """A site moderator wants to moderate, but the site demands a passkey first. Answered by a page that says how."""


def admitted_person(person: Person | None, *, now: datetime) -> Person | None:
    """Return the person who is signed in, if any. Raises Banned."""
    if person is not None and person.is_banned(now=now):
        raise Banned(person)
    return person
