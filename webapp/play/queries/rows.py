"""What is read of a game, as values."""

from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from engine.commitments import Secrets
from webapp.clock.held_turn import decode_held_turn
from webapp.clock.pace.calendar import Interval
from webapp.clock.pace.pace import LateRules, Pace, late_rules_from, pace_from
from webapp.clock.pace.reminders import ReminderPreferences
from webapp.clock.queries.email_times import QuietHoursRow, quiet_times
from webapp.clock.queries.maintenance import MaintenancePeriod, MaintenanceRow
from webapp.clock.turn import Clock, Player
from webapp.kernel.game_status import GameStatus
from webapp.kernel.public_acts import ShownAct
from webapp.kernel.redacted import Redacted
from webapp.lobby.queries.rematches import RematchRow
from webapp.play.queries.messages import MessageRow
from webapp.play.queries.notes import NO_NOTES, NotesRow
from webapp.play.queries.votes import VoteRow


class SeatRow(Redacted, frozen=True, array_like=True):
    """A seat and who sits in it; ``salt`` is hexadecimal."""

    number: int
    account_id: int | None
    name: str | None
    picks_gold: bool | None
    bot_name: str | None
    is_ready: bool
    salt: str
    bot_level: str | None = None
    """How well the bot plays; None for people and free seats."""
    bank_seconds: float | None = None
    strikes: int = 0
    absence_used_seconds: float | None = None
    away: tuple[Interval, ...] | None = None
    """The absences of the person that were not over when the turn began, or the table was opened, but none that a turn of theirs has ended."""
    zone: str | None = None
    reminder_hours: tuple[int, ...] | None = None
    quiet_hours: tuple[QuietHoursRow, ...] | None = None
    opened_at: datetime | None = None
    """When the seat was opened, if it is open."""
    leaver_id: int | None = None
    """The person from whom the open seat was taken, if they can get it back."""
    is_lost: bool = False
    """Whether that person has lost it by missing turns, and can take it back themselves."""
    returned_at: datetime | None = None
    """When the player last took a turn although they had said to be away."""

    @property
    def bank(self) -> timedelta | None:
        """Return what is left in the player's time bank; None for a full one."""
        return None if self.bank_seconds is None else timedelta(seconds=self.bank_seconds)

    @property
    def absence_used(self) -> timedelta:
        """Return for how much playing time the player's absences have stopped the clock of this game."""
        return timedelta(seconds=self.absence_used_seconds or 0)

    @property
    def reminder_wishes(self) -> ReminderPreferences:
        """Return when the person in this seat wants reminders."""
        quiet = quiet_times(self.quiet_hours or (), self.zone or "UTC")
        return ReminderPreferences(hours=self.reminder_hours or (), quiet=quiet)

    @property
    def player(self) -> Player:
        """Return the seat as the clock knows it."""
        return Player(
            account_id=self.account_id,
            is_bot=self.is_bot,
            leaver_id=self.leaver_id,
            bank=self.bank,
            strikes=self.strikes,
            absence_used=None if self.absence_used_seconds is None else self.absence_used,
            returned_at=self.returned_at,
            away=self.away or (),
            wishes=self.reminder_wishes,
        )

    @property
    def is_bot(self) -> bool:
        return self.bot_name is not None

    @property
    def is_free(self) -> bool:
        return self.account_id is None and not self.is_bot


class SecretRow(Redacted, frozen=True):
    gold: bytes
    round_1: bytes
    round_2: bytes
    round_3: bytes

    def secrets(self) -> Secrets:
        """Return the secrets for a deal. Raises ValueError if what is stored cannot be secrets."""
        return Secrets(
            gold=self.gold, round_1=self.round_1, round_2=self.round_2, round_3=self.round_3
        )


class ClubLabel(Redacted, frozen=True, array_like=True):
    """What a link to a club needs."""

    slug: str
    name: str
    rank: str = "member"
    """The viewer's rank in the club."""


class GameRow(Redacted, frozen=True, dict=True):
    """Everything stored of a game but its log, every secret of the position included."""

    id: int
    slug: str
    host_id: int
    host_name: str
    """The host's name as of the opening of the table."""
    table_name: str
    """What the host called the table; empty for the usual name."""
    rulebook: str
    house: dict[str, Any]
    seat_count: int
    starter: int | None
    allowance: timedelta
    pace_fields: dict[str, Any]
    late_rule_fields: dict[str, Any]
    public: bool
    club_id: int | None
    status: GameStatus
    opened_at: datetime
    waiting_since: datetime | None
    """The time since which an open table has waited for players, or a full one for answers."""
    removal_count: int
    """How many people the host has removed before the deal."""
    freeze_record: bytes | None
    head: bytes | None
    """The head of the chain of turns; None before the deal."""
    seq: int
    state: bytes | None
    state_format: int | None
    awaiting: int | None
    awaiting_bot: bool
    round: int
    turn_seq: int
    turn_started_at: datetime | None
    deadline_at: datetime | None
    remind_at: datetime | None
    wake_at: datetime | None
    paused_at: datetime | None
    """None unless the game is paused."""
    plans: bytes | None
    """What players have planned, with every secret."""
    player_changes: int
    """How often players have changed their absences, or lost or got back a seat; a turn is only written if this is still the same."""
    held_turn: bytes | None
    """A turn that its player can still change."""
    commitments: str
    club_of_viewer: ClubLabel | None
    """The club that the game belongs to, if the viewer for whom it was read is a member there."""
    seats: tuple[SeatRow, ...]
    secret: SecretRow | None
    """Only where something may have to be dealt."""
    maintenance: MaintenanceRow | None = None
    """The maintenance whose length is still to be added to the clock, or was as the game was read, or the time since the last sweep.

    Only where a turn may be played.
    """
    acts: tuple[ShownAct, ...] = ()
    """What moderators did to it, newest first; only where a page is shown."""
    has_viewer_sat: bool = False
    """Whether the viewer had a seat here before; only where a page is shown."""
    latest_votes: tuple[VoteRow, ...] = ()
    """The votes of its players that still matter; only where a page is shown."""
    rematch: RematchRow | None = None
    """The table at which the players of a finished game play again; only where a page is shown."""
    latest_outage: MaintenancePeriod | None = None
    """The last outage of the server, for which all clocks were shifted; only where a page is shown."""
    messages: tuple[MessageRow, ...] = ()
    """The latest messages that the viewer reads, oldest first; only where a page is shown."""
    notes: NotesRow = NO_NOTES
    """What the viewer has noted for themselves; only where a page is shown."""

    def __repr__(self) -> str:
        return f"<GameRow {self.slug}>"

    @cached_property
    def pace(self) -> Pace:
        return pace_from(self.pace_fields, self.allowance)

    @cached_property
    def late_rules(self) -> LateRules:
        return late_rules_from(self.late_rule_fields)

    @cached_property
    def clock(self) -> Clock:
        """The clock of the game; where a turn may be played, with what stops it."""
        return self.clock_with(self.maintenance)

    def clock_with(self, maintenance: MaintenanceRow | None) -> Clock:
        """Return the clock of the game, stopped by this maintenance."""
        return Clock(
            pace=self.pace,
            rules=self.late_rules,
            players=tuple(seat.player for seat in self.seats),
            seq=self.seq,
            turn_seq=self.turn_seq,
            seat=self.awaiting,
            started_at=self.turn_started_at,
            deadline_at=self.deadline_at,
            remind_at=self.remind_at,
            wake_at=self.wake_at,
            awaiting_bot=self.awaiting_bot,
            paused_at=self.paused_at,
            stored_held_turn=decode_held_turn(self.held_turn),
            stop=None if maintenance is None else maintenance.stop_of(self.id),
        )

    @property
    def has_one_person(self) -> bool:
        """Whether one person plays with bots only; an open seat is kept for another person."""
        people_count = sum(seat.account_id is not None for seat in self.seats)
        return people_count == 1 and not any(seat.is_free for seat in self.seats)

    def seat_of(self, account_id: int | None) -> SeatRow | None:
        """Return the seat in which this account sits."""
        if account_id is None:
            return None
        return next((seat for seat in self.seats if seat.account_id == account_id), None)

    def is_hosted_by(self, account_id: int | None) -> bool:
        return account_id is not None and account_id == self.host_id
