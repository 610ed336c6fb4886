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
from webapp.services.operations import maintenance
from webapp.services.operations.simulated_year import due_times, records
from webapp.services.operations.site_health import record_heartbeat
from webapp.services.play.bot_turns import claim_bot_turn, play_bot_turn
from webapp.services.play.deadlines import sweep
from webapp.services.tx import Database, transaction
from webapp.simulated_year import visits
from webapp.simulated_year.chance import chance_for
from webapp.simulated_year.checks import Evidence
from webapp.simulated_year.emails import Answer, Delivered, deliver
from webapp.simulated_year.outages import draw_outages
from webapp.simulated_year.people import ZONES, Habits, answer_delay, answer_time
from webapp.simulated_year.visits import NUDGE_PATIENCE, Site

Event: TypeAlias = Callable[[datetime], None]
START: Final = datetime(2026, 3, 2, 12, tzinfo=UTC)
_YEAR: Final = timedelta(days=365)
_LATENCY: Final = timedelta(seconds=2)
"""How long after something is due a worker does it."""
_MOST_REPEATS: Final = 1000
"""How often the same thing may be due before it is held up for a minute and counted."""
_HOUR: Final = timedelta(hours=1)
_PLAN_SHARE: Final = 0.15
_NUDGE_SHARE: Final = 0.3
_DECLARED_SHARE: Final = 0.8
"""The share of holidays that are declared."""
_ANSWERED_KINDS: Final = frozenset(
    {"dealt", "your-turn", "reminder", "nudge", "round-over", "turn-missed"}
)


class Year:
    """People, their games and the clock of a year. Everything by chance follows from the seed."""

    def __init__(self, database: Database, *, games: int, seed: str) -> None:
        self._rng = chance_for(seed)
        keys = Keyring(b"the key of a simulated year, of no secret", domain="lodepost.example")
        self._site = Site(database=database, keys=keys, rng=self._rng, game_ids={}, paces={})
        self._game_count = games
        self._outages = draw_outages(self._rng, start=START)
        self._people: dict[str, Habits] = {}
        self._events: list[tuple[datetime, int, Event]] = []
        self._numbers = count()
        self._held_up_until: dict[str, datetime] = {}
        self._repeats: Counter[tuple[str, datetime]] = Counter()
        self.now = START
        self.counts: Counter[str] = Counter()
        self._accepted: list[Delivered] = []
        self._unfinished_count = 0

    def run(self, show_progress: Callable[[int, int], None]) -> Evidence:
        """Let the year pass until every game has ended, and return what the checks need."""
        self._begin()
        for steps in count():
            name, at, step = self._next()
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
        with transaction(self._site.database) as tx:
            stored = records(tx)
        return Evidence(
            records=stored,
            paces={self._site.game_ids[slug]: pace for slug, pace in self._site.paces.items()},
            people={habits.person.id: habits for habits in self._people.values()},
            accepted=tuple(self._accepted),
            outages=self._outages,
            counts=self.counts,
        )

    def _begin(self) -> None:
        people = [
            visits.arrive(self._site, number, self._rng.choice(ZONES), now=START)
            for number in range(1, self._game_count * 2 + 6)
        ]
        self._people = {habits.person.address: habits for habits in people}
        for habits in people:
            self._add_holidays(habits)
        for _ in range(self._game_count):
            at = START + timedelta(hours=self._rng.uniform(0, 14 * 24))
            chosen = self._rng.sample(people, self._rng.choice((3, 3, 4, 4, 5, 6)))
            bots = self._rng.choice((0, 0, 0, 1))
            self._add(at, partial(self._open, chosen, bots))

    def _add(self, at: datetime, event: Event) -> None:
        heapq.heappush(self._events, (at, next(self._numbers), event))

    def _next(self) -> tuple[str, datetime, Event | None]:
        """Return what happens next and when; None if nothing ever does."""
        with transaction(self._site.database) as tx:
            due = due_times(tx)
        self._unfinished_count = due.unfinished_games
        candidates: list[tuple[datetime, str, Event]] = []
        steps: tuple[tuple[str, datetime | None, Event], ...] = (
            ("bots", due.bots_at, self._play_bot),
            ("clock", due.clock_at, self._sweep),
            ("emails", due.emails_at, self._deliver),
        )
        for name, at, step in steps:
            if at is not None:
                due_at = at if name == "bots" else at + _LATENCY
                candidates.append((self._not_forever(name, due_at), name, step))
        if self._events:
            candidates.append((self._events[0][0], "people", self._play_person))
        if not candidates or self._ended_count() == self._game_count:
            return "", self.now, None
        next_at, next_name, next_step = min(candidates, key=itemgetter(0, 1))
        return next_name, next_at, next_step

    def _not_forever(self, name: str, at: datetime) -> datetime:
        """Return ``at``, or a minute from now if it has come up very often and is still due: that is a fault."""
        key = (name, at)
        self._repeats[key] += 1
        if self._repeats[key] % _MOST_REPEATS == 0:
            self.counts[f"{name}_held_up"] += 1
            self._held_up_until[name] = self.now + timedelta(minutes=1)
        return max(at, self._held_up_until.get(name, at))

    def _ended_count(self) -> int:
        return len(self._site.game_ids) - self._unfinished_count

    def _open(self, people: list[Habits], bots: int, now: datetime) -> None:
        """Open a game with these people, or try again the day after if one of them is in too many games for now."""
        if visits.have_room(self._site, people):
            visits.open_game(self._site, people, bots, now=now)
        else:
            self._add(now + 24 * _HOUR, partial(self._open, people, bots))

    def _play_person(self, now: datetime) -> None:
        _, _, event = heapq.heappop(self._events)
        event(now)

    def _postpone_person(self) -> None:
        """Let someone who found the server down try again within some hours after it is back."""
        _, _, event = heapq.heappop(self._events)
        self._add(self.now + self._rng.uniform(0.1, 6) * _HOUR, event)

    def _sweep(self, now: datetime) -> None:
        with transaction(self._site.database) as tx:
            if not maintenance.are_clocks_stopped(tx):
                sweep(tx, now=now, pick=self._site.pick)

    def _play_bot(self, now: datetime) -> None:
        with transaction(self._site.database) as tx:
            turn = claim_bot_turn(tx, now=now, pick=self._site.pick)
        if turn is None:
            return
        action = choose_action(turn.view, turn.lines, self._site.pick, "easy")

        def answer(at: datetime) -> None:
            with transaction(self._site.database) as tx:
                play_bot_turn(tx, turn, action, now=at, pick=self._site.pick)

        self._add(max(turn.answer_at, now), answer)

    def _deliver(self, now: datetime) -> None:
        deliveries = deliver(self._site.database, self._relay, keys=self._site.keys, now=now)
        self._accepted += deliveries.accepted
        for email in deliveries.accepted:
            if email.kind in _ANSWERED_KINDS:
                self._notice(self._people[email.address], now)
            if email.kind == "seat-opened":
                self._expect_substitutes(self._people[email.address], now)
        for email in deliveries.refused:
            # They only see that it is their turn when they look by themselves.
            self._notice(self._people[email.address], now + self._rng.uniform(2, 30) * _HOUR)

    def _relay(self, address: str, now: datetime) -> Answer:
        if self._outages.is_relay_down(now):
            return "unreachable"
        return "refused" if self._people[address].bounces else "accepted"

    def _notice(self, habits: Habits, at: datetime) -> None:
        answer_at = answer_time(habits, at, answer_delay(habits, self._rng))
        self._add(answer_at, partial(self._visit, habits))

    def _expect_substitutes(self, leaver: Habits, now: datetime) -> None:
        """Let the player who lost a seat come back, if they ever do, and volunteers look for one."""
        others = self._rng.sample(sorted(self._people), 3)
        for habits in (leaver, *(self._people[address] for address in others)):
            for slug in tuple(leaver.tables):
                delay = timedelta(hours=self._rng.uniform(6, 96))
                at = answer_time(habits, now, delay)
                self._add(at, partial(self._take_seat, habits, slug))

    def _take_seat(self, habits: Habits, slug: str, now: datetime) -> None:
        if habits.has_left(now) or not visits.take_seat(self._site, habits, slug, now=now):
            return
        self.counts["substitutions"] += 1
        if slug not in habits.tables:
            habits.tables.append(slug)
        self._notice(habits, now)

    def _visit(self, habits: Habits, now: datetime) -> None:
        if habits.has_left(now):
            return
        for slug in tuple(habits.tables):
            if self._visit_table(habits, slug, now) and self._rng.random() < _PLAN_SHARE:
                self.counts["plans"] += visits.make_plan(self._site, habits, slug, now=now)

    def _visit_table(self, habits: Habits, slug: str, now: datetime) -> int:
        visit = visits.visit_table(self._site, habits, slug, now=now)
        if visit.is_over:
            habits.tables.remove(slug)
        elif self._rng.random() < _NUDGE_SHARE:
            self._add(now + NUDGE_PATIENCE, partial(self._nudge, habits, slug))
        return visit.turns

    def _nudge(self, habits: Habits, slug: str, now: datetime) -> None:
        if slug in habits.tables and not habits.has_left(now):
            self.counts["nudges"] += visits.nudge(self._site, habits, slug, now=now)

    def _add_holidays(self, habits: Habits) -> None:
        """Add a holiday of some days: declared ahead, declared as it begins, or not at all."""
        days, in_days = self._rng.randrange(2, 6), self._rng.choice((0, 3, 3))
        declared_at = START + timedelta(days=self._rng.uniform(4, 80))
        is_declared = self._rng.random() < _DECLARED_SHARE

        def declare(now: datetime) -> None:
            holiday = _holiday_of(habits, days, in_days, now)
            habits.holidays.append(holiday)
            if not is_declared or habits.has_left(now):
                return
            if visits.declare_absence(self._site, habits, days, in_days=in_days, now=now):
                habits.declared_absences.append(holiday)
                self.counts["absences"] += 1

        self._add(declared_at, declare)

    def _wait_for_server(self, outage: Interval) -> None:
        """Let an outage pass as workers do: the last sweep was before it, and the first one after it makes up for it."""
        database = self._site.database
        with transaction(database) as tx:
            record_heartbeat(tx, "simulated", now=outage.start, sweeps=1)
        self.now = outage.end
        with transaction(database) as tx:
            maintenance.note_outage(tx, now=self.now)
        has_more = True
        while has_more:
            with transaction(database) as tx:
                has_more = maintenance.shift_next_games(tx, now=self.now)
        self.counts["outages"] += 1


def _holiday_of(habits: Habits, days: int, in_days: int, now: datetime) -> Interval:
    """Return the interval of a holiday, from midnight to midnight where the person lives."""
    zone = ZoneInfo(habits.person.zone)
    first_day = now.astimezone(zone).date() + timedelta(days=in_days)
    midnight = datetime.min.time()
    start = datetime.combine(first_day, midnight, zone).astimezone(UTC)
    end = datetime.combine(first_day + timedelta(days=days + 1), midnight, zone).astimezone(UTC)
    return Interval(max(start, now), end)
