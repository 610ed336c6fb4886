"""What the checks of a simulated year judge, and what they report."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

import msgspec

from tests.simulated_year.database import RecordedEvent, SimulatedYearRecords
from tests.simulated_year.emails import DeliveredEmail
from tests.simulated_year.outages import Outages
from tests.simulated_year.people import Habits
from webapp.clock.pace.pace import USUAL_LATE_RULES, LateRules, Pace


class Extension(NamedTuple):
    """Time that a moderator has given to a turn."""

    game_id: int
    at: datetime
    extra: timedelta


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What the checks judge, and what they judge it by."""

    records: SimulatedYearRecords
    paces: Mapping[int, Pace]
    late_rules: Mapping[int, LateRules] = msgspec.field(default_factory=dict)
    people: Mapping[int, Habits]
    accepted_emails: tuple[DeliveredEmail, ...]
    outages: Outages
    counts: Counter[str]
    extensions: tuple[Extension, ...] = ()
    visits: Mapping[tuple[int, int], list[datetime]] = msgspec.field(default_factory=dict)
    """When people took their turns in person, by game and account."""

    def late_rules_of(self, game_id: int) -> LateRules:
        """Return what the table of a game has chosen to become of late and absent players."""
        return self.late_rules.get(game_id, USUAL_LATE_RULES)


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
