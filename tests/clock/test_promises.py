"""What holds of every clock, whatever happens to it: workers look in time, and no one loses time that they were promised."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final, TypeAlias

from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.actions import Discard
from tests.clock.clocks import ALICE, ALICE_ID, NOON, at, away, hours, new_clock
from webapp.clock.pace.calendar import Interval, PlayingTime
from webapp.clock.pace.pace import AbsencePolicy, LateRules, Pace
from webapp.clock.pace.reminders import ReminderPreferences
from webapp.clock.turn import Clock, ClockEvent, Player

ACTION: Final = Discard("rockfall")
CAP: Final = timedelta(days=2)
OFFICE_HOURS: Final = PlayingTime(opens=at(-3).time(), closes=at(5).time())
PAUSE: Final = hours(7)
Absences: TypeAlias = tuple[Interval, ...]

spans = st.tuples(st.integers(0, 60), st.integers(1, 40)).map(
    lambda span: (span[0], span[0] + span[1])
)
absences = st.lists(spans, max_size=2).map(lambda found: away(*found))
wishes = st.builds(
    ReminderPreferences,
    hours=st.lists(st.integers(1, 12), max_size=2, unique=True).map(tuple),
    quiet=st.sampled_from(((), (PlayingTime(opens=at(9).time(), closes=at(19).time()),))),
)
paces = st.builds(
    Pace,
    time_per_turn=st.integers(2, 48).map(hours),
    bank=st.integers(0, 24).map(hours),
    opens=st.sampled_from((None, OFFICE_HOURS.opens)),
    closes=st.just(OFFICE_HOURS.closes),
).map(lambda pace: pace if pace.opens is not None else replace(pace, closes=None))


@st.composite
def clocks(draw: st.DrawFn) -> Clock:
    """Draw the clock of a turn of Alice's that has just begun, with any rules, absences and wishes."""
    policy: AbsencePolicy = draw(st.sampled_from(("stop", "bot", "neutral")))
    alice = Player(account_id=ALICE_ID, away=draw(absences), wishes=draw(wishes))
    rules = LateRules(absence=policy, absence_cap=CAP)
    return new_clock(alice=alice, pace=draw(paces), rules=rules)


def _extended(clock: Clock, now: datetime, _: Absences) -> Clock:
    deadline_at = clock.extended_deadline(hours(5), now=now)
    is_later = clock.deadline_at is not None and deadline_at > clock.deadline_at
    return clock.extend(deadline_at, by="vote", now=now).clock if is_later else clock


def _paused_and_resumed(clock: Clock, now: datetime, _: Absences) -> Clock:
    paused = clock.pause(by="vote", now=now).clock
    return paused.resume(by="vote", now=now + PAUSE, actor_id=None).clock


def _holding(clock: Clock, now: datetime, _: Absences) -> Clock:
    if clock.is_expired(now=now):
        return clock
    return clock.hold(ACTION, hold_time=hours(1), account_id=ALICE_ID, now=now).clock


def _withdrawn(clock: Clock, now: datetime, _: Absences) -> Clock:
    return clock if clock.held_turn is None else clock.withdraw(now=now).clock


def _reminded(clock: Clock, now: datetime, _: Absences) -> Clock:
    """Return the clock after a sweep that has nothing to play."""
    is_due = clock.wake_at is not None and clock.wake_at <= now
    if not is_due or clock.is_expired(now=now) or clock.is_held_turn_due(now=now):
        return clock
    return clock.remind(now=now).clock


def _restarted(clock: Clock, now: datetime, _: Absences) -> Clock:
    return clock.restart(cause="failed", now=now).clock if clock.is_expired(now=now) else clock


CHANGES: Final[dict[str, Callable[[Clock, datetime, Absences], Clock]]] = {
    "absences": lambda clock, now, away_then: clock.absences_changed(away_then, now=now).clock,
    "choice": lambda clock, now, _: clock.continue_turn(seq=clock.seq + 1, now=now).clock,
    "extend": _extended,
    "hand on": lambda clock, now, _: clock if clock.held_turn else clock.handed_on(now=now),
    "hold": _holding,
    "lose seat": lambda clock, now, _: (
        clock.vacate().reseat(by="vote", now=now, actor_id=None, since=now).clock
    ),
    "pause": _paused_and_resumed,
    "remind": _reminded,
    "restart": _restarted,
    "shift": lambda clock, now, _: (
        clock.shift(hours(3), cause="server", now=now, is_reminder_unsent=False).clock
    ),
    "withdraw": _withdrawn,
}
happenings = st.lists(
    st.tuples(st.sampled_from(sorted(CHANGES)), st.integers(0, 9), absences),
    min_size=1,
    max_size=8,
)


@example(
    new_clock(
        alice=Player(account_id=ALICE_ID),
        pace=Pace(time_per_turn=hours(2)),
        rules=LateRules(absence="bot", absence_cap=CAP),
    ),
    [("absences", 0, away((0, 4))), ("choice", 3, ()), ("shift", 0, ())],
)
@given(clocks(), happenings)
def test_workers_look_no_later_than_at_reminder_held_turn_and_deadline(
    clock: Clock, happened: list[tuple[str, int, Absences]]
) -> None:
    now, has_had_reminder = NOON, False
    for change, hours_before, away_then in happened:
        now += hours(hours_before)
        # An outage moves a reminder that was sent too, and it is not sent again.
        has_had_reminder |= change == "shift" and not _is_reminder_to_come(clock, now)
        has_had_reminder &= change not in {"extend", "restart"}
        clock = CHANGES[change](clock, now, away_then)
        now += PAUSE if change == "pause" else hours(0)
        assert clock.deadline_at is not None
        times = [clock.deadline_at]
        if clock.held_turn is not None:
            # Only then are there no reminders: the player has chosen what to play.
            times.append(clock.held_turn.due_at)
        elif (
            clock.remind_at is not None
            and _is_reminder_to_come(clock, now)
            and not has_had_reminder
        ):
            times.append(clock.remind_at)
        assert clock.wake_at is not None
        assert clock.wake_at <= max(now, min(times)), change


def _is_reminder_to_come(clock: Clock, now: datetime) -> bool:
    return clock.remind_at is not None and clock.remind_at > now


@given(clocks(), happenings)
def test_no_change_takes_time_that_the_player_had(
    clock: Clock, happened: list[tuple[str, int, Absences]]
) -> None:
    now = NOON
    for change, hours_before, away_then in happened:
        now += hours(hours_before)
        time_before = clock.time_left(now)
        clock = CHANGES[change](clock, now, away_then)
        now += PAUSE if change == "pause" else hours(0)
        time_after = clock.time_left(now)
        assert time_before is not None
        assert time_after is not None
        assert time_after >= time_before, change


@given(
    st.sets(st.integers(0, 40), max_size=25),
    st.integers(0, 30),
    st.lists(st.tuples(st.integers(0, 12), st.booleans()), max_size=8),
    st.integers(0, 8),
)
def test_used_time_is_what_absences_have_stopped(
    hours_away: set[int], cap: int, turns: list[tuple[int, bool]], rewound_turn: int
) -> None:
    alice = Player(account_id=ALICE_ID, away=away(*((hour, hour + 1) for hour in hours_away)))
    rules = LateRules(absence="stop", absence_cap=hours(cap))
    clock, hour, used_before = new_clock(alice=alice, rules=rules), 0, [hours(0)]
    starts = [_start_of_turn(clock)]
    for length, is_restarted in turns:
        hour += length
        change = (
            clock.restart(cause="failed", now=at(hour))
            if is_restarted
            else clock.miss(now=at(hour))
        )
        clock = replace(change.clock, started_at=at(hour), turn_seq=clock.turn_seq + 1)
        used_hours = len([hour_away for hour_away in hours_away if hour_away < hour])
        used = clock.players[ALICE].absence_used or hours(0)
        assert used == hours(min(used_hours, cap))
        starts.append(_start_of_turn(clock))
        used_before.append(used)
    rewound_turn = min(rewound_turn, len(turns))
    rewound_clock = clock.take_back(starts[rewound_turn:], now=at(hour)).clock
    assert (rewound_clock.players[ALICE].absence_used or hours(0)) == used_before[rewound_turn]


def _start_of_turn(clock: Clock) -> ClockEvent:
    """Return the beginning of Alice's turn, as a rewind reads it."""
    return ClockEvent(
        turn_seq=clock.turn_seq,
        at=NOON,
        kind="started",
        by="player",
        seat=ALICE,
        account_id=ALICE_ID,
        absence_used=clock.players[ALICE].absence_used or hours(0),
    )
