"""A simulated year: the loop over everything that happens next, with a clock of its own."""

import heapq
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from operator import itemgetter
from typing import Final, TypeAlias
from zoneinfo import ZoneInfo

from engine.bots.policy import choose_action
from webapp.pace.calendar import Interval
from webapp.services.keys import Keyring
from webapp.services.operations.simulated_year import DueTimes, due_times, records
from webapp.services.play.bot_turns import claim_bot_turn, play_bot_turn
from webapp.services.tx import Database, read_only
from webapp.simulated_year import visits
from webapp.simulated_year.clock_work import (
    make_up_for_server_outage,
    settle_mail_outage,
    sweep_deadlines,
)
from webapp.simulated_year.emails import Answer, DeliveredEmail, deliver
from webapp.simulated_year.evidence import Evidence
from webapp.simulated_year.outages import NoticedOutages, draw_outages
from webapp.simulated_year.people import ZONES, Habits, answer_delay, answer_time
from webapp.simulated_year.seeded_random import rng_for
from webapp.simulated_year.visits import WAIT_BEFORE_NUDGE, Site

Event: TypeAlias = Callable[[datetime], None]
START: Final = datetime(2026, 3, 2, 12, tzinfo=UTC)
_YEAR: Final = timedelta(days=365)
_LATENCY: Final = timedelta(seconds=2)
"""How long after something is due a worker does it."""
_MOST_REPEATS: Final = 1000
"""How often the same thing may be due before it is held up for a minute and counted."""
_PAUSE_WHILE_EMAIL_IS_DOWN: Final = timedelta(minutes=1)
"""How often workers look for held turns while no deadline runs out."""
_HOUR: Final = timedelta(hours=1)
_PLAN_SHARE: Final = 0.15
_NUDGE_SHARE: Final = 0.3
_DECLARED_HOLIDAY_SHARE: Final = 0.8
"""The share of holidays that are declared."""
_ANSWERED_EMAIL_KINDS: Final = frozenset(
    {"dealt", "your-turn", "reminder", "nudge", "round-over", "turn-missed"}
)


class SimulatedYear:
    """People, their games and the clock of a year. Everything by chance follows from the seed."""

    def __init__(self, database: Database, *, games: int, seed: str) -> None:
        self._rng = rng_for(seed)
        keys = Keyring(b"the key of a simulated year, of no secret", domain="lodepost.example")
        self._site = Site(database=database, keys=keys, rng=self._rng)
        self._game_count = games
        self._outages = draw_outages(self._rng, start=START)
        self._people: dict[str, Habits] = {}
        self._events: list[tuple[datetime, int, Event]] = []
        self._event_numbers = count()
        self._delayed_until: dict[str, datetime] = {}
        self._repeat_counts: Counter[tuple[str, datetime]] = Counter()
        self.now = START
        self.counts: Counter[str] = Counter()
        self._accepted_emails: list[DeliveredEmail] = []
        self._due_times = DueTimes(None, None, None, 0)
        self._read_change_count = -1
        """How much had changed when the times were read."""
        self._noticed_outages = NoticedOutages()

    def run(self, show_progress: Callable[[int, int], None]) -> Evidence:
        """Let the year pass until every game has ended, and return what the checks need."""
        self._create_people_and_games()
        for steps in count():
            name, at, step = self._next_event()
            if step is None or at > START + _YEAR:
                break
            self.now = max(self.now, at)
            if outage := self._outages.server_outage_at(self.now):
                self._wait_for_server(outage)
                if name == "people":
                    self._postpone_person()
                continue
            step(self.now)
            if steps % 200 == 0:
                show_progress(self._ended_count(), self._game_count)
        show_progress(self._ended_count(), self._game_count)
        with read_only(self._site.database) as tx:
            stored_records = records(tx)
        return Evidence(
            records=stored_records,
            paces={self._site.game_ids[slug]: pace for slug, pace in self._site.paces.items()},
            people={habits.person.id: habits for habits in self._people.values()},
            accepted_emails=tuple(self._accepted_emails),
            # An outage of the relay stops the clocks from the first email that it keeps from being sent.
            outages=self._outages._replace(relay=self._noticed_outages.intervals()),
            counts=self.counts,
        )

    def _create_people_and_games(self) -> None:
        people = [
            visits.sign_up_person(self._site, number, self._rng.choice(ZONES), now=START)
            for number in range(1, self._game_count * 2 + 6)
        ]
        self._people = {habits.person.address: habits for habits in people}
        for habits in people:
            self._add_holidays(habits)
        for _ in range(self._game_count):
            at = START + timedelta(hours=self._rng.uniform(0, 14 * 24))
            players = self._rng.sample(people, self._rng.choice((3, 3, 4, 4, 5, 6)))
            bots = self._rng.choice((0, 0, 0, 1))
            self._add_event(at, partial(self._open_game, players, bots))

    def _add_event(self, at: datetime, event: Event) -> None:
        heapq.heappush(self._events, (at, next(self._event_numbers), event))

    def _next_event(self) -> tuple[str, datetime, Event | None]:
        """Return what happens next and when; None if nothing ever does."""
        next_due_times = self._next_due_times()
        candidates: list[tuple[datetime, str, Event]] = []
        steps: tuple[tuple[str, datetime | None, Event], ...] = (
            ("bots", next_due_times.bots_at, self._play_bot),
            ("clock", next_due_times.clock_at, self._sweep),
            ("emails", next_due_times.emails_at, self._deliver),
        )
        for name, at, step in steps:
            if at is not None:
                due_at = at if name == "bots" else at + _LATENCY
                candidates.append((self._later_if_due_too_often(name, due_at), name, step))
        if self._events:
            candidates.append((self._events[0][0], "people", self._play_person))
        if not candidates or self._ended_count() == self._game_count:
            return "", self.now, None
        next_at, next_name, next_step = min(candidates, key=itemgetter(0, 1))
        return next_name, next_at, next_step

    def _next_due_times(self) -> DueTimes:
        """Return when there is something to do; nothing is read if nothing has changed."""
        if self._read_change_count != self._site.change_count:
            with read_only(self._site.database) as tx:
                self._due_times = due_times(tx)
            self._read_change_count = self._site.change_count
        return self._due_times

    def _later_if_due_too_often(self, name: str, at: datetime) -> datetime:
        """Return ``at``, or a minute from now if it has come up very often and is still due: that is a fault."""
        key = (name, at)
        self._repeat_counts[key] += 1
        if self._repeat_counts[key] % _MOST_REPEATS == 0:
            self.counts[f"{name}_held_up"] += 1
            self._delayed_until[name] = self.now + timedelta(minutes=1)
        return max(at, self._delayed_until.get(name, at))

    def _ended_count(self) -> int:
        return len(self._site.game_ids) - self._due_times.unfinished_games

    def _open_game(self, people: list[Habits], bots: int, now: datetime) -> None:
        """Open a game with these people, or try again the day after if one of them is in too many games for now."""
        if visits.have_room_for_game(self._site, people):
            visits.open_game(self._site, people, bots, now=now)
        else:
            self._add_event(now + 24 * _HOUR, partial(self._open_game, people, bots))

    def _play_person(self, now: datetime) -> None:
        _, _, event = heapq.heappop(self._events)
        event(now)

    def _postpone_person(self) -> None:
        """Let someone who found the server down try again within some hours after it is back."""
        _, _, event = heapq.heappop(self._events)
        self._add_event(self.now + self._rng.uniform(0.1, 6) * _HOUR, event)

    def _sweep(self, now: datetime) -> None:
        if not sweep_deadlines(self._site, now=now):
            self._delayed_until["clock"] = now + _PAUSE_WHILE_EMAIL_IS_DOWN

    def _play_bot(self, now: datetime) -> None:
        with self._site.transaction() as tx:
            turn = claim_bot_turn(tx, now=now, random_below=self._site.random_below)
        if turn is None:
            return
        action = choose_action(turn.view, turn.lines, self._site.random_below, "easy")

        def answer(at: datetime) -> None:
            with self._site.transaction() as tx:
                play_bot_turn(tx, turn, action, now=at, random_below=self._site.random_below)

        self._add_event(max(turn.answer_at, now), answer)

    def _deliver(self, now: datetime) -> None:
        self._site.change_count += 1
        deliveries = deliver(self._site.database, self._relay, keys=self._site.keys, now=now)
        self._accepted_emails += deliveries.accepted_emails
        if self._noticed_outages.intervals():
            settle_mail_outage(self._site, now=now)
        for email in deliveries.accepted_emails:
            if email.kind in _ANSWERED_EMAIL_KINDS:
                self._schedule_visit(self._people[email.address], now)
            if email.kind == "seat-opened":
                self._schedule_substitutes(self._people[email.address], now)
        for email in deliveries.refused_emails:
            # They only see that it is their turn when they look by themselves.
            self._schedule_visit(
                self._people[email.address], now + self._rng.uniform(2, 30) * _HOUR
            )

    def _relay(self, address: str, now: datetime) -> Answer:
        if self._outages.is_relay_down(now):
            self._noticed_outages.add_failure(now)
            return "unreachable"
        if self._people[address].has_bouncing_address:
            return "refused"
        self._noticed_outages.add_success(now)
        return "accepted"

    def _schedule_visit(self, habits: Habits, at: datetime) -> None:
        answer_at = answer_time(habits, at, answer_delay(habits, self._rng))
        self._add_event(answer_at, partial(self._visit, habits))

    def _schedule_substitutes(self, leaver: Habits, now: datetime) -> None:
        """Let the player who lost a seat come back, if they ever do, and volunteers look for one."""
        other_addresses = self._rng.sample(sorted(self._people), 3)
        for habits in (leaver, *(self._people[address] for address in other_addresses)):
            delay = timedelta(hours=self._rng.uniform(6, 96))
            at = answer_time(habits, now, delay)
            self._add_event(at, partial(self._take_open_seats, habits))

    def _take_open_seats(self, habits: Habits, now: datetime) -> None:
        if habits.has_left(now):
            return
        for slug in visits.open_seats(self._site):
            if visits.take_seat(self._site, habits, slug, now=now):
                self.counts["substitutions"] += 1
                self._schedule_visit(habits, now)

    def _visit(self, habits: Habits, now: datetime) -> None:
        if habits.has_left(now):
            return
        visit = visits.visit_site(self._site, habits, now=now)
        self.counts["held_turns"] += len(visit.held_slugs)
        for slug in visit.slugs:
            if slug in visit.played_slugs and self._rng.random() < _PLAN_SHARE:
                self.counts["plans"] += visits.make_plan(self._site, habits, slug, now=now)
            if self._rng.random() < _NUDGE_SHARE:
                self._add_event(now + WAIT_BEFORE_NUDGE, partial(self._nudge, habits, slug))

    def _nudge(self, habits: Habits, slug: str, now: datetime) -> None:
        if not habits.has_left(now):
            self.counts["nudges"] += visits.nudge(self._site, habits, slug, now=now)

    def _add_holidays(self, habits: Habits) -> None:
        """Add a holiday of some days: declared ahead, declared as it begins, or not at all."""
        days, days_until_start = self._rng.randrange(2, 6), self._rng.choice((0, 3, 3))
        declared_at = START + timedelta(days=self._rng.uniform(4, 80))
        is_declared = self._rng.random() < _DECLARED_HOLIDAY_SHARE

        def begin_holiday(now: datetime) -> None:
            holiday = _holiday_of(habits, days, days_until_start, now)
            habits.holidays.append(holiday)
            if not is_declared or habits.has_left(now):
                return
            if visits.declare_absence(
                self._site, habits, days, days_until_start=days_until_start, now=now
            ):
                habits.declared_absences.append(holiday)
                self.counts["absences"] += 1

        self._add_event(declared_at, begin_holiday)

    def _wait_for_server(self, outage: Interval) -> None:
        """Let an outage pass as workers do: the last sweep was before it, and the first one after it makes up for it."""
        self.now = outage.end
        make_up_for_server_outage(self._site, outage)
        self.counts["outages"] += 1


def _holiday_of(habits: Habits, days: int, days_until_start: int, now: datetime) -> Interval:
    """Return the interval of a holiday, from midnight to midnight where the person lives."""
    zone = ZoneInfo(habits.person.zone)
    first_day = now.astimezone(zone).date() + timedelta(days=days_until_start)
    midnight = datetime.min.time()
    start = datetime.combine(first_day, midnight, zone).astimezone(UTC)
    end = datetime.combine(first_day + timedelta(days=days + 1), midnight, zone).astimezone(UTC)
    return Interval(max(start, now), end)
