"""How much time the players of a simulated year had, added up from what happened and without the code of the clock."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, time, timedelta
from typing import Final, NamedTuple, TypeAlias
from zoneinfo import ZoneInfo

from tests.simulated_year.database import RecordedEvent, SimulatedYearRecords
from tests.simulated_year.evidence import Evidence
from webapp.clock.pace.calendar import Interval
from webapp.clock.pace.pace import Pace

TURN_END_KINDS: Final = frozenset({"played", "late", "missed"})
_NO_TIME: Final = timedelta(0)
_SECOND: Final = timedelta(seconds=1)
_DAY: Final = timedelta(days=1)
_TOLERANCE: Final = timedelta(minutes=1)
"""Held turns count from when they were due, which is seconds before they enter, and what they leave in the bank adds up."""
_SHORTEST_OUTAGE: Final = timedelta(minutes=5)
"""A relay that has failed for less time is only slow."""
_LONGEST_HOLD: Final = timedelta(minutes=11)
"""How long before it enters a turn may have been chosen, with the seconds that workers need."""
_LEAST_PART_AFTER_PAUSE: Final = 0.2
"""The part of the time per turn that a player has at least when their turn continues."""
_TURN_EMAIL_KINDS: Final = frozenset({"dealt", "your-turn", "reminder", "nudge", "round-over"})
_SeatKey: TypeAlias = tuple[int | None, int | None]
"""A seat and the person in it."""


class MissedTurn(NamedTuple):
    """A turn of a person that the clock played, and what its end has to be judged by."""

    event: RecordedEvent
    time_left: timedelta
    """How much playing time its player should have had left."""
    is_called: bool
    """Whether an email about the turn was accepted before."""
    clock_stops: tuple[Interval, ...]
    """When nothing may run out for its player: absences that count in this game, outages and pauses."""


def events_by_game(records: SimulatedYearRecords) -> dict[int, list[RecordedEvent]]:
    """Return the events of each game, the oldest first."""
    events_by_game_id: dict[int, list[RecordedEvent]] = defaultdict(list)
    for event in records.events:
        events_by_game_id[event.game_id].append(event)
    return events_by_game_id


def missed_turns(evidence: Evidence) -> Iterator[MissedTurn]:
    """Yield the turns of people that the clock played."""
    email_times = first_email_times(evidence)
    for game_id, events in events_by_game(evidence.records).items():
        yield from _GameTimes(evidence, game_id, email_times).missed_turns(events)


def turns_of_wrong_length(evidence: Evidence) -> Iterator[RecordedEvent]:
    """Yield the starts of turns whose deadlines leave more or less time than the pace and the time bank give.

    A turn during which an absence stops the clock is judged by its end only: when it began the absence may not have been known.
    """
    email_times = first_email_times(evidence)
    for game_id, events in events_by_game(evidence.records).items():
        yield from _GameTimes(evidence, game_id, email_times).turns_of_wrong_length(events)


def first_email_times(evidence: Evidence) -> dict[tuple[int, int, int], datetime]:
    """Return when the first email about a turn was accepted, by game, turn and account."""
    accepted_at = {email.notification_id: email.at for email in evidence.accepted_emails}
    times: dict[tuple[int, int, int], datetime] = {}
    for email in evidence.records.emails:
        at = accepted_at.get(email.id)
        if at is None or email.kind not in _TURN_EMAIL_KINDS or email.game_id is None:
            continue
        key = (email.game_id, email.seq or 0, email.account_id or 0)
        times[key] = min(at, times.get(key, at))
    return times


def counted_absences(
    evidence: Evidence, game_id: int, account_id: int, *, before: datetime
) -> list[Interval]:
    """Return the absences of a person that count in a game: none in which they have taken a turn there themselves."""
    visits = evidence.visits.get((game_id, account_id), [])
    return [
        absence
        for absence in evidence.people[account_id].declared_absences
        if not any(absence.start <= at < min(absence.end, before - _LONGEST_HOLD) for at in visits)
    ]


class _GameTimes:
    """Follows the events of one game: time banks, pauses, extensions, and how long absences have stopped its clock."""

    def __init__(
        self, evidence: Evidence, game_id: int, email_times: dict[tuple[int, int, int], datetime]
    ) -> None:
        self._evidence, self._game_id, self._email_times = evidence, game_id, email_times
        self._pace, self._rules = evidence.paces[game_id], evidence.late_rules_of(game_id)
        self._extensions = {
            extension.at: extension.extra
            for extension in evidence.extensions
            if extension.game_id == game_id
        }
        self._banks: dict[_SeatKey, timedelta] = {}
        self._earlier_banks: dict[_SeatKey, list[tuple[int, timedelta]]] = defaultdict(list)
        """The bank of each turn as it began, for rewinds."""
        self._absence_times: dict[_SeatKey, timedelta] = defaultdict(timedelta)
        self._pauses: list[Interval] = []
        self._paused_at: datetime | None = None
        self._start: RecordedEvent | None = None
        self._shifted_at: list[datetime] = []
        self._deadline_at: datetime | None = None
        """The last known deadline of the turn."""
        self._extra = _NO_TIME
        """The time that moderators, and a resumed game, have added to the turn."""

    def missed_turns(self, events: list[RecordedEvent]) -> Iterator[MissedTurn]:
        """Yield the turns of people that the clock played."""
        for event in events:
            if event.kind not in TURN_END_KINDS:
                self._follow(event)
                continue
            if event.kind == "missed" and event.account_id is not None:
                yield self._missed_turn(event, event.account_id)
            self._end_turn(event)

    def turns_of_wrong_length(self, events: list[RecordedEvent]) -> Iterator[RecordedEvent]:
        """Yield the starts of turns whose deadlines leave more or less time than their players have."""
        for event in events:
            if event.kind in TURN_END_KINDS:
                self._end_turn(event)
                continue
            self._follow(event)
            if event.kind in {"started", "undelivered"} and self._has_wrong_length(event):
                yield event

    def _has_wrong_length(self, event: RecordedEvent) -> bool:
        if event.account_id is None or event.deadline_at is None:
            return False
        absences = counted_absences(
            self._evidence, self._game_id, event.account_id, before=event.at
        )
        if any(stop.start < event.deadline_at and event.at < stop.end for stop in absences):
            return False
        # In a paused game a turn begins at the moment of the pause.
        start_at = self._paused_at or event.at
        playing_time = running_time(self._pace, start_at, event.deadline_at, [])
        return abs(playing_time - self._limit(event)) > _TOLERANCE

    def _follow(self, event: RecordedEvent) -> None:
        if event.kind in {"started", "undelivered"}:
            self._start, self._shifted_at, self._extra = event, [], _NO_TIME
        elif event.kind == "shifted":
            self._shifted_at.append(event.at)
        elif event.kind == "extended":
            self._extra += self._extensions.get(event.at, _NO_TIME)
        elif event.kind == "paused":
            self._paused_at = event.at
        elif event.kind == "resumed" and self._paused_at is not None:
            self._pauses.append(Interval(self._paused_at, event.at))
            if event.cause == "time-to-react":
                self._extra += self._time_added_by_resuming(self._paused_at)
            self._paused_at = None
        elif event.kind == "undone":
            self._restore_bank(event)
        self._deadline_at = event.deadline_at or self._deadline_at

    def _time_added_by_resuming(self, paused_at: datetime) -> timedelta:
        """Return what is missing at the pause to the part of the time per turn that a resumed turn has at least."""
        if self._deadline_at is None:
            return _NO_TIME
        time_left = running_time(self._pace, paused_at, self._deadline_at, [])
        return max(self._pace.time_per_turn * _LEAST_PART_AFTER_PAUSE - time_left, _NO_TIME)

    def _missed_turn(self, event: RecordedEvent, account_id: int) -> MissedTurn:
        absences = counted_absences(self._evidence, self._game_id, account_id, before=event.at)
        relay_stops = [
            outage
            for outage in self._evidence.outages.relay
            if event.at - outage.start > _SHORTEST_OUTAGE
        ]
        stops = [*self._general_stops(), *relay_stops]
        return MissedTurn(
            event=event,
            time_left=self._limit(event) - self._used_time(event, stops),
            is_called=self._is_called(event),
            clock_stops=(*absences, *stops),
        )

    def _end_turn(self, event: RecordedEvent) -> None:
        """Keep what the turn leaves in the bank of its seat."""
        key = (event.seat, event.account_id)
        if event.account_id is None:
            return
        bank = self._bank(key)
        self._earlier_banks[key].append((event.turn_seq, bank))
        stops = [*self._general_stops(), *self._relay_stops()]
        time_left = max(self._limit(event) - self._used_time(event, stops), _NO_TIME)
        if start := self._start_of(event):
            absences = self._absence_stops(start.at, event)
            self._absence_times[key] += self._time_away(start.at, event.at, absences)
        if event.kind == "missed" and not self._is_called(event):
            return
        is_taken = event.kind != "missed" and event.by != "bot"
        refill = self._pace.refill if is_taken else _NO_TIME
        self._banks[key] = min(self._pace.bank, min(bank, time_left) + refill)

    def _restore_bank(self, event: RecordedEvent) -> None:
        key = (event.seat, event.account_id)
        while self._earlier_banks[key] and self._earlier_banks[key][-1][0] >= event.turn_seq:
            _, self._banks[key] = self._earlier_banks[key].pop()

    def _bank(self, key: _SeatKey) -> timedelta:
        return self._banks.get(key, self._pace.bank)

    def _limit(self, event: RecordedEvent) -> timedelta:
        return self._pace.time_per_turn + self._bank((event.seat, event.account_id)) + self._extra

    def _used_time(self, event: RecordedEvent, stops: list[Interval]) -> timedelta:
        """Return how much playing time a turn took; an absence takes none, as far as its table lets it stop the clock."""
        start = self._start_of(event)
        if start is None:
            return _NO_TIME
        all_stops = [*stops, *self._absence_stops(start.at, event)]
        return running_time(self._pace, start.at, event.at, all_stops)

    def _absence_stops(self, start_at: datetime, event: RecordedEvent) -> list[Interval]:
        """Return the absences that stop the clock of a turn, until they have taken as much playing time as the table allows."""
        if event.account_id is None or self._rules.absence != "stop":
            return []
        absences = counted_absences(
            self._evidence, self._game_id, event.account_id, before=event.at
        )
        time_before = self._absence_times[event.seat, event.account_id]
        time_left = max(self._rules.absence_cap - time_before, _NO_TIME)
        if self._time_away(start_at, event.at, absences) <= time_left:
            return absences
        seconds = bisect_right(
            range((event.at - start_at) // _SECOND),
            time_left,
            key=lambda second: self._time_away(start_at, start_at + second * _SECOND, absences),
        )
        latest_end = start_at + seconds * _SECOND
        return [
            Interval(absence.start, min(absence.end, latest_end))
            for absence in absences
            if absence.start < latest_end
        ]

    def _time_away(self, start: datetime, end: datetime, absences: list[Interval]) -> timedelta:
        """Return how much playing time lies in absences; what lies in an outage too would have been taken without it as well."""
        time_at_home = running_time(self._pace, start, end, [*self._pauses, *absences])
        return running_time(self._pace, start, end, self._pauses) - time_at_home

    def _start_of(self, event: RecordedEvent) -> RecordedEvent | None:
        is_same = self._start is not None and self._start.turn_seq == event.turn_seq
        return self._start if is_same else None

    def _general_stops(self) -> list[Interval]:
        outages = self._evidence.outages
        return [*outages.server, *outages.maintenance, *self._pauses]

    def _relay_stops(self) -> list[Interval]:
        """Return the outages of the relay for which the deadline was moved.

        The missing time of another one is counted once, where the turn is lost, and not again in the bank of every later turn.
        """
        return [
            outage
            for outage in self._evidence.outages.relay
            if any(outage.start <= at <= outage.end + _DAY for at in self._shifted_at)
        ]

    def _is_called(self, event: RecordedEvent) -> bool:
        key = (event.game_id, event.turn_seq, event.account_id or 0)
        notified_at = self._email_times.get(key)
        return notified_at is not None and notified_at <= event.at


def running_time(
    pace: Pace, start: datetime, end: datetime, clock_stops: Iterable[Interval]
) -> timedelta:
    """Return the playing time between two instants without the intervals in which the clock is stopped."""
    intervals = _playing_intervals(pace, start, end)
    for stop in clock_stops:
        intervals = [
            remaining_interval
            for interval in intervals
            for remaining_interval in _interval_without_stop(interval, stop)
        ]
    return sum((interval.length for interval in intervals), timedelta())


def _playing_intervals(pace: Pace, start: datetime, end: datetime) -> list[Interval]:
    zone = ZoneInfo(pace.zone)
    day = start.astimezone(zone).date() - _DAY
    intervals: list[Interval] = []
    while datetime.combine(day, time(), zone).astimezone(UTC) < end:
        opens = datetime.combine(day, pace.opens or time(), zone)
        next_midnight = datetime.combine(day + _DAY, time(), zone)
        closes = datetime.combine(day, pace.closes, zone) if pace.closes else next_midnight
        interval = Interval(
            max(start, opens.astimezone(UTC)),
            min(end, closes.astimezone(UTC)),
        )
        if day.weekday() in pace.weekdays and interval.start < interval.end:
            intervals.append(interval)
        day += _DAY
    return intervals


def _interval_without_stop(interval: Interval, stop: Interval) -> list[Interval]:
    """Return what is left of a piece outside of a stop."""
    remaining_intervals = (
        Interval(interval.start, min(interval.end, stop.start)),
        Interval(max(interval.start, stop.end), interval.end),
    )
    return [
        remaining_interval
        for remaining_interval in remaining_intervals
        if remaining_interval.start < remaining_interval.end
    ]
