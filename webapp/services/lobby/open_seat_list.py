"""The list of open seats that a viewer may take."""

from typing import Final

from webapp.services.accounts.person import Person
from webapp.services.accounts.sessions import person_for
from webapp.services.lobby.volunteers import is_volunteer
from webapp.services.tx import Tx
from webapp.store.lobby.open_seats import OpenSeatRow, open_seats
from webapp.store.redacted import Redacted

MAX_LISTED_SEATS: Final = 50


class OpenSeatList(Redacted, frozen=True, kw_only=True):
    """Games that need a player, the one that has waited longest first."""

    me: Person | None
    rows: tuple[OpenSeatRow, ...]
    is_volunteer: bool
    """Whether the viewer wants emails about open seats."""


def open_seat_list(tx: Tx, token: str | None) -> OpenSeatList:
    """Return the open seats of public tables, and for members those of their clubs' tables."""
    me = person_for(tx, token)
    account_id = None if me is None else me.id
    return OpenSeatList(
        me=me,
        rows=open_seats(tx.connection, account_id, limit=MAX_LISTED_SEATS),
        is_volunteer=me is not None and is_volunteer(tx, me),
    )
