"""The clock of a slow game: how long the player on turn may think, when they are reminded, and what being late costs.

A turn *begins* with the time per turn of its table and with what its player has left in their bank. Its *deadline* is
where that time ends. Only playing time counts: the hours of the table, without the absences of the player where the
table waits for them. After four fifths of the time the player is *reminded*, or at the hours that they wish. A player
who *takes* the turn in time keeps the rest of their bank and gets some back. A player who *misses* it has an empty bank
and one strike more; the server plays for them. A missed turn is *excused*, and costs neither, if no email about it
could be delivered.

Meanwhile the player can *hold* the turn: it enters some minutes later, unless they *withdraw* it. Others can *extend* the
deadline, *pause* the clock and *resume* it. A turn *restarts* with its whole time if its player was never called, and
*shifts* by the time in which the site did not work. If a player's *absences change*, the deadline moves with them.

``wake_at`` is when a worker next looks at the game: at a reminder, at a held turn, at the deadline, at the beginning of an
absence after which a bot plays, and for a bot at once (``awaiting_bot``).

Every change returns the clock as it is afterwards and the events from which everyone can read why a deadline is as it is.
Nothing here reads the time or writes anything: ``webapp.play.queries.clocks`` does.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec
from msgspec.structs import replace

from engine.actions import Action
from engine.record import TurnSource
from webapp.clock.held_turn import HeldTurn
from webapp.clock.pace.calendar import (
    Calendar,
    Interval,
    away_until,
    capped_absences,
    deadline_for,
    elapsed_time,
    has_passed,
    moved_deadline,
)
from webapp.clock.pace.pace import LateRules, Pace, bank_after, bank_of, time_for_turn
from webapp.clock.pace.reminders import (
    ReminderPreferences,
    allowed_reminder_time,
    earliest_reminder,
    first_reminder,
    next_reminder,
)
from webapp.kernel.redacted import Redacted

EventKind: TypeAlias = Literal[
    "started",
    "reminded",
    "nudged",
    "extended",
    "paused",
    "resumed",
    "shifted",
    "absence",
    "undelivered",
    "played",
    "late",
    "missed",
    "opened",
    "undone",
]
"""What happens to the clock of a turn; the constraint of ``deadline_event`` is made from it."""
START_KIND: Final[EventKind] = "started"
END_KINDS: Final[tuple[EventKind, ...]] = ("played", "late", "missed")
REMINDER_SHARE: Final = 0.8
"""The share of a turn's time after which its player is reminded."""
FARTHEST_DEADLINE: Final = timedelta(days=30)
"""No extension leaves a turn more playing time than this, however many there are."""
MAX_STRIKES: Final = 30_000
"""Nearly what the column holds; no game has as many turns."""
CHOICES_WITHIN_A_TURN: Final = frozenset({"goal", "way-round"})
"""What a player chooses to finish a turn; picking gold is a turn of its own."""
SOURCES_PLAYED_IN_PERSON: Final[frozenset[TurnSource]] = frozenset({"player", "mail"})
"""How turns are played by a player who sees the game at that moment."""
_PLAYER_SOURCES: Final[frozenset[TurnSource]] = SOURCES_PLAYED_IN_PERSON | {"plan", "server"}
"""A turn that followed by itself counts as its player's, because plans and who picks gold are private."""
_LONGEST_TIME_UNTIL_RECORD: Final = timedelta(minutes=1)
"""Heartbeats say every 30 seconds when deadlines were last looked for."""
_NO_TIME: Final = timedelta(0)


class Player(Redacted, frozen=True, kw_only=True):
    """What the clock knows of a seat: who has it, the time in their bank, their strikes, their absences and wishes."""

    account_id: int | None = None
    is_bot: bool = False
    leaver_id: int | None = None
    """The person from whom an open seat was taken, if they can get it back."""
    bank: timedelta | None = None
    """What is left in the bank; None for a full one."""
    strikes: int = 0
    absence_used: timedelta | None = None
    """The playing time for which absences have stopped the clock of this game; None for none."""
    returned_at: datetime | None = None
    """When the player last took a turn although they had said to be away."""
    away: tuple[Interval, ...] = ()
    """The absences that were not over when the turn began, but none that a turn of theirs has ended."""
    wishes: ReminderPreferences = ReminderPreferences()

    @property
    def is_free(self) -> bool:
        return self.account_id is None and not self.is_bot

    def is_away(self, at: datetime) -> bool:
        return bool(self.away) and away_until(self.away, at) is not None


class ClockStop(NamedTuple):
    """A maintenance or an outage that stops the clock, and by whose length the deadline has not been moved yet."""

    since: datetime
    until: datetime | None
    """None while it lasts."""
    is_recorded: bool = True
    """Otherwise it is the time since workers last looked for deadlines. If it is long, they will record it as an outage."""

    def between(self, since: datetime, until: datetime) -> Interval | None:
        """Return when the clock stands still between two instants."""
        if not self.is_recorded and until - self.since <= _LONGEST_TIME_UNTIL_RECORD:
            return None
        end = until if self.until is None else min(until, self.until)
        stop = Interval(max(since, self.since), end)
        return stop if stop.start < stop.end else None


class ClockEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One event of a turn's clock; ``deadline_at`` is the deadline afterwards."""

    turn_seq: int
    at: datetime
    kind: EventKind
    by: str
    seat: int | None = None
    account_id: int | None = None
    deadline_at: datetime | None = None
    cause: str = ""
    bank: timedelta | None = None
    """The player's bank; only for the start of a turn, or for the end of one that had no clock."""
    absence_used: timedelta | None = None
    """How long the player's absences have stopped the clock before; only for the start of a turn."""


class ClockChange(NamedTuple):
    """The clock after a change, and what happened."""

    clock: "Clock"
    events: tuple[ClockEvent, ...] = ()


class TakenTurn(NamedTuple):
    """A turn that someone took; ``turn_seq`` is where it began."""

    seat: int
    by: TurnSource
    turn_seq: int
    held_turn: HeldTurn | None = None
    """The turn as its player held it: the clock stops when that is due, however late a worker plays it, so it is never late."""


class Clock(Redacted, frozen=True, kw_only=True):
    """The clock of a game: the turn that it waits for, what every player has left, and the rules of its table."""

    pace: Pace
    rules: LateRules
    players: tuple[Player, ...]
    """The players by seat."""
    seq: int
    """The position of the game. It moves within a turn too, when its player still has something to choose."""
    turn_seq: int
    """The position at which the turn began."""
    seat: int | None
    """The seat whose turn it is; None once the game is over."""
    started_at: datetime | None
    deadline_at: datetime | None = None
    """None for a bot, which is played at once."""
    remind_at: datetime | None = None
    """When the player is reminded, or was last; None if the email about the turn has to be enough."""
    wake_at: datetime | None = None
    awaiting_bot: bool = False
    """Whether a bot takes the turn, in its own seat or for a player who is away."""
    paused_at: datetime | None = None
    """When the clock was paused. All times stay as they were, and move when it is resumed."""
    stored_held_turn: HeldTurn | None = None
    """Perhaps dropped, or of an earlier position: see ``held_turn``."""
    stop: ClockStop | None = None

    # The clock as it is shown.

    @property
    def player(self) -> Player | None:
        """The player on turn."""
        return None if self.seat is None else self.players[self.seat]

    @property
    def account_id(self) -> int | None:
        """The person on turn; None for bots and open seats."""
        return None if self.player is None else self.player.account_id

    @property
    def held_turn(self) -> HeldTurn | None:
        """The turn that is held for the position of the game."""
        held_turn = self.stored_held_turn
        if held_turn is None or held_turn.action is None or self.paused_at is not None:
            return None
        if (held_turn.seat, held_turn.seq) != (self.seat, self.seq):
            return None
        is_owner = self.players[held_turn.seat].account_id == held_turn.account_id
        return held_turn if is_owner else None

    def is_held_turn_due(self, *, now: datetime) -> bool:
        return self.held_turn is not None and has_passed(self.held_turn.due_at, now=now)

    def is_expired(self, *, now: datetime) -> bool:
        """Return whether the time is up. A clock that runs for no one, or without a deadline, counts as expired."""
        if self.deadline_at is None or self.seat is None:
            return True
        return has_passed(self.deadline_at, now=now)

    def is_bot_turn(self, *, at: datetime) -> bool:
        """Return whether a bot takes the turn at an instant: its own, or that of a player who is away."""
        player = self.player
        if player is None:
            return False
        return player.is_bot or (self.lets_bots_play and player.is_away(at))

    @property
    def lets_bots_play(self) -> bool:
        """Whether a bot plays for the person on turn while they are away."""
        return self.rules.absence == "bot" and self.account_id is not None

    @property
    def calendar(self) -> Calendar:
        """When the clock runs for the turn; its deadline is always counted by this.

        The player's absences stop it from the start of the turn on, if the table has chosen that, for as long as they
        may.
        """
        playing, player = self.pace.playing, self.player
        if player is None or self.started_at is None:
            return Calendar(playing)
        if not player.away or self.rules.absence != "stop":
            return Calendar(playing)
        absence_left = self.rules.absence_cap - (player.absence_used or _NO_TIME)
        return Calendar(
            playing, capped_absences(player.away, playing, self.started_at, absence_left)
        )

    def time_shown(self, at: datetime) -> datetime:
        """Return the instant by which the deadline counts: ``at``, or earlier if an outage stops the clock.

        From the beginning of the outage it is as far as ``at`` is from its end, because the deadline is going to be moved by
        as much.
        """
        stop = None if self.stop is None else self.stop.between(self.started_at or at, at)
        if stop is None:
            return at
        return moved_deadline(at, from_at=stop.end, to_at=stop.start, calendar=self.calendar)

    def time_left(self, at: datetime) -> timedelta | None:
        """Return how much of the turn's playing time is left at an instant; None without a deadline."""
        return (
            None if self.deadline_at is None else elapsed_time(at, self.deadline_at, self.calendar)
        )

    def extended_deadline(self, added_time: timedelta, *, now: datetime) -> datetime:
        """Return the deadline with more playing time, at most the farthest one. One that has passed is moved from now on."""
        shown, calendar = self.time_shown(now), self.calendar
        time_left = (self.time_left(shown) or _NO_TIME) + added_time
        return deadline_for(shown, min(time_left, FARTHEST_DEADLINE), calendar)

    def deadline_with_time_to_react(
        self, deadline_at: datetime, *, actor_id: int | None, since: datetime
    ) -> datetime:
        """Return this deadline, or a later one that leaves the player on turn as much playing time as a reminder does.

        No act of someone else may leave them less: neither one that moves their deadline nearer nor one with which
        their turn continues. A player who sets their own deadline gets no more than they had.
        """
        if self.account_id in {None, actor_id}:
            return deadline_at
        time_to_react = self.pace.time_per_turn * (1 - REMINDER_SHARE)
        return max(deadline_at, deadline_for(since, time_to_react, self.calendar))

    # A turn begins and ends.

    def begin(
        self, seat: int | None, *, seq: int, now: datetime, by: TurnSource, cause: str = ""
    ) -> ClockChange:
        """Start the turn of a seat at position ``seq``; of no one if the game is over.

        A person gets the time per turn and what is in their bank. An open seat gets the time per turn, and no one is reminded
        of it. A bot gets no deadline. A player who is away keeps theirs where a bot plays for them, because they may come
        back before. In a paused game the turn begins at the moment of the pause, so that resuming leaves its player the
        whole time.
        """
        at = self.paused_at or now
        clock = _from_beginning(replace(self, seat=seat, seq=seq, turn_seq=seq), at)
        if clock.deadline_at is None or clock.player is None:
            return ClockChange(clock)
        event = _event(clock, START_KIND, now, by=_public_source(by), cause=cause)
        event = replace(
            event,
            bank=_bank_for_event(clock, clock.player),
            absence_used=None if clock.player.is_free else clock.player.absence_used or _NO_TIME,
        )
        return ClockChange(clock, (event,))

    def continue_turn(self, *, seq: int, now: datetime) -> ClockChange:
        """Let the same turn continue at position ``seq``: its player has something to choose, or something else has changed."""
        at = self.paused_at or now
        is_bot_turn = self.is_bot_turn(at=at)
        wake_at = at if is_bot_turn else _wake_at_without_held_turn(self, now)
        started_at = self.started_at or now
        return ClockChange(
            replace(self, seq=seq, started_at=started_at, wake_at=wake_at, awaiting_bot=is_bot_turn)
        )

    def take(self, turn: TakenTurn, *, now: datetime) -> ClockChange:
        """End the turn that was waited for, or one that its player had planned and that followed in the same instant.

        The player keeps what is left of their bank, and if they took the turn themselves gets some back. If they did so in
        person, their absence is over.
        """
        player = self.players[turn.seat]
        if player.is_bot:
            return ClockChange(self)
        if not _waited_for(self, turn):
            event = replace(
                _end_event(self, "played", turn, now), bank=_bank_for_event(self, player)
            )
            player = _with_bank_after(self, player, turn.by, self.pace.bank)
            return _with_player(self, turn.seat, _back(player, turn, now), event)
        held_turn = turn.held_turn
        taken_at = self.paused_at or (now if held_turn is None else min(held_turn.due_at, now))
        time_left = self.time_left(self.time_shown(taken_at)) or _NO_TIME
        is_late = time_left == _NO_TIME and held_turn is None
        kind: EventKind = "late" if is_late and turn.by != "away" else "played"
        is_away = turn.by == "away" or (is_late and _was_away_at_deadline(self))
        # Also that of a held turn, as long as it entered in time: nothing else shows that it was held.
        ended_at = now if held_turn is None else min(now, self.deadline_at or now)
        event = _end_event(self, kind, turn, ended_at, cause="away" if is_away else "")
        player = _with_bank_after(self, player, turn.by, time_left)
        player = _with_absence_time(self, player, until=taken_at)
        return _with_player(self, turn.seat, _back(player, turn, now), event)

    def miss(self, *, now: datetime) -> ClockChange:
        """End the turn because its time is up: the bank is empty, and it is a strike unless the player was away as they had said."""
        was_away = _was_away_at_deadline(self)
        return _end_without_player(
            self, now, cause="away" if was_away else "", has_strike=not was_away, spares_bank=False
        )

    def excuse(self, *, now: datetime) -> ClockChange:
        """End the turn because its time is up, but its player could not know of it: that costs them nothing."""
        return _end_without_player(
            self, now, cause="undelivered", has_strike=False, spares_bank=True
        )

    # A player holds a turn.

    def hold(
        self, action: Action, *, hold_time: timedelta, account_id: int, now: datetime
    ) -> ClockChange:
        """Hold an action instead of the one that was held before; at the latest it enters at the deadline."""
        assert self.seat is not None
        assert self.deadline_at is not None
        held_turn = HeldTurn(
            seat=self.seat,
            account_id=account_id,
            seq=self.seq,
            held_at=now,
            due_at=min(now + hold_time, self.deadline_at),
            deadline_at=self.deadline_at,
            wake_at=_wake_at_without_held_turn(self, now),
            action=action,
        )
        # A player who holds a turn is back: no bot takes it, not even if they withdraw it, until a worker looks at the game again.
        return ClockChange(
            replace(self, stored_held_turn=held_turn, wake_at=held_turn.due_at, awaiting_bot=False)
        )

    def withdraw(self, *, now: datetime) -> ClockChange:
        """Take back what is held."""
        wake_at = _wake_at_without_held_turn(self, now)
        return ClockChange(
            replace(self, stored_held_turn=None, wake_at=wake_at, awaiting_bot=False)
        )

    def without_turns_held_by(self, account_id: int) -> "Clock":
        """Return the clock without what a person holds who has left the game."""
        held_turn = self.stored_held_turn
        is_own = held_turn is not None and held_turn.account_id == account_id
        return replace(self, stored_held_turn=None) if is_own else self

    def after_turns_of(self, seats: Collection[int | None]) -> "Clock":
        """Return the clock after turns that people took in these seats.

        If another player held a turn, that player learns that it was dropped.
        """
        held_turn = self.stored_held_turn
        if held_turn is None:
            return self
        is_gone = self.seat is None or held_turn.seat in seats
        return replace(self, stored_held_turn=None if is_gone else held_turn.dropped())

    # Others change the clock.

    def extend(
        self, deadline_at: datetime, *, by: str, now: datetime, cause: str = ""
    ) -> ClockChange:
        """Set the deadline; the reminder keeps its distance to it, or comes when its player wishes."""
        clock = replace(
            self, deadline_at=deadline_at, remind_at=_reminder_before(self, deadline_at, now)
        )
        clock = _waking_at(clock, _reminder_or_deadline(clock), now=now)
        return ClockChange(clock, (_event(clock, "extended", now, by=by, cause=cause),))

    def pause(self, *, by: str, now: datetime) -> ClockChange:
        """Stop the clock, and drop a held turn."""
        clock = replace(self, paused_at=now)
        held_turn = self.stored_held_turn
        # Also if its player has lost the seat: they may return to it.
        if held_turn is not None and held_turn.action is not None:
            wake_at = _wake_at_without_held_turn(self, now)
            clock = replace(clock, stored_held_turn=held_turn.dropped(), wake_at=wake_at)
        return ClockChange(clock, (_event(self, "paused", now, by=by),))

    def resume(self, *, by: str, now: datetime, actor_id: int | None) -> ClockChange:
        """Let the clock run again with the time that was left, however often it is paused."""
        assert self.paused_at is not None
        pause = Interval(self.time_shown(self.paused_at), self.time_shown(max(now, self.paused_at)))
        wake_at = self.wake_at
        if self.rules.absence == "bot":
            # The stored one may be the beginning of an absence, which no pause moves.
            wake_at = _usual_wake_at(self, self.paused_at)
        resumed = replace(_with_pause_given_back(self, pause), paused_at=None)
        deadline_at = _time_after_pause(self, self.deadline_at, resumed, pause)
        remind_at = _time_after_pause(self, self.remind_at, resumed, pause)
        wake_at = _time_after_pause(self, wake_at, resumed, pause)
        cause = ""
        if deadline_at is not None:
            later_deadline = resumed.deadline_with_time_to_react(
                deadline_at, actor_id=actor_id, since=pause.end
            )
            cause = "time-to-react" if later_deadline > deadline_at else ""
            # A game that waits for nothing before its deadline waits for nothing before the later one.
            remind_at = later_deadline if remind_at == deadline_at else remind_at
            wake_at = later_deadline if wake_at == deadline_at else wake_at
            deadline_at = later_deadline
        resumed = replace(
            resumed,
            deadline_at=deadline_at,
            remind_at=remind_at,
            awaiting_bot=resumed.is_bot_turn(at=now),
        )
        resumed = _waking_at(resumed, wake_at, now=now)
        return ClockChange(resumed, (_event(resumed, "resumed", now, by=by, cause=cause),))

    def restart(self, *, cause: str, now: datetime) -> ClockChange:
        """Let the turn begin again with the whole time, because its player was never called to it.

        The time for which absences have stopped its clock stays used: a table waits for no one longer than it has chosen.
        """
        assert self.seat is not None
        player = _with_absence_time(self, self.players[self.seat], until=now)
        clock = _from_beginning(_with_player(self, self.seat, player).clock, now)
        return ClockChange(clock, (_event(clock, "undelivered", now, by="server", cause=cause),))

    def shift(
        self, lost_time: timedelta, *, cause: str, now: datetime, is_reminder_unsent: bool
    ) -> ClockChange:
        """Move all times by the playing time that an outage took; a reminder that was not sent is written again."""
        calendar = self.calendar

        def shifted(at: datetime | None) -> datetime | None:
            return None if at is None else deadline_for(at, lost_time, calendar)

        clock = replace(
            self,
            # It tells which absences have stopped the clock of this turn, and for how long: with those it stays.
            started_at=self.started_at if calendar.away else shifted(self.started_at),
            deadline_at=shifted(self.deadline_at),
            remind_at=shifted(self.remind_at),
        )
        wake_at = _wake_at_with_held_turn(clock, shifted(self.wake_at))
        if wake_at is not None and clock.deadline_at is not None:
            # A bot plays for someone away from an instant on that may have been later than the deadline.
            wake_at = min(wake_at, clock.deadline_at)
        clock = replace(clock, wake_at=clock.remind_at if is_reminder_unsent else wake_at)
        if clock.deadline_at is None:
            return ClockChange(clock)
        return ClockChange(clock, (_event(clock, "shifted", now, by="server", cause=cause),))

    def absences_changed(self, away: Sequence[Interval], *, now: datetime) -> ClockChange:
        """Follow the absences of the player on turn: their deadline leaves as much playing time as before, or a bot takes over."""
        assert self.seat is not None
        player = replace(self.players[self.seat], away=tuple(away))
        clock = _with_player(self, self.seat, player).clock
        if self.lets_bots_play and self.held_turn is None:
            return ClockChange(clock.handed_on(now=now))
        shown = self.time_shown(self.paused_at or now)
        if self.deadline_at is None or self.deadline_at <= shown:
            return ClockChange(clock)

        def moved(at: datetime) -> datetime:
            return deadline_for(shown, elapsed_time(shown, at, self.calendar), clock.calendar)

        clock = replace(clock, deadline_at=moved(self.deadline_at))
        assert clock.deadline_at is not None
        if clock.deadline_at == self.deadline_at:
            return ClockChange(clock)
        wake_at: datetime | None = clock.deadline_at
        if player.wishes.hours or (self.remind_at is not None and self.remind_at > shown):
            if player.wishes.hours:
                remind_at = next_reminder(clock.deadline_at, player.wishes, after=now)
            else:
                assert self.remind_at is not None
                remind_at = moved(self.remind_at)
            clock = replace(clock, remind_at=remind_at)
            wake_at = remind_at or clock.deadline_at
        # A player who has been reminded is not reminded again because they have said that they are away.
        clock = replace(clock, wake_at=_wake_at_with_held_turn(clock, wake_at))
        return ClockChange(clock, (_event(clock, "absence", now, by="player"),))

    def handed_on(self, *, now: datetime) -> "Clock":
        """Return the clock with a bot that takes the turn while its player is away, or else with its player on turn again."""
        at = self.paused_at or now
        if self.is_bot_turn(at=now):
            return replace(self, awaiting_bot=True, wake_at=at)
        clock = replace(self, awaiting_bot=False)
        return _waking_at(clock, _usual_wake_at(clock, at), now=now)

    def vacate(self) -> "Clock":
        """Return the clock after the player on turn has lost the seat: no one is there to be reminded."""
        return replace(self, wake_at=self.deadline_at)

    def reseat(
        self, *, by: str, now: datetime, actor_id: int | None, since: datetime
    ) -> ClockChange:
        """Leave the player who has the seat on turn again time to react, and wake for their next reminder."""
        change = ClockChange(self)
        if self.paused_at is None and self.deadline_at is not None:
            later_deadline = self.deadline_with_time_to_react(
                self.deadline_at, actor_id=actor_id, since=since
            )
            if later_deadline > self.deadline_at:
                change = self.extend(later_deadline, by=by, now=now)
        clock, remind_at, at = change.clock, None, self.paused_at or now
        player = clock.player
        if player is not None and clock.deadline_at is not None and clock.remind_at is not None:
            remind_at = first_reminder(clock.remind_at, clock.deadline_at, player.wishes, now=at)
        remind_at = remind_at if remind_at is not None and remind_at > at else None
        wake_at = None
        if clock.deadline_at is not None:
            wake_at = _wake_at_with_held_turn(clock, remind_at or clock.deadline_at)
        return change._replace(clock=replace(clock, remind_at=remind_at, wake_at=wake_at))

    def cancel(self) -> "Clock":
        """Return the clock of a game that is over: it waits for nothing."""
        return replace(
            self,
            deadline_at=None,
            remind_at=None,
            wake_at=None,
            paused_at=None,
            stored_held_turn=None,
        )

    def take_back(self, turns: Sequence[ClockEvent], *, now: datetime) -> ClockChange:
        """Give the players back what they had before these turns, of which the beginnings and ends are given, the earliest first.

        A player who came meanwhile keeps what is theirs, and an open seat has only its leaver's strikes. The turns no longer
        count for how reliable their players are.
        """
        players = tuple(
            _player_before(self, player, [turn for turn in turns if turn.seat == seat])
            for seat, player in enumerate(self.players)
        )
        events = (
            ClockEvent(
                turn_seq=turn.turn_seq,
                at=now,
                kind="undone",
                by="moderator",
                seat=turn.seat,
                account_id=turn.account_id,
            )
            for turn in {turn.turn_seq: turn for turn in turns}.values()
        )
        return ClockChange(replace(self, players=players), tuple(events))

    # A worker looks at the clock.

    def remind(self, *, now: datetime) -> ClockChange:
        """Remind the player; without an event if that has to wait, for a held turn or the end of their quiet hours.

        No one is reminded of the turn of an open seat.
        """
        assert self.deadline_at is not None
        assert self.player is not None
        if self.player.account_id is None:
            return ClockChange(replace(self, wake_at=self.deadline_at))
        if self.held_turn is not None:
            return ClockChange(replace(self, wake_at=self.held_turn.due_at))
        wishes = self.player.wishes
        # A deadline that moved, or new wishes, may have left the time for which this reminder was planned too early.
        earliest_at = earliest_reminder(self.deadline_at, wishes) or now
        reminder_at = allowed_reminder_time(max(now, earliest_at), self.deadline_at, wishes)
        if reminder_at > now:
            return ClockChange(replace(self, remind_at=reminder_at, wake_at=reminder_at))
        due_at = self.wake_at or now
        next_at = next_reminder(self.deadline_at, wishes, after=now, reminded_at=due_at)
        clock = replace(self, remind_at=due_at)
        clock = _waking_at(clock, next_at or self.deadline_at, now=now)
        return ClockChange(clock, (_event(clock, "reminded", now, by="clock"),))


def _waking_at(clock: Clock, planned_at: datetime | None, *, now: datetime) -> Clock:
    """Return the clock that wakes workers at what is planned, or earlier: at once for a bot, or when an absence begins.

    While a turn is held, they wait for that alone, or for the deadline.
    """
    if clock.held_turn is not None:
        return replace(clock, wake_at=_wake_at_with_held_turn(clock, planned_at))
    if clock.is_bot_turn(at=now):
        return replace(clock, wake_at=now)
    player = clock.player
    if player is None or not clock.lets_bots_play:
        return replace(clock, wake_at=planned_at)
    starts = [absence.start for absence in player.away if absence.start > now]
    planned = [] if planned_at is None else [planned_at]
    return replace(clock, wake_at=min([*starts, *planned], default=None))


def _reminder_or_deadline(clock: Clock) -> datetime | None:
    player = clock.player
    is_unreminded = clock.remind_at is None or (player is not None and player.is_free)
    return clock.deadline_at if is_unreminded else clock.remind_at


def _usual_wake_at(clock: Clock, now: datetime) -> datetime | None:
    """Return when the running turn has its next reminder, or else its deadline."""
    if clock.remind_at is not None and clock.remind_at > now:
        return clock.remind_at
    if clock.player is None or clock.deadline_at is None:
        return clock.deadline_at
    return next_reminder(clock.deadline_at, clock.player.wishes, after=now) or clock.deadline_at


def _wake_at_with_held_turn(clock: Clock, wake_at: datetime | None) -> datetime | None:
    held_turn = clock.held_turn
    if held_turn is None:
        return wake_at
    return (
        held_turn.due_at if clock.deadline_at is None else min(held_turn.due_at, clock.deadline_at)
    )


def _wake_at_without_held_turn(clock: Clock, now: datetime) -> datetime | None:
    """Return when a worker looks next, once no turn is held."""
    held_turn = clock.held_turn
    if held_turn is None:
        return clock.wake_at
    if clock.deadline_at is None or clock.deadline_at == held_turn.deadline_at:
        return held_turn.wake_at
    return _usual_wake_at(clock, now)


def _from_beginning(clock: Clock, at: datetime) -> Clock:
    """Return the clock of the turn as it begins at an instant, with its whole time."""
    is_bot = clock.player is not None and clock.player.is_bot
    started = replace(
        clock,
        started_at=at,
        deadline_at=None,
        remind_at=None,
        wake_at=at if is_bot else None,
        awaiting_bot=is_bot,
    )
    player = started.player
    if player is None or is_bot:
        return started
    calendar, pace = started.calendar, started.pace
    time = pace.time_per_turn if player.is_free else time_for_turn(player.bank, pace)
    deadline_at = deadline_for(at, time, calendar)
    usual_reminder_at = deadline_for(at, time * REMINDER_SHARE, calendar)
    remind_at = first_reminder(usual_reminder_at, deadline_at, player.wishes, now=at)
    started = replace(
        started,
        deadline_at=deadline_at,
        remind_at=remind_at,
        awaiting_bot=started.is_bot_turn(at=at),
    )
    return _waking_at(started, _reminder_or_deadline(started), now=at)


def _waited_for(clock: Clock, turn: TakenTurn) -> bool:
    """Return whether the clock ran for a turn; those that followed by themselves have no deadline, and none is ever late."""
    return turn.turn_seq == clock.turn_seq and clock.deadline_at is not None


def _was_away_at_deadline(clock: Clock) -> bool:
    """Return whether the player was away at the deadline, as they had said.

    That happens at a table that doesn't stop the clock for absences, or has stopped it for as long as it waits for anyone.
    """
    if clock.player is None or clock.deadline_at is None:
        return False
    return clock.player.is_away(clock.deadline_at)


def _end_without_player(
    clock: Clock, now: datetime, *, cause: str, has_strike: bool, spares_bank: bool
) -> ClockChange:
    assert clock.seat is not None
    player, turn = clock.players[clock.seat], TakenTurn(clock.seat, "clock", clock.turn_seq)
    event = _end_event(clock, "missed", turn, now, cause=cause)
    if not spares_bank:
        player = _with_bank_after(clock, player, "clock", _NO_TIME)
    player = _with_absence_time(clock, player, until=clock.paused_at or now)
    if has_strike and not player.is_free:
        player = replace(player, strikes=min(player.strikes + 1, MAX_STRIKES))
    return _with_player(clock, clock.seat, player, event)


def _with_player(clock: Clock, seat: int, player: Player, *events: ClockEvent) -> ClockChange:
    players = (*clock.players[:seat], player, *clock.players[seat + 1 :])
    return ClockChange(replace(clock, players=players), events)


def _with_bank_after(clock: Clock, player: Player, by: TurnSource, time_left: timedelta) -> Player:
    if not clock.pace.bank or player.is_free:
        return player
    is_turn_taken = by in _PLAYER_SOURCES
    bank = bank_after(player.bank, time_left, clock.pace, is_turn_taken=is_turn_taken)
    return replace(player, bank=bank)


def _with_absence_time(clock: Clock, player: Player, *, until: datetime) -> Player:
    """Return the player on turn with the time added for which their absences have stopped the clock of the turn."""
    if clock.started_at is None:
        return player
    all_time = elapsed_time(clock.started_at, until, Calendar(clock.pace.playing))
    return _with_absence_used(
        player, all_time - elapsed_time(clock.started_at, until, clock.calendar)
    )


def _with_pause_given_back(clock: Clock, pause: Interval) -> Clock:
    """Return the clock so that a pause uses nothing up of the time for which absences may stop it."""
    player = clock.player
    if clock.seat is None or player is None or not player.away or clock.rules.absence != "stop":
        return clock
    playing = clock.pace.playing
    time_at_home = elapsed_time(pause.start, pause.end, Calendar(playing, player.away))
    time_away = elapsed_time(pause.start, pause.end, Calendar(playing)) - time_at_home
    return _with_player(clock, clock.seat, _with_absence_used(player, -time_away)).clock


def _time_after_pause(
    clock: Clock, at: datetime | None, resumed: Clock, pause: Interval
) -> datetime | None:
    """Return the instant that lies as far after the pause as ``at`` before it: in playing time what is to come, else by the calendar."""
    if at is None:
        return None
    if at < pause.start:
        return at + pause.length
    time_to_come = elapsed_time(pause.start, at, clock.calendar)
    return deadline_for(pause.end, time_to_come, resumed.calendar)


def _reminder_before(clock: Clock, deadline_at: datetime, now: datetime) -> datetime | None:
    """Return when the player is reminded of a moved deadline: as long before it as before the present one, or as they wish."""
    if clock.remind_at is None or clock.deadline_at is None or clock.player is None:
        return None
    calendar, start = clock.calendar, clock.started_at or clock.remind_at
    gap = elapsed_time(clock.remind_at, clock.deadline_at, calendar)
    usual_reminder_at = deadline_for(
        start, elapsed_time(start, deadline_at, calendar) - gap, calendar
    )
    return first_reminder(usual_reminder_at, deadline_at, clock.player.wishes, now=now)


def _player_before(clock: Clock, player: Player, turns: Sequence[ClockEvent]) -> Player:
    account_id = player.leaver_id if player.is_free else player.account_id
    own = [turn for turn in turns if turn.account_id is not None]
    own = [turn for turn in own if turn.account_id == account_id]
    strikes = sum(turn.kind == "missed" and not turn.cause for turn in own)
    bank = next((turn.bank for turn in own if turn.bank is not None), player.bank)
    used_times = (turn.absence_used for turn in own if turn.absence_used is not None)
    return replace(
        player,
        strikes=max(player.strikes - strikes, 0),
        bank=None if bank is None or bank >= clock.pace.bank else bank,
        absence_used=next(used_times, player.absence_used) or None,
    )


def _bank_for_event(clock: Clock, player: Player) -> timedelta | None:
    """Return what a player has in their bank before a turn, which a rewind gives back; None for an open seat."""
    return None if player.is_free else bank_of(player.bank, clock.pace)


def _end_event(
    clock: Clock, kind: EventKind, turn: TakenTurn, at: datetime, *, cause: str = ""
) -> ClockEvent:
    return ClockEvent(
        turn_seq=turn.turn_seq,
        at=at,
        kind=kind,
        by=_public_source(turn.by),
        seat=turn.seat,
        account_id=clock.players[turn.seat].account_id,
        deadline_at=clock.deadline_at if turn.turn_seq == clock.turn_seq else None,
        cause=cause,
    )


def _event(clock: Clock, kind: EventKind, at: datetime, *, by: str, cause: str = "") -> ClockEvent:
    return ClockEvent(
        turn_seq=clock.turn_seq,
        at=at,
        kind=kind,
        by=by,
        seat=clock.seat,
        account_id=clock.account_id,
        deadline_at=clock.deadline_at,
        cause=cause,
    )


def _back(player: Player, turn: TakenTurn, now: datetime) -> Player:
    """Return the player without the absences that had begun when they took a turn in person; a plan was made before."""
    if turn.by not in SOURCES_PLAYED_IN_PERSON:
        return player
    returned_at = now
    if turn.held_turn is not None and turn.held_turn.due_at <= now:
        # It entered by itself, and was chosen before, perhaps before the absence began.
        returned_at = turn.held_turn.held_at
    if not player.is_away(returned_at):
        return player
    away = tuple(absence for absence in player.away if absence.start > returned_at)
    return replace(player, away=away, returned_at=returned_at)


def _with_absence_used(player: Player, added_time: timedelta) -> Player:
    if not added_time:
        return player
    return replace(player, absence_used=(player.absence_used or _NO_TIME) + added_time)


def _public_source(by: TurnSource) -> str:
    """Return what everyone may know of how a turn entered the game."""
    if by == "away":
        return "bot"
    return "player" if by in _PLAYER_SOURCES else by
