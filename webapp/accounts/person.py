"""A signed-in person as use cases pass them around."""

from datetime import datetime
from typing import TypeAlias

from webapp.clock.pace.calendar import has_passed
from webapp.kernel.redacted import Redacted
from webapp.mail.queries.opt_outs import ActiveOptOut
from webapp.play.queries.rows import AccountRow
from webapp.site.queries.viewer_columns import WaitingGame, decode_waiting_games


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
    hold_minutes: int = 0
    """For how long the person's turns are held before they enter the game."""
    wants_link_only: bool = False
    """Whether emails about games contain nothing that only the person may know, and no moves."""
    wants_every_email: bool = False
    """Whether emails about turns are sent at once, also while the person has the table open."""
    moves_need_sign_in: bool = False
    """Whether a move by a link in an email asks the person to be signed in."""
    wants_hints: bool = False
    """Whether the table says what each step is for: until the person has finished a game, or dismissed that."""
    suppressed_until: datetime | None = None
    """Until when the person gets no emails, because they came back; it may have passed."""
    is_moderator: bool = False
    """Whether the person moderates the whole site, and may do so in this session."""
    lacks_passkey: bool = False
    """Whether the person would moderate the site, if they had proved with a passkey who they are in this session."""
    warning_id: int | None = None
    """A warning that the person has not confirmed to have read yet."""
    dismissed_announcement: int = 0
    """The newest announcement to the whole site that the person has dismissed."""
    first_waiting_games: tuple[WaitingGame, ...] = ()
    """The first of the games in which it is the person's turn, or they are asked whether they are ready."""
    opt_outs: tuple[ActiveOptOut, ...] = ()
    """Emails that the person stopped; on a table's page only those about that table."""

    @property
    def waiting_games(self) -> int:
        """Return in how many games something waits for the person."""
        return self.first_waiting_games[0].waiting_count if self.first_waiting_games else 0

    def next_game(self, *, after: str | None) -> WaitingGame | None:
        """Return the game that waits with the least time left, unless it is the one with the slug ``after``."""
        return next((game for game in self.first_waiting_games if game.slug != after), None)


Viewer: TypeAlias = str | Person | None
"""The reader of a page: the value of a session cookie, a person already looked up, or no one."""


class Banned(Exception):
    """A banned person asked for a page: they are shown why, until when, and how to appeal, and nothing else."""

    def __init__(self, person: Person) -> None:
        super().__init__()
        self.person = person


class PasskeyRequired(Exception):
    """A site moderator wants to moderate, but the site demands a passkey first. Answered by a page that says how."""


def admitted_person(row: AccountRow, *, now: datetime) -> Person:
    """Return the person of a signed-in account. Raises Banned."""
    person = person_from(row)
    if row.banned_until is not None and not has_passed(row.banned_until, now=now):
        raise Banned(person)
    return person


def person_from(row: AccountRow) -> Person:
    return Person(
        id=row.id,
        address=row.address,
        name=row.name,
        language=row.language,
        zone=row.zone,
        picks_gold=row.picks_gold,
        hold_minutes=row.hold_minutes,
        wants_link_only=row.wants_link_only,
        wants_every_email=row.wants_every_email,
        moves_need_sign_in=row.moves_need_sign_in,
        wants_hints=row.wants_hints,
        suppressed_until=row.suppressed_until,
        is_moderator=row.is_moderator and not row.lacks_passkey,
        lacks_passkey=row.lacks_passkey,
        warning_id=row.warning_id,
        dismissed_announcement=row.dismissed_announcement,
        first_waiting_games=decode_waiting_games(row.waiting_games),
        opt_outs=row.opt_outs,
    )
