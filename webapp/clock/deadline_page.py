"""Why a deadline is as it is: every step of a turn's clock with its time and cause, the same for every seat.

While the turn runs, the page says of emails only that they were queued: when one is sent, or that it is not, would
reveal quiet hours, opt-outs and wishes for reminders. Afterwards everyone at the table may learn whether emails could
be delivered, but neither addresses, nor answers of mail servers, nor why one was not sent. Onlookers learn nothing
about emails and absences.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

import msgspec

from webapp.accounts.person import Person, Viewer
from webapp.clock.pace.calendar import Calendar, deadline_for
from webapp.clock.pace.pace import Pace
from webapp.clock.queries import deadline_events
from webapp.clock.queries.deadline_events import TurnEmailRow, TurnEventRow
from webapp.clock.turn import END_KINDS, START_KIND
from webapp.kernel.refusals import NotFound, NotInGame
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Tx
from webapp.play.access import GameAccess, LoadedGame, find_game, may_view
from webapp.play.summaries import TableSummary, table_summary
from webapp.play.views.table_page import rights_at_table

MAX_EARLIER_TURNS: Final = 60
_PRIVATE_CAUSES: Final = frozenset({"away", "undelivered"})
_PUBLIC_EMAIL_STATUSES: Final = frozenset({"sent", "failed"})
_EMAIL_SUBJECTS: Final = {"your-turn": "call", "reminder": "reminder", "nudge": "reminder"}


class DeadlineStep(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a turn's clock: an event of its deadline, or what became of an email."""

    at: datetime
    kind: str
    """The kind of the event; for an email ``call`` or ``reminder`` with what became of it: ``call-sent``."""
    by: str = ""
    cause: str = ""
    deadline_at: datetime | None = None
    """The deadline afterwards, if this step changed it."""


class TurnTime(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of a turn's time when it began: pace, bank, stops."""

    pace: Pace
    bank: timedelta
    is_stopped: bool
    """Whether the clock was to stop for something besides the playing hours: the player's absences."""


class TurnDeadline(msgspec.Struct, frozen=True, kw_only=True):
    """A turn with a deadline; ``steps`` are in order."""

    turn_seq: int
    seat: int
    name: str
    """The name of the person who had the seat as the turn began; empty if their account was deleted."""
    has_player: bool
    """False for an open seat."""
    time: TurnTime
    steps: tuple[DeadlineStep, ...]


class EarlierTurn(msgspec.Struct, frozen=True, kw_only=True):
    """A turn that is over, as the list shows it."""

    turn_seq: int
    seat: int
    name: str
    has_player: bool
    started_at: datetime
    end: str | None
    """How it ended: ``played``, ``late`` or ``missed``; ``undone`` if it was taken back; None if the game ended."""
    by: str


class DeadlinePage(msgspec.Struct, frozen=True, kw_only=True):
    """One deadline of a game, and the list of earlier ones."""

    me: Person | None
    table: TableSummary
    turn: TurnDeadline | None
    """None if the turn that was asked for has no deadline: a bot's, or none in a game that is over."""
    is_running: bool
    """Whether this is the turn that the game waits for."""
    shows_emails: bool
    """Whether the viewer learns about emails and absences: everyone at the table, and its moderators."""
    earlier_turns: tuple[EarlierTurn, ...]


def running_deadline_page(tx: Tx, slug: str, viewer: Viewer) -> DeadlinePage:
    """Return the deadline of the turn that the game waits for, and a list of earlier ones. Raises NotFound."""
    access = _viewable_access(tx, slug, viewer)
    row = access.game.row
    has_deadline = row.status.is_under_way and row.deadline_at is not None
    turn = _turn(tx, access, row.turn_seq) if has_deadline else None
    before_seq = row.turn_seq if row.status.is_under_way else row.seq + 1
    return _build_deadline_page(access, turn, _earlier_turns(tx, access.game, before_seq))


def deadline_page(tx: Tx, slug: str, seq: int, viewer: Viewer) -> DeadlinePage:
    """Return the deadline that began at position ``seq`` of the game, or the last one before it. Raises NotFound."""
    access = _viewable_access(tx, slug, viewer)
    if not 0 <= seq <= access.game.seq:
        raise NotInGame
    return _build_deadline_page(access, _turn(tx, access, seq), ())


def _viewable_access(tx: Tx, slug: str, viewer: Viewer) -> GameAccess:
    """Return a dealt game to everyone who may see it, and to its moderators."""
    access = find_game(tx, slug, viewer, mode="read")
    if not may_view(access.game, access.person) and not _is_moderator(access):
        raise NotFound
    if not access.game.is_dealt:
        raise NotInGame
    return access


def _is_moderator(access: GameAccess) -> bool:
    return GameRight.VIEW_GAME_STATUS in rights_at_table(access)


def _is_insider(access: GameAccess) -> bool:
    return access.seat is not None or _is_moderator(access)


def _build_deadline_page(
    access: GameAccess, turn: TurnDeadline | None, earlier_turns: tuple[EarlierTurn, ...]
) -> DeadlinePage:
    row = access.game.row
    return DeadlinePage(
        me=access.person,
        table=table_summary(row),
        turn=turn,
        is_running=turn is not None and row.status.is_under_way and turn.turn_seq == row.turn_seq,
        shows_emails=_is_insider(access),
        earlier_turns=earlier_turns,
    )


def _turn(tx: Tx, access: GameAccess, seq: int) -> TurnDeadline | None:
    """Return the last turn that began with a deadline at this position or before."""
    game_id = access.game.row.id
    events = deadline_events.events_of_turn(tx, game_id, at_seq=seq)
    start = start_of(events)
    if start is None or start.seat is None:
        return None
    is_insider, ended_at = _is_insider(access), _end_of_turn(access, events)
    emails = deadline_events.emails_of_turn(tx, game_id, start.turn_seq) if is_insider else ()
    return TurnDeadline(
        turn_seq=start.turn_seq,
        seat=start.seat,
        name=start.name,
        has_player=start.has_player,
        time=_turn_time(access.game.row.pace, start, is_insider=is_insider),
        steps=_steps(
            shown_events(events, is_over=ended_at is not None),
            _email_steps(emails, events, ended_at),
            is_insider=is_insider,
        ),
    )


def _end_of_turn(access: GameAccess, events: Sequence[TurnEventRow]) -> datetime | None:
    """Return when a turn ended or was given up, as far as its events tell; None while the game waits for it."""
    row = access.game.row
    if row.status.is_under_way and events[0].turn_seq == row.turn_seq:
        return None
    ends = [event.at for event in events if event.kind in END_KINDS]
    return max(ends or [event.at for event in events])


def _turn_time(pace: Pace, start: TurnEventRow, *, is_insider: bool) -> TurnTime:
    bank = start.bank or timedelta(0)
    deadline_at = deadline_for(start.at, pace.time_per_turn + bank, Calendar(pace.playing))
    is_stopped = start.deadline_at is not None and deadline_at < start.deadline_at
    # Others learn of an absence only until when it lasts; onlookers not even that.
    return TurnTime(pace=pace, bank=bank, is_stopped=is_stopped and is_insider)


def _steps(
    events: Sequence[TurnEventRow], email_steps: Sequence[DeadlineStep], *, is_insider: bool
) -> tuple[DeadlineStep, ...]:
    """Return the events with what became of the emails, by time; what happened at once is in the order of its causes."""
    starts = [event for event in events if event.kind == START_KIND]
    ends = [event for event in events if event.kind in END_KINDS or event.kind == "opened"]
    others = [event for event in events if event not in starts and event not in ends]
    steps = [
        *event_steps([*starts, *others], is_insider=is_insider),
        *email_steps,
        *event_steps(ends, is_insider=is_insider),
    ]
    return tuple(sorted(steps, key=lambda step: step.at))


def _email_steps(
    emails: Sequence[TurnEmailRow], events: Sequence[TurnEventRow], ended_at: datetime | None
) -> Sequence[DeadlineStep]:
    if ended_at is None:
        calls = [email for email in emails if email.kind == "your-turn"]
        return [_email_step(email.first_due_at, "call-queued") for email in calls]
    reminded_at = frozenset(event.at for event in events if event.kind == "reminded")
    return [step for email in emails for step in _settled_email_steps(email, reminded_at, ended_at)]


def _settled_email_steps(
    email: TurnEmailRow, reminded_at: frozenset[datetime], ended_at: datetime
) -> Iterable[DeadlineStep]:
    """Return that an email was queued and what became of it by the end of the turn.

    One that is not sent is shown at the end, whether its player wants none, or it was superseded, or that is still to come.
    """
    subject = _EMAIL_SUBJECTS[email.kind]
    if email.kind != "reminder" or email.first_due_at not in reminded_at:
        yield _email_step(email.first_due_at, f"{subject}-queued")
    if email.settled_at is None or email.status not in _PUBLIC_EMAIL_STATUSES:
        yield _email_step(ended_at, f"{subject}-dropped")
    else:
        yield _email_step(email.settled_at, f"{subject}-{email.status}")


def _email_step(at: datetime, kind: str) -> DeadlineStep:
    return DeadlineStep(at=at.replace(microsecond=0), kind=kind)


def _earlier_turns(tx: Tx, game: LoadedGame, before_seq: int) -> tuple[EarlierTurn, ...]:
    events = deadline_events.turn_starts_and_ends(
        tx, game.row.id, before_seq=before_seq, limit=3 * MAX_EARLIER_TURNS
    )
    # In order: a turn was taken back after its end.
    end_by_turn = {
        event.turn_seq: event
        for event in reversed(events)
        if event.kind in END_KINDS or event.kind == "undone"
    }
    return tuple(
        _earlier_turn(event, event.seat, end_by_turn.get(event.turn_seq))
        for event in events
        if event.kind == START_KIND and event.seat is not None
    )


def _earlier_turn(start: TurnEventRow, seat: int, end: TurnEventRow | None) -> EarlierTurn:
    return EarlierTurn(
        turn_seq=start.turn_seq,
        seat=seat,
        name=start.name,
        has_player=start.has_player,
        started_at=start.at.replace(microsecond=0),
        end=None if end is None else end.kind,
        by="" if end is None else end.by,
    )


def start_of(events: Iterable[TurnEventRow]) -> TurnEventRow | None:
    """Return the event that began a turn, first if it began again; None if its seat or the event itself is not known."""
    start = next((event for event in events if event.kind == START_KIND), None)
    return None if start is None or start.seat is None else start


def shown_events(events: Sequence[TurnEventRow], *, is_over: bool) -> Sequence[TurnEventRow]:
    """Return the events without reminders of a running turn: when they come is for its player alone to choose."""
    return [event for event in events if is_over or event.kind != "reminded"]


def event_steps(events: Iterable[TurnEventRow], *, is_insider: bool) -> Iterator[DeadlineStep]:
    """Return the events as steps; onlookers learn nothing about emails and absences."""
    for event in events:
        is_private = event.kind in {"absence", "undelivered"} and not is_insider
        hides_cause = event.cause in _PRIVATE_CAUSES and not is_insider
        yield DeadlineStep(
            # To the second, as the history shows them.
            at=event.at.replace(microsecond=0),
            kind="moved" if is_private else event.kind,
            by="" if is_private else event.by,
            cause="" if is_private or hides_cause else event.cause,
            deadline_at=None if event.kind in END_KINDS else event.deadline_at,
        )
