"""How reliably a player takes their turns: the share of their latest turns that were in time.

Excused turns are counted by themselves: the player was away as they had said, the site was closed or could not be reached,
or no email about the turn could be delivered. Turns missed on one day count as one, in however many games. Games with bots
alone do not count: in one evening with them anyone could make up for all that they have missed.
"""

from collections.abc import Iterable
from datetime import timedelta
from typing import Final

from webapp.accounts.person import Person
from webapp.clock.queries import reliability
from webapp.clock.queries.reliability import Reliability
from webapp.kernel.tx import Tx
from webapp.play.access import GameAccess
from webapp.play.queries.rows import SeatRow

RELIABILITY_PERIOD: Final = timedelta(days=180)
MAX_COUNTED_TURNS: Final = 50


def reliability_of(tx: Tx, account_id: int) -> Reliability:
    """Return how the player's latest turns ended."""
    return reliability_by_account(tx, {account_id})[account_id]


def reliability_by_seat(
    tx: Tx, seats: Iterable[SeatRow], viewer: Person | None
) -> dict[int, Reliability]:
    """Return how the latest turns of the people in these seats ended, by seat; only people who are signed in see it.

    One statement, however many seats there are.
    """
    if viewer is None:
        return {}
    account_ids = {seat.number: seat.account_id for seat in seats if seat.account_id is not None}
    by_account = reliability_by_account(tx, set(account_ids.values()))
    return {number: by_account[account_id] for number, account_id in account_ids.items()}


def reliability_at_table(tx: Tx, access: GameAccess) -> dict[int, Reliability]:
    """Return the same for the seats of a game that is not over."""
    if access.game.is_revealed:
        return {}
    return reliability_by_seat(tx, access.game.row.seats, access.person)


def reliability_by_account(tx: Tx, account_ids: set[int]) -> dict[int, Reliability]:
    """Return how the latest turns of these players ended, in one statement."""
    counts = reliability.count_turn_ends(
        tx,
        sorted(account_ids),
        since=tx.now - RELIABILITY_PERIOD,
        limit=MAX_COUNTED_TURNS,
    )
    return {account_id: counts.get(account_id, Reliability()) for account_id in account_ids}
