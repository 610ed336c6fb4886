"""Why did this happen: what became of every turn's time, from its email to its end, with times and without cards."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from webapp.clock.deadline_page import DeadlineStep, event_steps, shown_events, start_of
from webapp.clock.queries.deadline_events import TurnEventRow
from webapp.moderation.queries.game_detail import PublicTurn, SentEmail
from webapp.moderation.queries.ledger import LedgerRow


class StepKind(StrEnum):
    """What happened to a turn."""

    CLOCK = "clock"
    TURN_BEGAN = "began"
    EMAIL_QUEUED = "queued"
    EMAIL_SENT = "sent"
    EMAIL_DELAYED = "delayed"
    EMAIL_REFUSED = "refused"
    EMAIL_NOT_NEEDED = "not-needed"
    MODERATOR_ACT = "act"
    PLAYED = "played"
    BOT_PLAYED = "bot-played"
    PLAYED_BY_CLOCK = "defaulted"
    PLAYED_BY_MODERATOR = "moderated"
    DEADLINE = "deadline"


class TimelineStep(NamedTuple):
    """One line of a timeline."""

    at: datetime
    kind: StepKind
    email_kind: str | None = None
    reason: str | None = None
    """Of an email that was not sent: the relay's answer, or why it no longer applied."""
    entry: LedgerRow | None = None
    clock: DeadlineStep | None = None
    """What happened to the clock, as the players read it."""


class TurnTimeline(NamedTuple):
    """A turn from its beginning; ``seq`` is None for the one that the game waits for."""

    seq: int | None
    seat: int | None
    by: str | None
    """Who took it: player, clock, bot or moderator; None while the game waits."""
    ended_at: datetime | None
    answer_time: timedelta | None
    start: TurnEventRow | None
    """How its clock began, with the name of its player then; None for a turn without a deadline."""
    steps: tuple[TimelineStep, ...]


_HAPPENING_BY_TURN_SOURCE = {
    "player": StepKind.PLAYED,
    "bot": StepKind.BOT_PLAYED,
    "away": StepKind.BOT_PLAYED,
    "clock": StepKind.PLAYED_BY_CLOCK,
    "moderator": StepKind.PLAYED_BY_MODERATOR,
}
_HAPPENING_BY_EMAIL_STATUS = {
    "sent": StepKind.EMAIL_SENT,
    "failed": StepKind.EMAIL_REFUSED,
    "dropped": StepKind.EMAIL_NOT_NEEDED,
}


class TimelineFacts(NamedTuple):
    """From what timelines are made, of a whole game; ``events`` of the clock are the latest first."""

    events: Sequence[TurnEventRow]
    emails: Iterable[SentEmail]
    entries: Iterable[LedgerRow]


def past_turns(turns: Sequence[PublicTurn], facts: TimelineFacts) -> tuple[TurnTimeline, ...]:
    """Return the turns that were taken, the newest first; ``turns`` are in that order too. The deal is not among them."""
    steps_by_seq = _StepsBySeq(facts)
    time_by_seq = {turn.seq: turn.at for turn in turns}
    return tuple(
        _turn_timeline(turn, time_by_seq.get(turn.seq - 1), steps_by_seq)
        for turn in turns
        if turn.seat is not None
    )


def current_turn(
    seat: int,
    started_at: datetime,
    deadline_at: datetime | None,
    *,
    since: Sequence[int],
    facts: TimelineFacts,
) -> TurnTimeline:
    """Return the turn that the game waits for; ``since`` are the positions of the game during it, the first its own."""
    steps_by_seq = _StepsBySeq(facts)
    events = steps_by_seq.events_of(since[0])
    steps = _clock_steps(events, is_over=False) or [TimelineStep(started_at, StepKind.TURN_BEGAN)]
    for seq in sorted(set(since)):
        steps += steps_by_seq.at(seq)
    if deadline_at is not None:
        steps.append(TimelineStep(deadline_at, StepKind.DEADLINE))
    return TurnTimeline(None, seat, None, None, None, start_of(events), _sorted_steps(steps))


class _StepsBySeq:
    """Emails about turns and acts of moderators, by the position of the game at which they happened, and events by their turn."""

    def __init__(self, facts: TimelineFacts) -> None:
        self._steps: dict[int, list[TimelineStep]] = {}
        self._events: dict[int, list[TurnEventRow]] = {}
        for event in reversed(facts.events):
            self._events.setdefault(event.turn_seq, []).append(event)
        for email in facts.emails:
            if email.seq is not None and email.kind in {"your-turn", "reminder"}:
                self._steps.setdefault(email.seq, []).extend(_steps_of(email))
        for entry in facts.entries:
            if entry.seq is not None:
                step = TimelineStep(entry.at, StepKind.MODERATOR_ACT, entry=entry)
                self._steps.setdefault(entry.seq, []).append(step)

    def at(self, seq: int) -> list[TimelineStep]:
        return self._steps.get(seq, [])

    def events_of(self, turn_seq: int) -> list[TurnEventRow]:
        """Return the events of a turn's clock; none if its beginning is not among them, because it is too long ago."""
        events = self._events.get(turn_seq, [])
        return [] if start_of(events) is None else events


def _turn_timeline(
    turn: PublicTurn, began_at: datetime | None, steps_by_seq: _StepsBySeq
) -> TurnTimeline:
    events = steps_by_seq.events_of(turn.seq - 1)
    steps = _clock_steps(events, is_over=True) or _steps_without_clock(turn, began_at)
    # A reminder that is settled after the turn was taken belongs to it all the same.
    steps += steps_by_seq.at(turn.seq - 1)
    return TurnTimeline(
        seq=turn.seq,
        seat=turn.seat,
        by=turn.by,
        ended_at=turn.at,
        answer_time=None if began_at is None else turn.at - began_at,
        start=start_of(events),
        steps=_sorted_steps(steps),
    )


def _clock_steps(events: Sequence[TurnEventRow], *, is_over: bool) -> list[TimelineStep]:
    steps = event_steps(shown_events(events, is_over=is_over), is_insider=True)
    return [TimelineStep(step.at, StepKind.CLOCK, clock=step) for step in steps]


def _steps_without_clock(turn: PublicTurn, began_at: datetime | None) -> list[TimelineStep]:
    """Return the beginning and the end of a turn that had no deadline."""
    steps = [] if began_at is None else [TimelineStep(began_at, StepKind.TURN_BEGAN)]
    return [*steps, TimelineStep(turn.at, _HAPPENING_BY_TURN_SOURCE[turn.by])]


def _steps_of(email: SentEmail) -> Iterator[TimelineStep]:
    yield TimelineStep(email.first_due_at, StepKind.EMAIL_QUEUED, email.kind)
    outcome = _HAPPENING_BY_EMAIL_STATUS.get(email.status)
    if outcome is not None and email.settled_at is not None:
        yield TimelineStep(email.settled_at, outcome, email.kind, email.reason)
    elif email.reason is not None:
        # Its last attempt failed; ``due_at`` is the next one.
        yield TimelineStep(email.due_at, StepKind.EMAIL_DELAYED, email.kind, email.reason)


def _sorted_steps(steps: Iterable[TimelineStep]) -> tuple[TimelineStep, ...]:
    return tuple(sorted(steps, key=lambda step: step.at))
