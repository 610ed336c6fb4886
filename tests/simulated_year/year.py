"""A simulated year: the loop over everything that happens next, with a clock of its own."""

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from operator import itemgetter
from typing import Final

from engine.bots.policy import choose_action
from tests.simulated_year import visits
from tests.simulated_year.clock_work import (
    PlannedMaintenance,
    end_due_votes,
    make_up_for_server_outage,
    settle_mail_outage,
    sweep_deadlines,
)
from tests.simulated_year.database import DueTimes, due_times, records
from tests.simulated_year.decisions import Decisions, add_holiday
from tests.simulated_year.emails import DeliveredEmail, SimulatedRelay, deliver
from tests.simulated_year.evidence import Evidence
from tests.simulated_year.outages import draw_outages
from tests.simulated_year.people import ZONES, Habits, answer_delay, answer_time, looking_delay
from tests.simulated_year.schedule import Event, Schedule
from tests.simulated_year.seeded_random import rng_for
from tests.simulated_year.site import Site
from tests.simulated_year.table_acts import sign_up_moderator
from tests.simulated_year.visits import WAIT_BEFORE_NUDGE
from tests.support.transactions import read_only, using
from webapp.clock.pace.calendar import Interval
from webapp.kernel.keyring import Keyring
from webapp.kernel.tx import Database
from webapp.play.bots.bot_turns import claim_bot_turn, play_bot_turn

START: Final = datetime(2026, 3, 2, 12, tzinfo=UTC)
_YEAR: Final = timedelta(days=365)
_LATENCY: Final = timedelta(seconds=2)
"""How long after something is due a worker does it."""
_STEPS_WITHOUT_LATENCY: Final = frozenset({"bots", "maintenance"})
_MOST_REPEATS: Final = 1000
"""How often the same thing may be due before it is held up for a minute and counted."""
_SWEEP_INTERVAL_WHILE_EMAIL_IS_DOWN: Final = timedelta(minutes=1)
"""How often workers look for held turns while no deadline runs out."""
_HOUR: Final = timedelta(hours=1)
_SHARE_OF_TURNS_FOLLOWED_BY_A_PLAN: Final = 0.15
_SHARE_OF_TABLE_VISITS_WITH_A_NUDGE: Final = 0.3
_SEED_OF_KEYS: Final = b"the key of a simulated year, of no secret"
_ANSWERED_EMAIL_KINDS: Final = frozenset(
    {"dealt", "your-turn", "reminder", "nudge", "round-over", "turn-missed"}
)


class SimulatedYear:
    """People, their games and the clock of a year. Everything by chance follows from the seed."""

    def __init__(self, database: Database, *, games: int, seed: str) -> None:
        self._rng = rng_for(seed)
        keys = Keyring(_SEED_OF_KEYS, domain="lodepost.example")
        self._site = Site(database=database, keys=keys, rng=self._rng)
        self._game_count = games
        self._outages = draw_outages(self._rng, start=START)
        self._people: dict[str, Habits] = {}
        self._schedule = Schedule()
        self._delayed_until: dict[str, datetime] = {}
        self._repeat_counts: Counter[tuple[str, datetime]] = Counter()
        self.now = START
        self.counts: Counter[str] = Counter()
        self._accepted_emails: list[DeliveredEmail] = []
        self._due_times = DueTimes(None, None, None, None, 0)
        self._read_change_count = -1
        """How much had changed when the times were read."""
        self._relay = SimulatedRelay(self._outages, self._people)
        self._maintenance = PlannedMaintenance(self._site, self._outages.maintenance)
        moderator = sign_up_moderator(self._site, now=START)
        self._decisions = Decisions(self._site, self._schedule, self.counts, moderator)
        self._visits: dict[tuple[int, int], list[datetime]] = {}

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
            elif name == "people" and not self._outages.is_site_open(at):
                self._postpone_person()
            else:
                self._site.swept_at = self.now
                step(self.now)
            if steps % 200 == 0:
                show_progress(self._ended_count(), self._game_count)
        show_progress(self._ended_count(), self._game_count)
        return self._evidence()

    def _evidence(self) -> Evidence:
        with read_only(self._site.database) as tx:
            stored_records = records(tx)
        site = self._site
        return Evidence(
            records=stored_records,
            paces={site.game_ids[slug]: pace for slug, pace in site.paces.items()},
            late_rules={site.game_ids[slug]: rules for slug, rules in site.late_rules.items()},
            people={habits.person.id: habits for habits in self._people.values()},
            accepted_emails=tuple(self._accepted_emails),
            # An outage of the relay stops the clocks from the first email that it keeps from being sent.
            outages=self._outages._replace(relay=self._relay.noticed_outages.intervals()),
            counts=self.counts,
            extensions=tuple(self._decisions.extensions),
            visits=self._visits,
        )

    def _create_people_and_games(self) -> None:
        people = [
            visits.sign_up_person(self._site, number, self._rng.choice(ZONES), now=START)
            for number in range(1, self._game_count * 2 + 6)
        ]
        self._people.update({habits.person.address: habits for habits in people})
        for habits in people:
            add_holiday(self._site, self._schedule, habits, self.counts, start=START)
            if habits.full_mailbox:
                self._schedule.add(habits.full_mailbox.end, partial(self._visit, habits))
        for _ in range(self._game_count):
            at = START + timedelta(hours=self._rng.uniform(0, 14 * 24))
            players = self._rng.sample(people, self._rng.choice((3, 3, 4, 4, 5, 6)))
            bots = self._rng.choice((0, 0, 0, 1))
            self._schedule.add(at, partial(self._open_game, players, bots))

    def _next_event(self) -> tuple[str, datetime, Event | None]:
        """Return what happens next and when; None if nothing ever does."""
        next_due_times = self._next_due_times()
        candidates: list[tuple[datetime, str, Event]] = []
        steps: tuple[tuple[str, datetime | None, Event], ...] = (
            ("bots", next_due_times.bots_at, self._play_bot),
            ("clock", next_due_times.clock_at, self._sweep),
            ("emails", next_due_times.emails_at, self._deliver),
            ("votes", next_due_times.votes_at, self._end_votes),
            ("maintenance", self._maintenance.next_change_at, self._change_maintenance),
        )
        for name, at, step in steps:
            if at is not None:
                due_at = at if name in _STEPS_WITHOUT_LATENCY else at + _LATENCY
                candidates.append((self._later_if_due_too_often(name, due_at), name, step))
        if (people_at := self._schedule.next_at) is not None:
            candidates.append((people_at, "people", self._play_person))
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
        self._repeat_counts[key] += at <= self.now
        if at <= self.now and self._repeat_counts[key] % _MOST_REPEATS == 0:
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
            self._schedule.add(now + 24 * _HOUR, partial(self._open_game, people, bots))

    def _play_person(self, now: datetime) -> None:
        self._schedule.pop()(now)

    def _postpone_person(self) -> None:
        """Let someone who found the site down try again within some hours, after it is back if that was announced."""
        maintenance = self._outages.maintenance_at(self.now)
        back_at = maintenance.end if maintenance else self.now
        self._schedule.add(back_at + self._rng.uniform(0.1, 6) * _HOUR, self._schedule.pop())

    def _change_maintenance(self, now: datetime) -> None:
        self._maintenance.change(now=now)
        if maintenance := self._outages.maintenance_at(now):
            # Workers look whether anything is due, and find that all clocks have stopped.
            for name in ("clock", "bots"):
                self._delayed_until[name] = maintenance.end + _LATENCY

    def _end_votes(self, now: datetime) -> None:
        end_due_votes(self._site, now=now)

    def _sweep(self, now: datetime) -> None:
        if not sweep_deadlines(self._site, now=now):
            self._delayed_until["clock"] = now + _SWEEP_INTERVAL_WHILE_EMAIL_IS_DOWN
            # It is due again and again until the outage is over, which is no fault.
            self._repeat_counts.clear()

    def _play_bot(self, now: datetime) -> None:
        with self._site.transaction() as tx:
            turn = claim_bot_turn(using(tx.at(now), random_below=self._site.random_below))
        if turn is None:
            return
        action = choose_action(turn.view, turn.lines, self._site.random_below, "easy")

        def answer(at: datetime) -> None:
            with self._site.transaction() as tx:
                play_bot_turn(using(tx.at(at), random_below=self._site.random_below), turn, action)

        self._schedule.add(max(turn.answer_at, now), answer)

    def _deliver(self, now: datetime) -> None:
        self._site.change_count += 1
        deliveries = deliver(self._site.database, self._relay, keys=self._site.keys, now=now)
        self._accepted_emails += deliveries.accepted_emails
        if self._relay.noticed_outages.may_be_unsettled(now):
            settle_mail_outage(self._site, now=now)
        for email in deliveries.accepted_emails:
            self._answer_email(email, self._people[email.address], now)
        for email in deliveries.refused_emails:
            # They only see that it is their turn when they look by themselves.
            habits = self._people[email.address]
            self._schedule_visit(habits, now + looking_delay(habits, self._rng))
        for email in (*deliveries.accepted_emails, *deliveries.refused_emails):
            if email.kind == "seat-opened":
                self._schedule_substitutes(self._people[email.address], now)

    def _answer_email(self, email: DeliveredEmail, habits: Habits, now: datetime) -> None:
        if email.kind in _ANSWERED_EMAIL_KINDS:
            self._schedule_visit(habits, now)
        if email.kind == "reminder":
            self._decisions.consider_extension(habits, now=now)
        if email.kind == "vote-opened":
            at = answer_time(habits, now, answer_delay(habits, self._rng))
            self._schedule.add(at, partial(self._decisions.answer_votes, habits))

    def _schedule_visit(self, habits: Habits, at: datetime) -> None:
        answer_at = answer_time(habits, at, answer_delay(habits, self._rng))
        self._schedule.add(answer_at, partial(self._visit, habits))

    def _schedule_substitutes(self, leaver: Habits, now: datetime) -> None:
        """Let the player who lost a seat come back, if they ever do, and volunteers look for one."""
        other_addresses = self._rng.sample(sorted(self._people), 3)
        for habits in (leaver, *(self._people[address] for address in other_addresses)):
            delay = timedelta(hours=self._rng.uniform(6, 96))
            at = answer_time(habits, now, delay)
            self._schedule.add(at, partial(self._take_open_seats, habits))

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
        for slug in (*visit.played_slugs, *visit.held_slugs):
            key = (self._site.game_ids[slug], habits.person.id)
            self._visits.setdefault(key, []).append(now)
        for slug in visit.slugs:
            self._decisions.look_at_table(habits, slug, now=now)
            if (
                slug in visit.played_slugs
                and self._rng.random() < _SHARE_OF_TURNS_FOLLOWED_BY_A_PLAN
            ):
                self.counts["plans"] += visits.make_plan(self._site, habits, slug, now=now)
            if self._rng.random() < _SHARE_OF_TABLE_VISITS_WITH_A_NUDGE:
                self._schedule.add(
                    now + WAIT_BEFORE_NUDGE, partial(self._decisions.nudge, habits, slug)
                )

    def _wait_for_server(self, outage: Interval) -> None:
        """Let an outage pass as workers do: the last sweep was before it, and the first one after it makes up for it."""
        self.now = outage.end
        make_up_for_server_outage(self._site, outage)
        self.counts["outages"] += 1
