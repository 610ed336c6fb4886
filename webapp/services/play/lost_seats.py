"""Seats that their players have lost by missing turns, read from the acts on a game: who may take them.

Its own module because access to a game depends on it.
"""

from typing import Final

from webapp.rights import SERVER, GameRight
from webapp.store.moderation.shown_acts import ShownActRow
from webapp.store.play.rows import GameRow

_SEAT_ACTS: Final = {GameRight.OPEN_SEAT, GameRight.SEAT_PERSON, GameRight.SEAT_BOT}


def returning_seat(row: GameRow, account_id: int | None) -> int | None:
    """Return the open seat that this account lost by missing turns, and can take back; None if there is none.

    ``row`` must be read for a page. A seat that a moderator has opened can't be taken back.
    """
    if account_id is None:
        return None
    openings = ((seat, _opening(row, seat)) for seat in _free_seats(row))
    return next(
        (
            seat
            for seat, act in openings
            if act is not None and act.before.get("account_id") == account_id
        ),
        None,
    )


def volunteer_seat(row: GameRow) -> int | None:
    """Return the open seat of a late player that anyone may take, as the table has chosen; None if there is none."""
    if row.late_rules.replacement != "volunteers":
        return None
    return next((seat for seat in _free_seats(row) if _opening(row, seat) is not None), None)


def _free_seats(row: GameRow) -> list[int]:
    return [seat.number for seat in row.seats if seat.is_free] if row.status.is_under_way else []


def _opening(row: GameRow, seat: int) -> ShownActRow | None:
    """Return the act with which the server has opened the seat, if nothing happened to it since."""
    acts = (act for act in row.acts if act.seat == seat and act.act in _SEAT_ACTS)
    newest = next(acts, None)
    if newest is None or newest.act != GameRight.OPEN_SEAT or newest.standing != SERVER:
        return None
    return newest


def was_open_to_viewer(row: GameRow) -> bool:
    """Return whether the viewer may know that a seat was open: it was theirs, or anyone's."""
    was_opened = any(act.act == GameRight.OPEN_SEAT and act.standing == SERVER for act in row.acts)
    return was_opened and (row.has_viewer_sat or row.late_rules.replacement == "volunteers")
