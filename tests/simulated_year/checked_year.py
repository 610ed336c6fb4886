"""Evidence of a simulated year of one game, made by hand, and what its checks find in it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, time, timedelta

import msgspec

from tests.simulated_year.checks import findings
from tests.simulated_year.database import (
    RecordedEmail,
    RecordedEvent,
    RecordedGame,
    SimulatedYearRecords,
)
from tests.simulated_year.emails import DeliveredEmail
from tests.simulated_year.evidence import Evidence, Extension
from tests.simulated_year.outages import Outages
from tests.simulated_year.people import Habits
from webapp.accounts.person import Person
from webapp.clock.pace.calendar import Interval
from webapp.clock.pace.pace import USUAL_LATE_RULES, LateRules, named_pace

MONDAY = datetime(2026, 3, 2, tzinfo=UTC)
HOUR = timedelta(hours=1)
PLAYER_ID = 1
PLAYER_HABITS = Habits(
    person=Person(
        id=PLAYER_ID,
        name="A",
        address="a@x.test",
        language="en",
        zone="UTC",
        picks_gold=True,
    ),
    wakes_at=time(7),
    sleeps_at=time(22),
    median_answer_time=HOUR,
    plays_at_weekends=True,
    has_bouncing_address=False,
    has_quiet_hours=False,
    reminder_hours=(),
    leaves_at=None,
)


def hours_interval(start: float, end: float) -> Interval:
    """Return an interval given in hours after Monday, at midnight."""
    return Interval(MONDAY + start * HOUR, MONDAY + end * HOUR)


def deadline_event(
    kind: str,
    hours: float,
    deadline_hours: float | None = None,
    *,
    turn_seq: int = 0,
    cause: str = "",
    by: str = "player",
) -> RecordedEvent:
    """Return an event of a turn of the player, some hours after Monday."""
    return RecordedEvent(
        game_id=1,
        turn_seq=turn_seq,
        at=MONDAY + hours * HOUR,
        kind=kind,
        seat=0,
        account_id=PLAYER_ID,
        deadline_at=None if deadline_hours is None else MONDAY + deadline_hours * HOUR,
        cause=cause,
        by=by,
    )


class CheckedYear(msgspec.Struct, kw_only=True):
    """One daily game of one player: every turn has 24 hours, and 48 hours are in the bank."""

    late_rules: LateRules = USUAL_LATE_RULES
    called_hours: Mapping[int, float] = msgspec.field(default_factory=lambda: {0: 0.0})
    """When the email about each turn was accepted."""
    email_kind: str = "your-turn"
    strikes: Sequence[int] = ()
    """The turns that gave strikes."""
    absences: Sequence[Interval] = ()
    visit_hours: Sequence[float] = ()
    has_quiet_hours: bool = False
    """Whether the player wants no emails from 22 to 7 o'clock."""
    extensions: Mapping[float, timedelta] = msgspec.field(default_factory=dict)
    outages: Outages = Outages(server=(), relay=())

    def findings_of(self, *events: RecordedEvent) -> list[tuple[str, str]]:
        """Return what the checks find in these events."""
        return [(finding.check, finding.cause) for finding in findings(self._evidence_of(events))]

    def _evidence_of(self, events: Sequence[RecordedEvent]) -> Evidence:
        calls = list(enumerate(self.called_hours.items(), start=1))
        strikes = [
            _email(100 + turn, "turn-missed", turn + 1, dedup_key=1) for turn in self.strikes
        ]
        return Evidence(
            records=SimulatedYearRecords(
                games=(RecordedGame(1, "a-game", "finished", None, 0, None),),
                events=events,
                emails=(
                    *(_email(number, self.email_kind, turn) for number, (turn, _) in calls),
                    *strikes,
                ),
                seats=(),
            ),
            paces={1: named_pace("daily", "UTC")},
            late_rules={1: self.late_rules},
            people={
                PLAYER_ID: msgspec.structs.replace(
                    PLAYER_HABITS,
                    declared_absences=list(self.absences),
                    has_quiet_hours=self.has_quiet_hours,
                )
            },
            accepted_emails=tuple(
                DeliveredEmail(
                    number, self.email_kind, PLAYER_HABITS.person.address, MONDAY + hours * HOUR
                )
                for number, (_, hours) in calls
            ),
            outages=self.outages,
            counts=Counter(),
            extensions=tuple(
                Extension(1, MONDAY + hours * HOUR, extra)
                for hours, extra in self.extensions.items()
            ),
            visits={(1, PLAYER_ID): [MONDAY + hours * HOUR for hours in self.visit_hours]},
        )


def _email(number: int, kind: str, seq: int, *, dedup_key: int = 0) -> RecordedEmail:
    return RecordedEmail(number, kind, 1, seq, PLAYER_ID, "sent", dedup_key, MONDAY)
