"""The table that a player reports: public facts only, for moderation, which may not load games.

Someone who sat there and was replaced may report it too, although the game is closed to them until it is over.
"""

from typing import NamedTuple

from webapp.accounts.person import Person, Viewer
from webapp.kernel.redacted import Redacted
from webapp.kernel.refusals import NotFound
from webapp.kernel.tx import Tx
from webapp.play.access import GameAccess, find_game, may_view


class ReportedTable(NamedTuple):
    """What a report refers to: the id of the table, its host, and the accounts in its seats."""

    game_id: int
    host_id: int
    accounts: tuple[int | None, ...]
    may_view: bool
    """Whether the person who reports it may see it."""


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


def people_to_report(tx: Tx, slug: str, viewer: Viewer) -> PeopleToReport:
    """Return the people at a table that the viewer may see, or sat at. Raises NotFound."""
    game, _, person = _game_to_report(tx, slug, viewer)
    me = None if person is None else person.id
    other_seats = tuple(
        OtherSeat(seat.number, seat.name)
        for seat in game.row.seats
        if seat.account_id not in {None, me}
    )
    return PeopleToReport(
        person, game.row.host_name, game.row.table_name, other_seats, may_view(game, person)
    )


def reported_table(tx: Tx, slug: str, viewer: Viewer) -> tuple[Person | None, ReportedTable]:
    """Return the viewer and what a report about this table refers to. Raises NotFound."""
    game, _, person = _game_to_report(tx, slug, viewer)
    row = game.row
    return person, ReportedTable(
        row.id,
        row.host_id,
        tuple(seat.account_id for seat in row.seats),
        may_view(game, person),
    )


def _game_to_report(tx: Tx, slug: str, viewer: Viewer) -> GameAccess:
    access = find_game(tx, slug, viewer, mode="read")
    if not may_view(access.game, access.person) and not access.game.row.has_viewer_sat:
        raise NotFound
    return access
