"""Build the context of each kind of email from its notification and the game as it stands; or find that it is superseded."""

import hashlib
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from engine.view import legal_actions, view_for
from webapp.clock import has_passed
from webapp.game_status import GameStatus
from webapp.services.accounts.sign_in import sign_in_token
from webapp.services.keys import Keyring
from webapp.services.lobby.invitation_links import invitation_token
from webapp.services.notifications.email_context import (
    DealtContext,
    EmailContext,
    Envelope,
    GameOverContext,
    InvitationContext,
    ReadyCheckContext,
    RoundOverContext,
    SignInContext,
    TurnContext,
)
from webapp.services.notifications.unsubscribe import tokens_for
from webapp.services.play.access import LoadedGame
from webapp.services.play.history import HistoryEntry, history_for, turns_since_own
from webapp.services.play.summaries import commitments_of, seat_summaries, table_summary
from webapp.store.notifications.claimed_notifications import ClaimedNotification
from webapp.store.play.turns import TurnRow


class EmailSource(NamedTuple):
    """Everything that a context is built from. ``game`` is None for emails outside games."""

    notification: ClaimedNotification
    game: LoadedGame | None
    news: Sequence[TurnRow]
    """The turns since the recipient last acted."""
    keys: Keyring
    now: datetime


class Superseded(Exception):
    """The email no longer applies; ``reason`` is stored in its row."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def message_id_of(notification: ClaimedNotification, keys: Keyring) -> str:
    """Return the Message-ID: the same on every retry, another one for each notification (RFC 5322)."""
    return keys.message_id(
        notification.kind,
        notification.game_id,
        notification.seq,
        notification.account_id,
        notification.dedup_key,
    )


def email_context_for(source: EmailSource) -> EmailContext:
    """Return what the email is about. Raises Superseded if it no longer applies or the recipient has opted out."""
    notification = source.notification
    if not notification.address:
        raise Superseded("no-address")
    if notification.opted_out and notification.kind != "sign-in":
        raise Superseded("unsubscribed")
    return _BUILDERS[notification.kind](source)


def _sign_in(source: EmailSource) -> SignInContext:
    notification = source.notification
    if (
        notification.nonce is None
        or notification.expires_at is None
        or has_passed(notification.expires_at, now=source.now)
    ):
        raise Superseded("expired")
    if notification.is_used:
        raise Superseded("used")
    return SignInContext(
        envelope=_envelope(source),
        code=source.keys.code(notification.nonce),
        link_token=sign_in_token(notification.nonce, source.keys),
        expires_at=notification.expires_at,
    )


def _invitation(source: EmailSource) -> InvitationContext:
    notification, game = source.notification, _game(source)
    if not game.status.is_before_deal:
        raise Superseded(game.status)
    if notification.is_used or notification.nonce is None:
        raise Superseded("accepted")
    _require_seat_for(notification, game)
    return InvitationContext(
        envelope=_envelope(source),
        table=table_summary(game.row),
        seats=seat_summaries(game.row, me=None),
        host=notification.inviter or "",
        token=invitation_token(notification.nonce, source.keys),
        commitments=commitments_of(game.row),
    )


def _require_seat_for(notification: ClaimedNotification, game: LoadedGame) -> None:
    """Raise Superseded if the table has no free seat or the recipient already has one."""
    seated = {seat.account_id for seat in game.row.seats} - {None}
    if notification.recipient_id in seated:
        raise Superseded("seated")
    if not any(seat.is_free for seat in game.row.seats):
        raise Superseded("full")


def _ready_check(source: EmailSource) -> ReadyCheckContext:
    game, seat = _seated(source)
    if game.status != GameStatus.READY_CHECK or source.notification.has_newer:
        raise Superseded("moved-on")
    if game.row.seats[seat].is_ready:
        raise Superseded("ready")
    return ReadyCheckContext(
        envelope=_envelope(source),
        table=table_summary(game.row),
        seats=seat_summaries(game.row, me=seat),
        commitments=commitments_of(game.row),
    )


def _dealt(source: EmailSource) -> DealtContext:
    game, seat = _seated(source)
    record = game.row.freeze_record
    if record is None:
        raise Superseded("moved-on")
    return DealtContext(
        envelope=_envelope(source),
        table=table_summary(game.row),
        seats=seat_summaries(game.row, me=seat),
        commitments=commitments_of(game.row),
        record=record,
        record_digest=hashlib.sha256(record).hexdigest(),
    )


def _turn(source: EmailSource) -> TurnContext:
    game, seat = _seated(source)
    row = game.row
    if row.awaiting != seat or row.turn_seq != source.notification.seq:
        raise Superseded("moved-on")
    view = view_for(game.state, seat)
    assert row.deadline_at is not None
    return TurnContext(
        envelope=_envelope(source),
        table=table_summary(row),
        seats=seat_summaries(row, me=seat, gone=view.gone),
        view=view,
        menu=tuple(legal_actions(view)),
        since=_since(source, seat),
        deadline_at=row.deadline_at,
    )


def _your_turn(source: EmailSource) -> TurnContext:
    context = _turn(source)
    if source.notification.counterpart_sent_at is not None:
        raise Superseded("reminder-sent")
    return context


def _reminder(source: EmailSource) -> TurnContext:
    context = _turn(source)
    if int(context.deadline_at.timestamp()) != source.notification.dedup_key:
        raise Superseded("deadline-moved")
    if has_passed(context.deadline_at, now=source.now):
        raise Superseded("too-late")
    if _was_notified_late(source):
        raise Superseded("turn-email-sent")
    return context


def _was_notified_late(source: EmailSource) -> bool:
    """Return whether the turn's first email, which contains all that a reminder does, was sent at reminder time."""
    notified_at, remind_at = source.notification.counterpart_sent_at, _game(source).row.remind_at
    return notified_at is not None and remind_at is not None and notified_at >= remind_at


def _round_over(source: EmailSource) -> RoundOverContext:
    game, seat = _seated(source)
    if game.status == GameStatus.FINISHED:
        # The email about the end of the game describes every round.
        raise Superseded("moved-on")
    view, number = view_for(game.state, seat), source.notification.dedup_key
    if len(view.results) < number:
        raise Superseded("rewound")
    return RoundOverContext(
        envelope=_envelope(source),
        table=table_summary(game.row),
        seats=seat_summaries(game.row, me=seat, gone=view.gone),
        view=view,
        result=view.results[number - 1],
        since=_since(source, seat),
    )


def _game_over(source: EmailSource) -> GameOverContext:
    game, seat = _seated(source)
    if game.status != GameStatus.FINISHED:
        raise Superseded("rewound")
    view = view_for(game.state, seat)
    return GameOverContext(
        envelope=_envelope(source),
        table=table_summary(game.row),
        seats=seat_summaries(game.row, me=seat, gone=view.gone),
        view=view,
        since=_since(source, seat),
    )


def _game(source: EmailSource) -> LoadedGame:
    if source.game is None:
        raise Superseded("no-game")
    return source.game


def _seated(source: EmailSource) -> tuple[LoadedGame, int]:
    """Return the game and the recipient's seat. Raises Superseded if they have none."""
    game = _game(source)
    seat = game.row.seat_of(source.notification.account_id)
    if seat is None:
        raise Superseded("not-seated")
    return game, seat.number


def _since(source: EmailSource, seat: int) -> tuple[HistoryEntry, ...]:
    over = source.game is not None and source.game.status == GameStatus.FINISHED
    return history_for(turns_since_own(source.news, seat), seat, reveal_all=over)


def _envelope(source: EmailSource) -> Envelope:
    notification, game, keys = source.notification, source.game, source.keys
    return Envelope(
        kind=notification.kind,  # type: ignore[arg-type] # only these values are ever stored
        address=notification.address,
        name=notification.name,
        language=notification.language,
        zone=notification.zone,
        message_id=message_id_of(notification, keys),
        root_id=None if game is None else keys.message_id("root", game.slug),
        list_id=None if game is None else f"{game.slug}.{keys.domain}",
        unsubscribe=tokens_for(notification, keys)[0],
    )


_BUILDERS: Final[dict[str, Callable[[EmailSource], EmailContext]]] = {
    "sign-in": _sign_in,
    "invitation": _invitation,
    "ready-check": _ready_check,
    "dealt": _dealt,
    "your-turn": _your_turn,
    "reminder": _reminder,
    "round-over": _round_over,
    "game-over": _game_over,
}
