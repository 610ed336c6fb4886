"""Whole games played in memory by players whose choices do not depend on their roles, with the instants of everything automatic.

Actions are drawn from the legal ones, so
whatever tells the roles apart comes from the code of the server: answers of bots, neutral actions, plans and reminders.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from statistics import fmean
from typing import Final, NamedTuple, TypeAlias

from engine.actions import Action
from engine.commitments import SeededChance
from engine.events import Event
from engine.game import advance, start_game
from engine.plans import (
    CancelCondition,
    Plan,
    cancelled_by,
    plannable_actions,
    planned_action,
    planning_view,
)
from engine.rulebook import HouseRules
from engine.view import View, awaiting, legal_actions, neutral_action, view_for
from tests.support.engine.seeded_random import SeededRng
from webapp.clock.pace.calendar import Calendar, deadline_for
from webapp.clock.pace.pace import named_pace
from webapp.clock.pace.reminders import ReminderPreferences, first_reminder, next_reminder
from webapp.play.bots.thinking_time import (
    RecentDecisions,
    ThinkingTime,
    answer_time,
    first_answer_time,
)

_SEATS: Final = 5
KINDS: Final = ("bot", "person", "absent", "planner")
_PACE: Final = named_pace("daily", "Europe/Berlin")
_CALENDAR: Final = Calendar(_PACE.playing)
_START: Final = datetime(2026, 3, 2, 12, tzinfo=UTC)
_LATENCY: Final = timedelta(seconds=2)
_MILLISECOND: Final = timedelta(milliseconds=1)
_LEVELS: Final = ("steady", "keen")
_DECISIONS_ELSEWHERE: Final = 30
"""Quick decisions at other tables, between two turns of bots at this one."""

BotAnswer: TypeAlias = Callable[[datetime, timedelta, ThinkingTime], datetime]
"""Return when a bot answers a turn that began at an instant, after a decision of some length, with this range."""


class SeatObservation(NamedTuple):
    """What the table could count and measure of one seat in one round, and whether it was a saboteur's."""

    is_saboteur: bool
    kind: str
    """Who had the seat, which everyone sees or notices."""
    round: int
    """The number of the round, counted through all games."""
    features: tuple[float, ...]


@dataclass
class _Round:
    """What was noticed of each seat in a round."""

    seconds: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    counts: dict[int, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def features_of(self, seat: int) -> tuple[float, ...]:
        seconds, counts = self.seconds[seat] or [0.0], self.counts[seat]
        numbers = (len(self.seconds[seat]), fmean(seconds), min(seconds), max(seconds))
        names = ("neutral", "planned", "reminders", "emails", "later than the one before")
        return (*numbers, *(counts[name] for name in names))


def answer_at_schedule(random_below: Callable[[int], int]) -> BotAnswer:
    """Return when a bot answers as workers do it: at an instant of its schedule."""

    def answered_at(
        began_at: datetime, decision: timedelta, thinking_time: ThinkingTime
    ) -> datetime:
        claimed_at = began_at + random_below(300) * _MILLISECOND
        due_at = first_answer_time(thinking_time, random_below, began_at=began_at, now=claimed_at)
        return answer_time(due_at, thinking_time, random_below, ready_at=claimed_at + decision)

    return answered_at


def answer_when_decided(
    began_at: datetime, decision: timedelta, _thinking_time: ThinkingTime
) -> datetime:
    """Return when a bot would answer that does not hide how long it has decided: comparisons must find this."""
    return began_at + decision


def decision_time(view: View, level: str, rng: SeededRng) -> timedelta:
    """Return how long a decision takes where it depends on role and hand, and keen bots often need longer than they usually wait."""
    is_saboteur = view.role == "saboteur"
    if level == "keen":
        return (450 + rng.below(900)) * _MILLISECOND * (1.2 if is_saboteur else 1)
    return (10 + 120 * is_saboteur + 20 * len(view.hand)) * _MILLISECOND


class TimedGame:
    """One game in progress, and its clock."""

    def __init__(
        self, number: int, rng: SeededRng, bot_answer: BotAnswer, decisions: RecentDecisions
    ) -> None:
        self.rng, self.bot_answer, self.decisions = rng, bot_answer, decisions
        self.kinds = tuple(rng.pick(KINDS) for _ in range(_SEATS))
        self.level = rng.pick(_LEVELS)
        self.plans: dict[int, Plan] = {}
        self.chance = SeededChance(f"timed game {number}".encode())
        self.state, _ = start_game(
            "en-2004", HouseRules(), seats=_SEATS, starter=None, chance=self.chance
        )
        self.now = _START
        self.rounds = [_Round()]
        self._last_seconds = 0.0

    def play(self) -> Sequence[tuple[_Round, tuple[bool, ...]]]:
        """Play the game to its end and return its rounds with the saboteurs of each."""
        while awaited := awaiting(self.state):
            view = view_for(self.state, awaited.seat)
            if awaited.kind == "turn":
                self._take_turn(awaited.seat, view)
            else:
                self._apply(awaited.seat, self._drawn_action(view))
        roles = [result.roles for result in self.state.results]
        is_saboteur = [tuple(role == "saboteur" for role in round_roles) for round_roles in roles]
        return list(zip(self.rounds, is_saboteur, strict=False))

    def _take_turn(self, seat: int, view: View) -> None:
        began_at, current_round = self.now, self.rounds[-1]
        counts = current_round.counts[seat]
        action = self._action_and_instant(seat, view, counts)
        seconds = (self.now - began_at).total_seconds()
        current_round.seconds[seat].append(seconds)
        counts["later than the one before"] += seconds > self._last_seconds
        self._last_seconds = seconds
        self._apply(seat, action)
        if self.kinds[seat] == "planner" and self.rng.happens_once_in(2):
            self._plan(seat)

    def _action_and_instant(self, seat: int, view: View, counts: Counter[str]) -> Action:
        """Return what is played in a turn, and let the time pass until then."""
        kind, plan = self.kinds[seat], self.plans.pop(seat, None)
        if plan is not None and (action := planned_action(plan, view)):
            counts["planned"] += 1
            return action
        if kind == "bot":
            self.now = self._bot_answered_at(view)
            return self._drawn_action(view)
        deadline_at = deadline_for(self.now, _PACE.time_per_turn, _CALENDAR)
        answered_at = deadline_for(
            self.now, self.rng.below(1_500) * timedelta(minutes=1), _CALENDAR
        )
        is_missed = kind == "absent" or answered_at > deadline_at
        ended_at = deadline_at + _LATENCY if is_missed else answered_at
        reminders = _reminder_count(self.now, deadline_at, ended_at)
        counts.update(reminders=reminders, emails=1 + reminders + is_missed, neutral=is_missed)
        self.now = ended_at
        return neutral_action(view, self.rng.below) if is_missed else self._drawn_action(view)

    def _bot_answered_at(self, view: View) -> datetime:
        has_one_person = sum(kind != "bot" for kind in self.kinds) == 1
        for _ in range(_DECISIONS_ELSEWHERE):
            self.decisions.add_duration(_MILLISECOND, level="easy")
        thinking_time = self.decisions.thinking_time(self.level, has_one_person=has_one_person)
        decision = decision_time(view, self.level, self.rng)
        self.decisions.add_duration(decision, level=self.level)
        return self.bot_answer(self.now, decision, thinking_time)

    def _drawn_action(self, view: View) -> Action:
        return self.rng.pick(legal_actions(view))

    def _apply(self, seat: int, action: Action) -> None:
        round_count = len(self.state.results)
        self.state, events = advance(self.state, seat, action, self.chance)
        self._end_plans(events)
        if len(self.state.results) > round_count:
            self.plans.clear()
            self.rounds.append(_Round())

    def _plan(self, seat: int) -> None:
        if (turn := awaiting(self.state)) is None or turn.kind != "turn" or turn.seat == seat:
            return
        menu = plannable_actions(planning_view(view_for(self.state, seat)))
        actions = dict.fromkeys(self.rng.pick(menu) for _ in range(3))
        self.plans[seat] = Plan(tuple(actions), tuple(CancelCondition)[: self.rng.below(3)])

    def _end_plans(self, events: tuple[Event, ...]) -> None:
        for seat, plan in tuple(self.plans.items()):
            if cancelled_by(plan, seat, events):
                del self.plans[seat]


def _reminder_count(began_at: datetime, deadline_at: datetime, ended_at: datetime) -> int:
    """Return how many reminders of a turn are sent before it ends."""
    preferences = ReminderPreferences(hours=(24, 3))
    at = first_reminder(deadline_at, deadline_at, preferences, now=began_at)
    count = 0
    while at is not None and at < ended_at:
        count, at = count + 1, next_reminder(deadline_at, preferences, after=at)
    return count


def play_and_observe_seats(
    games: int, *, seed: int, bot_answer: BotAnswer | None = None
) -> list[SeatObservation]:
    """Play games and return what was noticed of each seat in each round."""
    rng, decisions = SeededRng(seed), RecentDecisions()
    answer = bot_answer or answer_at_schedule(rng.below)
    rows: list[SeatObservation] = []
    rounds = 0
    for number in range(games):
        game = TimedGame(seed * 1_000_000 + number, rng, answer, decisions)
        for played_round, saboteurs in game.play():
            rounds += 1
            rows += [
                SeatObservation(
                    is_saboteur, game.kinds[seat], rounds, played_round.features_of(seat)
                )
                for seat, is_saboteur in enumerate(saboteurs)
            ]
    return rows
