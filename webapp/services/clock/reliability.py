"""How reliably a player takes their turns: the share of their latest turns that were in time.

Excused turns are counted by themselves: the player was away as they had said, the site was closed or could not be reached,
or no email about the turn could be delivered. Turns missed on one day count as one, in however many games.
"""

from datetime import datetime, timedelta
from typing import Final

import msgspec

from webapp.services.tx import Tx
from webapp.store.clock import reliability
from webapp.store.clock.reliability import TurnEndRow

WINDOW: Final = timedelta(days=180)
MAX_TURNS: Final = 50
MIN_TURNS: Final = 10
"""Players with fewer turns are new: a share would say nothing about them."""


class Reliability(msgspec.Struct, frozen=True, kw_only=True):
    """How the latest turns of a player ended."""

    on_time: int = 0
    late: int = 0
    missed: int = 0
    """Days on which turns were missed."""
    excused: int = 0

    @property
    def turns(self) -> int:
        """Return how many turns count."""
        return self.on_time + self.late + self.missed

    @property
    def percent(self) -> int | None:
        """Return the share of turns in time, rounded down; None for a new player."""
        return None if self.turns < MIN_TURNS else self.on_time * 100 // self.turns


def reliability_of(tx: Tx, account_id: int, *, now: datetime) -> Reliability:
    """Return how the player's latest turns ended."""
    rows = reliability.latest_turn_ends(
        tx.connection, [account_id], since=now - WINDOW, limit=MAX_TURNS
    )
    return reliability_from(rows)


def reliability_from(rows: tuple[TurnEndRow, ...]) -> Reliability:
    """Return the counts of the ends of one player's turns."""
    bad_ends = [row for row in rows if row.kind != "played"]
    held_against = [row for row in bad_ends if not row.is_excused]
    return Reliability(
        on_time=len(rows) - len(bad_ends),
        late=sum(row.kind == "late" for row in held_against),
        missed=len({row.at.date() for row in held_against if row.kind == "missed"}),
        excused=len(bad_ends) - len(held_against),
    )
