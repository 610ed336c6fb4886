"""What people of a simulated year decide beside their turns: votes, what they ask a moderator for, and holidays."""

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final
from zoneinfo import ZoneInfo

from tests.simulated_year import table_acts, visits
from tests.simulated_year.evidence import Extension
from tests.simulated_year.people import Habits, answer_delay, answer_time
from tests.simulated_year.schedule import Schedule
from tests.simulated_year.site import Site
from webapp.accounts.person import Person
from webapp.clock.pace.calendar import Interval
from webapp.kernel.rights import GameRight
from webapp.moderation.acts.extend import ExtendInput
from webapp.moderation.acts.rewind import RewindInput
from webapp.play.votes import VoteKind

_PROPOSAL_SHARE: Final = 0.006
"""How often someone who looks at a table proposes something."""
_REWIND_SHARE: Final = 0.003
_EXTENSION_SHARE: Final = 0.08
"""How often someone who is reminded asks for more time."""
_DECLARED_HOLIDAY_SHARE: Final = 0.8
"""The share of holidays that are declared."""
_PROPOSED_KINDS: Final = 6 * (VoteKind.PAUSE,) + 3 * (VoteKind.SHORTEN,) + (VoteKind.CANCEL,)
_YES_SHARES: Final[Mapping[VoteKind, float]] = {
    VoteKind.PAUSE: 0.9,
    VoteKind.RESUME: 0.95,
    VoteKind.SHORTEN: 0.7,
    VoteKind.CANCEL: 0.5,
}


class Decisions:
    """Decides, by chance, who proposes what, how the others vote, and what a moderator is asked for."""

    def __init__(
        self, site: Site, schedule: Schedule, counts: Counter[str], moderator: Person
    ) -> None:
        self._site, self._schedule, self._counts = site, schedule, counts
        self._moderator = moderator
        self.extensions: list[Extension] = []

    def look_at_table(self, habits: Habits, slug: str, *, now: datetime) -> None:
        """Maybe propose a vote at a table, or ask a moderator to take the last turns back."""
        rng = self._site.rng
        if rng.random() < _PROPOSAL_SHARE:
            self._propose(habits, slug, rng.choice(_PROPOSED_KINDS), now)
        if rng.random() < _REWIND_SHARE:
            at = now + timedelta(hours=rng.uniform(0.5, 12))
            self._schedule.add(at, partial(self._rewind, slug))

    def answer_votes(self, habits: Habits, now: datetime) -> None:
        """Answer every vote that waits for this person."""
        if habits.has_left(now):
            return
        for ballot in table_acts.open_ballots_of(self._site, habits):
            kind = VoteKind(ballot.kind)
            is_yes = self._site.rng.random() < _YES_SHARES[kind]
            if table_acts.answer_ballot(self._site, habits, ballot, is_yes=is_yes, now=now):
                self._counts["vote_answers"] += 1

    def nudge(self, habits: Habits, slug: str, now: datetime) -> None:
        """Nudge the player on turn, if that is possible now."""
        if not habits.has_left(now):
            self._counts["nudges"] += visits.nudge(self._site, habits, slug, now=now)

    def consider_extension(self, habits: Habits, *, now: datetime) -> None:
        """Maybe ask a moderator for more time, after a reminder."""
        rng = self._site.rng
        if rng.random() < _EXTENSION_SHARE:
            at = now + timedelta(hours=rng.uniform(0.2, 6))
            self._schedule.add(at, partial(self._extend, habits))

    def _propose(self, habits: Habits, slug: str, kind: VoteKind, now: datetime) -> None:
        if habits.has_left(now) or not table_acts.propose(self._site, habits, slug, kind, now=now):
            return
        self._counts[f"{kind}_proposals"] += 1
        if kind is VoteKind.PAUSE:
            # The person who wanted the pause proposes to continue, some days later; without that it ends by itself.
            delay = timedelta(days=self._site.rng.uniform(2, 9))
            at = answer_time(habits, now + delay, answer_delay(habits, self._site.rng))
            self._schedule.add(at, lambda at: self._propose(habits, slug, VoteKind.RESUME, at))

    def _extend(self, habits: Habits, now: datetime) -> None:
        tables = visits.tables_of_person(self._site, habits)
        slug = next((table.slug for table in tables if table.waits_for_person), None)
        if slug is None:
            return
        extra = timedelta(days=self._site.rng.randrange(1, 4))
        given = ExtendInput(extra=extra)
        if table_acts.act(self._site, self._moderator, slug, GameRight.EXTEND, given, now=now):
            self.extensions.append(Extension(self._site.game_ids[slug], now, extra))
            self._counts["extensions"] += 1

    def _rewind(self, slug: str, now: datetime) -> None:
        seq = table_acts.position_of(self._site, self._moderator, slug, now=now)
        given = RewindInput(turn=max(seq - self._site.rng.randrange(1, 6), 0))
        if table_acts.act(self._site, self._moderator, slug, GameRight.REWIND, given, now=now):
            self._counts["rewinds"] += 1


def add_holiday(
    site: Site, schedule: Schedule, habits: Habits, counts: Counter[str], *, start: datetime
) -> None:
    """Add a holiday of some days to what a person is going to do: declared ahead, declared as it begins, or not at all."""
    days, days_until_start = site.rng.randrange(2, 6), site.rng.choice((0, 3, 3))
    declared_at = start + timedelta(days=site.rng.uniform(4, 80))
    is_declared = site.rng.random() < _DECLARED_HOLIDAY_SHARE

    def begin_holiday(now: datetime) -> None:
        holiday = _holiday_of(habits, days, days_until_start, now)
        habits.holidays.append(holiday)
        if not is_declared or habits.has_left(now):
            return
        if visits.declare_absence(site, habits, days, days_until_start=days_until_start, now=now):
            habits.declared_absences.append(holiday)
            counts["absences"] += 1

    schedule.add(declared_at, begin_holiday)


def _holiday_of(habits: Habits, days: int, days_until_start: int, now: datetime) -> Interval:
    """Return the interval of a holiday, from midnight to midnight where the person lives."""
    zone = ZoneInfo(habits.person.zone)
    first_day = now.astimezone(zone).date() + timedelta(days=days_until_start)
    midnight = datetime.min.time()
    start = datetime.combine(first_day, midnight, zone).astimezone(UTC)
    end = datetime.combine(first_day + timedelta(days=days + 1), midnight, zone).astimezone(UTC)
    return Interval(max(start, now), end)
