"""What the checks of a simulated year judge, and what they report.

Its own module because the checks of deadlines and those of emails are two modules.
"""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime

import msgspec

from webapp.pace.pace import Pace
from webapp.services.operations.simulated_year import RecordedEvent, SimulatedYearRecords
from webapp.simulated_year.emails import DeliveredEmail
from webapp.simulated_year.outages import Outages
from webapp.simulated_year.people import Habits


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What the checks judge, and what they judge it by."""

    records: SimulatedYearRecords
    paces: Mapping[int, Pace]
    people: Mapping[int, Habits]
    accepted_emails: tuple[DeliveredEmail, ...]
    outages: Outages
    counts: Counter[str]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Something that may not happen, and where it did."""

    check: str
    cause: str
    game_id: int
    turn_seq: int
    at: datetime


def finding_at(check: str, cause: str, event: RecordedEvent) -> Finding:
    """Return what is wrong with an event of a deadline."""
    return Finding(
        check=check, cause=cause, game_id=event.game_id, turn_seq=event.turn_seq, at=event.at
    )
