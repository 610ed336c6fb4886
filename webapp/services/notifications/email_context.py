"""What an email is about, as data: webapp.mail turns a context into a message without asking the database."""

from datetime import datetime
from typing import TypeAlias

from engine.actions import Action
from engine.cards import Card
from engine.state import RoundResult
from engine.view import View
from webapp.services.notifications.email_envelope import SentContext
from webapp.services.notifications.lobby_contexts import SeatFreedContext, TableWaitingContext
from webapp.services.play.awards import Award
from webapp.services.play.history import HistoryEntry
from webapp.services.play.plans import PlanEnd
from webapp.services.play.shown_acts import ShownAct
from webapp.services.play.shown_messages import ShownMessage
from webapp.services.play.summaries import Commitment, Head, SeatSummary, TableSummary
from webapp.services.play.vote_rules import ShownVote
from webapp.store.lobby.open_seats import OpenSeatRow
from webapp.store.notifications.moved_deadlines import MovedDeadline


class SignInContext(SentContext, frozen=True, kw_only=True):
    code: str
    link_token: str
    expires_at: datetime
    pause_token: str
    user_agent: str


class IdentityCodeContext(SentContext, frozen=True, kw_only=True):
    code: str
    expires_at: datetime


class AddressChangeContext(SentContext, frozen=True, kw_only=True):
    """``address-change``: to the new address; without a link if it belongs to another account."""

    link_token: str | None
    expires_at: datetime


class AddressNoticeContext(SentContext, frozen=True, kw_only=True):
    """``address-requested`` and ``address-changed``: to the old address."""


class InvitationContext(SentContext, frozen=True, kw_only=True):
    table: TableSummary
    seats: tuple[SeatSummary, ...]
    host: str
    """The name of the player who sent the invitation."""
    token: str
    commitments: tuple[Commitment, ...]
    is_rematch: bool = False
    """Whether they have played together before, and the inviter does not know the address."""


class SeatOfferContext(SentContext, frozen=True, kw_only=True):
    """Public facts of the game only: the recipient has not accepted."""

    table: TableSummary
    seats: tuple[SeatSummary, ...]
    seat: int
    offerer: str
    """Who offers the seat; empty for the operator."""
    token: str
    expires_at: datetime


class ReadyCheckContext(SentContext, frozen=True, kw_only=True):
    table: TableSummary
    seats: tuple[SeatSummary, ...]
    commitments: tuple[Commitment, ...]
    answer_by: datetime
    """When the ready-check ends, and those who have not confirmed lose their seats."""


class TableCancelledContext(SentContext, frozen=True, kw_only=True):
    """The table is cancelled before the deal; to the others there, and to invited addresses."""

    table: TableSummary
    is_seated: bool
    is_unfilled: bool = False
    """Whether it closed by itself because its seats weren't all taken; else the host has cancelled it."""


class DealtContext(SentContext, frozen=True, kw_only=True):
    """The frozen record, which every player gets so that no one can change it afterwards."""

    table: TableSummary
    seats: tuple[SeatSummary, ...]
    commitments: tuple[Commitment, ...]
    record: bytes
    record_digest: str


class TurnContext(SentContext, frozen=True, kw_only=True):
    """``your-turn``, ``reminder`` and ``nudge``, with the ``act`` that asked for it: enough to play from the email alone."""

    table: TableSummary
    seats: tuple[SeatSummary, ...]
    view: View
    menu: tuple[Action, ...]
    latest_entries: tuple[HistoryEntry, ...]
    messages: tuple[ShownMessage, ...] = ()
    deadline_at: datetime
    head: Head
    act: ShownAct | None = None
    plan_end: PlanEnd | None = None
    """Why the recipient's plan for this turn was not followed, if they had one."""


class TurnMissedContext(SentContext, frozen=True, kw_only=True):
    """The clock has played a turn for the recipient; in public terms, as everyone at the table reads it."""

    table: TableSummary
    seats: tuple[SeatSummary, ...]
    entries: tuple[HistoryEntry, ...]
    """The turn that was played, as an onlooker may know it; empty if it was taken back."""
    strikes: int
    """How many turns the recipient has missed there; 0 if this one is excused."""
    strikes_until_open: int
    """After how many of them the seat opens; 0 for never."""


class SeatOpenedContext(SentContext, frozen=True, kw_only=True):
    """The recipient has missed too many turns or was unreachable, and may take their seat back until someone else has it."""

    table: TableSummary
    seat: int
    strikes: int
    was_unreachable: bool = False
    is_for_volunteers: bool


class BriefingContext(SentContext, frozen=True, kw_only=True):
    """What a seat has seen, with its discards of this round, for the person who has just taken it over."""

    table: TableSummary
    seats: tuple[SeatSummary, ...]
    view: View
    discards: tuple[Card, ...]
    deadline_at: datetime | None


class RoundOverContext(SentContext, frozen=True, kw_only=True):
    table: TableSummary
    seats: tuple[SeatSummary, ...]
    view: View
    result: RoundResult
    latest_entries: tuple[HistoryEntry, ...]
    messages: tuple[ShownMessage, ...] = ()


class GameOverContext(SentContext, frozen=True, kw_only=True):
    table: TableSummary
    seats: tuple[SeatSummary, ...]
    view: View
    latest_entries: tuple[HistoryEntry, ...]
    head: Head
    messages: tuple[ShownMessage, ...] = ()
    awards: tuple[Award, ...] = ()
    peeks: tuple[ShownAct, ...] = ()


class ClubInvitationContext(SentContext, frozen=True, kw_only=True):
    club: str
    inviter: str
    token: str


class ClubAnnouncementContext(SentContext, frozen=True, kw_only=True):
    club: str
    slug: str
    author: str
    """Empty if the account was deleted."""
    text: str


class ClubActContext(SentContext, frozen=True, kw_only=True):
    """A site moderator has closed the club, or made another member its founder."""

    club: str
    slug: str
    is_closed: bool
    reason: str


class ClubRequestContext(SentContext, frozen=True, kw_only=True):
    """People ask to join a club; to someone who may answer."""

    club: str
    slug: str
    names: tuple[str, ...]
    """Of the first who ask, who may be fewer than ``count``."""
    count: int


class ClubAnswerContext(SentContext, frozen=True, kw_only=True):
    """``club-admitted`` and ``club-declined``: to the person who asked to join."""

    club: str
    slug: str


class ModeratorActContext(SentContext, frozen=True, kw_only=True):
    """An act on the game. It holds public facts only, because people who have left the table get it too."""

    table: TableSummary
    act: ShownAct
    may_see_game: bool = True
    """False for someone who has lost their seat, until the game is over."""
    peeks: tuple[ShownAct, ...] = ()
    """If the act ended the game: when moderators looked at its secrets."""


class VoteContext(SentContext, frozen=True, kw_only=True):
    """A vote of the players, open or over: what is proposed and how many agree, never who."""

    table: TableSummary
    seats: tuple[SeatSummary, ...]
    vote: ShownVote


class PlayerLeftContext(SentContext, frozen=True, kw_only=True):
    """A player has deleted their account, and their seat is open."""

    table: TableSummary
    seat: int
    new_host: ShownAct | None = None
    """If the player was the host: who is the host now."""


class DeadlinesMovedContext(SentContext, frozen=True, kw_only=True):
    """After a maintenance or an outage: what happened, and the games that wait for the recipient."""

    cause: str
    began_at: datetime
    ended_at: datetime
    games: tuple[MovedDeadline, ...]


class OpenSeatsContext(SentContext, frozen=True, kw_only=True):
    """Open seats that the recipient, who has asked for this email, may take; what anyone may know of their games."""

    seats: tuple[OpenSeatRow, ...]


class SanctionContext(SentContext, frozen=True, kw_only=True):
    """``warning`` and ``ban``: why, until when a ban lasts, and how to appeal."""

    is_rename: bool
    """Whether a moderator changed the recipient's name, which is then the one in the envelope."""
    reason: str
    until: datetime | None
    appeal_token: str


class BanLiftedContext(SentContext, frozen=True, kw_only=True):
    """The recipient may sign in and play again."""


class ReportDecidedContext(SentContext, frozen=True, kw_only=True):
    is_appeal: bool
    answer: str


EmailContext: TypeAlias = (
    SignInContext
    | IdentityCodeContext
    | AddressChangeContext
    | AddressNoticeContext
    | InvitationContext
    | SeatOfferContext
    | ReadyCheckContext
    | TableCancelledContext
    | SeatFreedContext
    | TableWaitingContext
    | DealtContext
    | TurnContext
    | TurnMissedContext
    | SeatOpenedContext
    | DeadlinesMovedContext
    | OpenSeatsContext
    | BriefingContext
    | RoundOverContext
    | GameOverContext
    | ClubInvitationContext
    | ClubAnnouncementContext
    | ClubActContext
    | ClubRequestContext
    | ClubAnswerContext
    | ModeratorActContext
    | PlayerLeftContext
    | VoteContext
    | SanctionContext
    | BanLiftedContext
    | ReportDecidedContext
)
