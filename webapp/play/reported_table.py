"""What a player reports: a table, someone at it, or a message; public facts and that message only, for moderation, which may not load games.

Someone who sat there and was replaced may report the table too, although the game is closed to them until it is over.
"""

from typing import NamedTuple

from webapp.accounts.person import Person, Viewer
from webapp.kernel.redacted import Redacted
from webapp.kernel.refusals import NotFound
from webapp.kernel.tx import Tx
from webapp.play.access import GameAccess, find_game, may_view
from webapp.play.queries import messages
from webapp.play.talk.talk import may_read_talk


class ReportedMessage(Redacted, frozen=True, kw_only=True):
    """A message of someone else as the person who reports it reads it."""

    number: int
    author_id: int
    seat: int
    name: str
    """The author's name at the table when they wrote it."""
    text: str


class ReportedTable(NamedTuple):
    """What a report refers to: the id of the table, its host, the accounts in its seats, and the message if it is about one."""

    game_id: int
    host_id: int
    accounts: tuple[int | None, ...]
    may_view: bool
    """Whether the person who reports it may see it."""
    message: ReportedMessage | None = None


class OtherSeat(Redacted, frozen=True):
    """A seat in which someone else sits."""

    number: int
    name: str | None


class PeopleToReport(Redacted, frozen=True):
    """What the form of a report shows."""

    viewer: Person | None
    host_name: str
    table_name: str
    others: tuple[OtherSeat, ...]
    may_view: bool
    """Whether the viewer may see the table itself."""
    message: ReportedMessage | None


def people_to_report(
    tx: Tx, slug: str, viewer: Viewer, message_number: int | None = None
) -> PeopleToReport:
    """Return the people at a table that the viewer may see, or sat at, and the message with this number. Raises NotFound."""
    access = _game_to_report(tx, slug, viewer)
    game, _, person = access
    me = None if person is None else person.id
    other_seats = tuple(
        OtherSeat(seat.number, seat.name)
        for seat in game.row.seats
        if seat.account_id not in {None, me}
    )
    return PeopleToReport(
        person,
        game.row.host_name,
        game.row.table_name,
        other_seats,
        may_view(game, person),
        _message_to_report(tx, access, message_number),
    )


def reported_table(
    tx: Tx, slug: str, viewer: Viewer, message_number: int | None = None
) -> tuple[Person | None, ReportedTable]:
    """Return the viewer and what a report about this table, or this message, refers to. Raises NotFound."""
    access = _game_to_report(tx, slug, viewer)
    game, _, person = access
    row = game.row
    return person, ReportedTable(
        row.id,
        row.host_id,
        tuple(seat.account_id for seat in row.seats),
        may_view(game, person),
        _message_to_report(tx, access, message_number),
    )


def remove_reported_message(tx: Tx, game_id: int, number: int, *, author_id: int) -> bool:
    """Remove the text of a message from its table for good; return False if it is gone already."""
    return messages.remove_text(tx, game_id, number, author_id=author_id)


def _message_to_report(tx: Tx, access: GameAccess, number: int | None) -> ReportedMessage | None:
    """Return the message that the viewer chose, None if they chose none. Raises NotFound for one that they cannot read, and their own."""
    person = access.person
    if number is None or person is None:
        return None
    row = (
        messages.find(tx, access.game.row.id, person.id, number) if may_read_talk(access) else None
    )
    if row is None or not row.text or row.account_id == person.id:
        raise NotFound
    return ReportedMessage(
        number=row.number, author_id=row.account_id, seat=row.seat, name=row.name, text=row.text
    )


def _game_to_report(tx: Tx, slug: str, viewer: Viewer) -> GameAccess:
    access = find_game(tx, slug, viewer, mode="read")
    if not may_view(access.game, access.person) and not access.game.row.has_viewer_sat:
        raise NotFound
    return access
