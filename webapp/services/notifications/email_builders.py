"""Build the context of each kind of email from its notification and the game as it stands; or find that it is superseded."""

import hashlib
from collections.abc import Callable
from typing import Final

import msgspec

from engine.view import legal_actions, view_for
from webapp.clock import has_passed
from webapp.game_status import GameStatus
from webapp.services.email_kinds import REQUESTED_KINDS
from webapp.services.notifications import (
    account_email_builders,
    late_player_emails,
    lobby_emails,
    outage_emails,
    vote_emails,
)
from webapp.services.notifications.briefing_email import briefing
from webapp.services.notifications.club_emails import (
    club_act,
    club_announcement,
    club_answer,
    club_invitation,
    club_request,
)
from webapp.services.notifications.email_context import (
    DealtContext,
    EmailContext,
    GameOverContext,
    ModeratorActContext,
    RoundOverContext,
    TurnContext,
)
from webapp.services.notifications.email_sources import (
    EmailSource,
    Superseded,
    envelope_for,
    require_game,
    require_seated,
)
from webapp.services.notifications.moderation_emails import (
    ban_lifted,
    report_decided,
    sanction_email,
)
from webapp.services.notifications.open_seats_email import open_seats
from webapp.services.notifications.seat_offer_email import seat_offer
from webapp.services.notifications.waiting_table_emails import ready_check_over, table_waiting
from webapp.services.play.finished_game import finished_game
from webapp.services.play.history import HistoryEntry, history_for, last_own_turn, turns_since_own
from webapp.services.play.shown_acts import ShownAct, shown_act, shown_acts
from webapp.services.play.shown_messages import ShownMessage, shown_messages
from webapp.services.play.summaries import (
    commitments_of,
    head_of,
    seat_summaries,
    table_summary,
)
from webapp.store.moderation.shown_acts import decode_act, decode_acts


def email_context_for(source: EmailSource) -> EmailContext:
    """Return what the email is about. Raises Superseded if it no longer applies or the recipient has opted out."""
    notification = source.notification
    if not notification.address:
        raise Superseded("no-address")
    if _is_banned(source) and notification.kind not in REQUESTED_KINDS:
        raise Superseded("banned")
    if notification.has_opted_out and notification.kind not in REQUESTED_KINDS:
        raise Superseded("unsubscribed")
    return _BUILDERS[notification.kind](source)


def _is_banned(source: EmailSource) -> bool:
    banned_until = source.notification.banned_until
    return banned_until is not None and not has_passed(banned_until, now=source.now)


def _dealt_context(source: EmailSource) -> DealtContext:
    game, seat = require_seated(source)
    record = game.row.freeze_record
    if record is None:
        raise Superseded("moved-on")
    return DealtContext(
        envelope=envelope_for(source),
        table=table_summary(game.row),
        seats=seat_summaries(game.row, me=seat, now=source.now),
        commitments=commitments_of(game.row),
        record=record,
        record_digest=hashlib.sha256(record).hexdigest(),
    )


def _turn_context(source: EmailSource) -> TurnContext:
    game, seat = require_seated(source)
    if game.row.awaiting != seat or game.row.turn_seq != source.notification.seq:
        raise Superseded("moved-on")
    if game.status != GameStatus.RUNNING:
        raise Superseded("paused" if game.status == GameStatus.PAUSED else "moved-on")
    row, view = game.row, view_for(game.state, seat)
    assert row.deadline_at is not None
    return TurnContext(
        envelope=envelope_for(source),
        table=table_summary(row),
        seats=seat_summaries(row, me=seat, gone=view.gone, now=source.now),
        view=view,
        menu=tuple(legal_actions(view)),
        latest_entries=_entries_since_own_turn(source, seat),
        messages=_messages_since_own_turn(source, seat),
        deadline_at=row.deadline_at,
        head=head_of(row),
        plan_end=game.plan_end_of(seat),
    )


def _your_turn_context(source: EmailSource) -> TurnContext:
    context, notification = _turn_context(source), source.notification
    reminded_at = notification.counterpart_sent_at
    # A reminder of before a pause says nothing of the email with which the game is resumed.
    if reminded_at is not None and reminded_at >= notification.first_due_at:
        raise Superseded("reminder-sent")
    return context


def _reminder_context(source: EmailSource) -> TurnContext:
    context = _turn_context(source)
    remind_at = require_game(source).row.remind_at
    if remind_at is None or int(remind_at.timestamp()) != source.notification.dedup_key:
        raise Superseded("deadline-moved")
    if has_passed(context.deadline_at, now=source.now):
        raise Superseded("too-late")
    if _was_notified_late(source):
        raise Superseded("turn-email-sent")
    return context


def _nudge_context(source: EmailSource) -> TurnContext:
    return msgspec.structs.replace(_turn_context(source), act=_shown_act(source))


def _moderator_act_context(source: EmailSource) -> ModeratorActContext:
    return ModeratorActContext(
        envelope=envelope_for(source),
        table=table_summary(require_game(source).row),
        act=_shown_act(source),
        may_see_game=source.may_see_game,
        peeks=_shown_peeks(source),
    )


def _shown_peeks(source: EmailSource) -> tuple[ShownAct, ...]:
    """Return when moderators looked at the secrets of a game, which is disclosed when it ends."""
    return shown_acts(decode_acts(source.notification.peeks), is_over=True)


def _shown_act(source: EmailSource) -> ShownAct:
    row = decode_act(source.notification.act)
    if row is None:
        raise Superseded("no-act")
    return shown_act(row)


def _was_notified_late(source: EmailSource) -> bool:
    """Return whether the turn's first email, which contains all that a reminder does, was sent at reminder time."""
    notified_at = source.notification.counterpart_sent_at
    remind_at = require_game(source).row.remind_at
    return notified_at is not None and remind_at is not None and notified_at >= remind_at


def _round_over_context(source: EmailSource) -> RoundOverContext:
    game, seat = require_seated(source)
    if game.is_revealed:
        # The email about the end of the game describes every round.
        raise Superseded("moved-on")
    view, number = view_for(game.state, seat), source.notification.dedup_key
    if len(view.results) < number:
        raise Superseded("rewound")
    return RoundOverContext(
        envelope=envelope_for(source),
        table=table_summary(game.row),
        seats=seat_summaries(game.row, me=seat, gone=view.gone, now=source.now),
        view=view,
        result=view.results[number - 1],
        latest_entries=_entries_since_own_turn(source, seat),
        messages=_messages_since_own_turn(source, seat),
    )


def _game_over_context(source: EmailSource) -> GameOverContext:
    game, seat = require_seated(source)
    if game.status != GameStatus.FINISHED:
        raise Superseded("rewound")
    view = view_for(game.state, seat)
    return GameOverContext(
        envelope=envelope_for(source),
        table=table_summary(game.row),
        seats=seat_summaries(game.row, me=seat, gone=view.gone, now=source.now),
        view=view,
        latest_entries=_entries_since_own_turn(source, seat),
        messages=_messages_since_own_turn(source, seat),
        head=head_of(game.row),
        awards=finished_game(game, source.whole_log, seat).awards if source.whole_log else (),
        peeks=_shown_peeks(source),
    )


def _entries_since_own_turn(source: EmailSource, seat: int) -> tuple[HistoryEntry, ...]:
    is_revealed = source.game is not None and source.game.is_revealed
    return history_for(turns_since_own(source.new_turns, seat), seat, reveal_all=is_revealed)


def _messages_since_own_turn(source: EmailSource, seat: int) -> tuple[ShownMessage, ...]:
    """Return what the others have said since the recipient's last turn."""
    own_turn = last_own_turn(source.new_turns, seat)
    rows = (
        row
        for row in source.messages
        if row.account_id != source.notification.account_id
        and (own_turn is None or row.seq >= own_turn.seq)
    )
    return shown_messages(rows, source.notification.account_id, now=source.now)


_BUILDERS: Final[dict[str, Callable[[EmailSource], EmailContext]]] = {
    "sign-in": account_email_builders.sign_in,
    "identity-code": account_email_builders.identity_code,
    "address-change": account_email_builders.address_change,
    "address-requested": account_email_builders.address_requested,
    "address-changed": account_email_builders.address_changed,
    "invitation": lobby_emails.invitation,
    "seat-offer": seat_offer,
    "ready-check": lobby_emails.ready_check,
    "ready-check-missed": lobby_emails.seat_freed,
    "ready-check-over": ready_check_over,
    "player-removed": lobby_emails.seat_freed,
    "table-waiting": table_waiting,
    "table-cancelled": lobby_emails.table_cancelled,
    "dealt": _dealt_context,
    "your-turn": _your_turn_context,
    "reminder": _reminder_context,
    "turn-missed": late_player_emails.turn_missed,
    "deadlines-moved": outage_emails.deadlines_moved,
    "briefing": briefing,
    "seat-opened": late_player_emails.seat_opened,
    "open-seats": open_seats,
    "round-over": _round_over_context,
    "game-over": _game_over_context,
    "club-invitation": club_invitation,
    "club-announcement": club_announcement,
    "club-act": club_act,
    "club-request": club_request,
    "club-admitted": club_answer,
    "club-declined": club_answer,
    "moderator-act": _moderator_act_context,
    "nudge": _nudge_context,
    "player-left": late_player_emails.player_left,
    "vote-opened": vote_emails.vote_opened,
    "vote-ended": vote_emails.vote_ended,
    "warning": sanction_email,
    "ban": sanction_email,
    "ban-lifted": ban_lifted,
    "report-decided": report_decided,
}
