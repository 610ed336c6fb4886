"""Email contexts of every kind, taken from real games, as the services build them."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final, get_args

from engine.narration import narrate
from engine.view import legal_actions, view_for
from tests.support import (
    account_email_contexts,
    club_email_contexts,
    late_email_contexts,
    lobby_email_contexts,
)
from tests.support.act_email_contexts import (
    moderator_act,
    player_left_context,
    seat_offer_context,
    shown_act,
    table_cancelled_context,
    vote_ended_context,
    vote_opened_context,
)
from tests.support.email_envelopes import NOW, envelope_for
from tests.support.email_games import game_after_turns, game_in_round_two
from tests.support.email_parts import (
    COMMITMENTS,
    NAMES,
    head_of,
    seat_summaries,
    table_summary,
)
from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.positions import due_seat
from webapp.game_status import GameStatus
from webapp.rights import GameRight, Relation
from webapp.services.email_kinds import NotificationKind
from webapp.services.notifications.email_context import (
    BanLiftedContext,
    DealtContext,
    EmailContext,
    GameOverContext,
    InvitationContext,
    ReportDecidedContext,
    RoundOverContext,
    SanctionContext,
    TurnContext,
)
from webapp.services.play.awards import Award, AwardKey
from webapp.services.play.history import HistoryEntry

EMAIL_KINDS: Final[tuple[NotificationKind, ...]] = get_args(NotificationKind)


def history_for(game: InMemoryGame, seat: int, *, last: int) -> tuple[HistoryEntry, ...]:
    """Return the latest turns of a game as this seat may know them."""
    first_seq = max(1, len(game.log) - last)
    return tuple(_entry_for(game, seat, seq) for seq in range(first_seq, len(game.log)))


def _entry_for(game: InMemoryGame, seat: int, seq: int) -> HistoryEntry:
    events = game.log[seq]
    lines = [line for event in events for line in narrate(event, seat, reveal_all=game.is_over)]
    return HistoryEntry(
        seq=seq,
        seat=lines[0].seat if lines else None,
        by="clock" if seq % 7 == 0 else "player",
        at=NOW - timedelta(hours=len(game.log) - seq),
        lines=tuple(lines),
    )


def turn_context(
    game: InMemoryGame, *, seat: int | None = None, **changed_fields: Any
) -> TurnContext:
    """Return the context of a turn's email to the player on turn, or to the given seat."""
    recipient = due_seat(game.state) if seat is None else seat
    view = view_for(game.state, recipient)
    defaults: dict[str, Any] = {
        "envelope": envelope_for("your-turn", name=NAMES[recipient]),
        "table": table_summary(game),
        "seats": seat_summaries(view.seats, me=recipient, gone=view.gone, awaited=recipient),
        "view": view,
        "menu": legal_actions(view),
        "latest_entries": history_for(game, recipient, last=view.seats),
        "deadline_at": NOW + timedelta(days=2),
        "head": head_of(game),
    }
    return TurnContext(**(defaults | changed_fields))


def email_context(kind: NotificationKind, **changed_fields: Any) -> EmailContext:
    """Return a valid context of this kind, with anything changed."""
    return _CONTEXTS[kind](**changed_fields)


def _invitation_context(**changed_fields: Any) -> InvitationContext:
    defaults: dict[str, Any] = {
        "envelope": envelope_for("invitation", name=""),
        "table": table_summary(),
        "host": "Bob",
        "seats": seat_summaries(4, me=None, free=(2, 3)),
        "token": "invitation-token",
        "commitments": COMMITMENTS,
    }
    return InvitationContext(**(defaults | changed_fields))


def _dealt_context(**changed_fields: Any) -> DealtContext:
    defaults: dict[str, Any] = {
        "envelope": envelope_for("dealt"),
        "table": table_summary(taken=4, status=GameStatus.RUNNING),
        "seats": seat_summaries(4),
        "commitments": COMMITMENTS,
        "record": bytes(range(256)),
        "record_digest": "40aff2e9d2d8922e47afd4648e6967497158785fbd1da870e7110266bf944880",
    }
    return DealtContext(**(defaults | changed_fields))


def _turn_email_context(**changed_fields: Any) -> TurnContext:
    return turn_context(game_after_turns(20), **changed_fields)


def _reminder_context(**changed_fields: Any) -> TurnContext:
    defaults: dict[str, Any] = {
        "envelope": envelope_for("reminder"),
        "deadline_at": NOW + timedelta(hours=2),
    }
    return turn_context(game_after_turns(20), **(defaults | changed_fields))


def round_over_context(game: InMemoryGame, seat: int, **changed_fields: Any) -> RoundOverContext:
    """Return the context of the email about the latest round's end to this seat."""
    view = view_for(game.state, seat)
    defaults: dict[str, Any] = {
        "envelope": envelope_for("round-over"),
        "table": table_summary(game),
        "seats": seat_summaries(view.seats, me=seat, gone=view.gone),
        "view": view,
        "result": view.results[-1],
        "latest_entries": history_for(game, seat, last=4),
    }
    return RoundOverContext(**(defaults | changed_fields))


def _default_round_over_context(**changed_fields: Any) -> RoundOverContext:
    return round_over_context(game_in_round_two(), 0, **changed_fields)


def _game_over_context(**changed_fields: Any) -> GameOverContext:
    game = game_after_turns(1000)
    defaults: dict[str, Any] = {
        "envelope": envelope_for("game-over"),
        "table": table_summary(game, status=GameStatus.FINISHED),
        "seats": seat_summaries(5),
        "view": view_for(game.state, 0),
        "latest_entries": history_for(game, 0, last=3),
        "head": head_of(game),
        "awards": (
            Award(key=AwardKey.REPAIRS, seats=(0, 3), count=2),
            Award(key=AwardKey.QUICKEST, seats=(1,), answer=timedelta(minutes=4, seconds=10)),
        ),
    }
    return GameOverContext(**(defaults | changed_fields))


def _nudge_context(**changed_fields: Any) -> TurnContext:
    defaults: dict[str, Any] = {
        "envelope": envelope_for("nudge"),
        "act": shown_act(GameRight.NUDGE, acted_as=Relation.PLAYER, actor_name="Bob"),
    }
    return turn_context(game_after_turns(20), **(defaults | changed_fields))


def _warning_context(**changed_fields: Any) -> SanctionContext:
    defaults: dict[str, Any] = {
        "envelope": envelope_for("warning", root_id=None, list_id=None),
        "is_rename": False,
        "reason": "You called other players names.",
        "until": None,
        "appeal_token": "appeal-token",
    }
    return SanctionContext(**(defaults | changed_fields))


def _ban_context(**changed_fields: Any) -> SanctionContext:
    defaults = {
        "envelope": envelope_for("ban", root_id=None, list_id=None),
        "until": NOW + timedelta(days=7),
    }
    return _warning_context(**(defaults | changed_fields))


def _ban_lifted_context(**changed_fields: Any) -> BanLiftedContext:
    defaults = {"envelope": envelope_for("ban-lifted", root_id=None, list_id=None)}
    return BanLiftedContext(**(defaults | changed_fields))


def _report_decided_context(**changed_fields: Any) -> ReportDecidedContext:
    defaults: dict[str, Any] = {
        "envelope": envelope_for("report-decided", root_id=None, list_id=None),
        "is_appeal": False,
        "answer": "Thank you, we've talked to them.",
    }
    return ReportDecidedContext(**(defaults | changed_fields))


_CONTEXTS: Final[dict[NotificationKind, Callable[..., EmailContext]]] = {
    "sign-in": account_email_contexts.sign_in,
    "identity-code": account_email_contexts.identity_code_context,
    "address-change": account_email_contexts.address_change_context,
    "address-requested": account_email_contexts.address_requested_context,
    "address-changed": account_email_contexts.address_changed_context,
    "invitation": _invitation_context,
    "seat-offer": seat_offer_context,
    "ready-check": lobby_email_contexts.ready_check_context,
    "ready-check-missed": lobby_email_contexts.ready_check_missed_context,
    "ready-check-over": lobby_email_contexts.ready_check_over_context,
    "player-removed": lobby_email_contexts.player_removed_context,
    "table-waiting": lobby_email_contexts.table_waiting_context,
    "dealt": _dealt_context,
    "your-turn": _turn_email_context,
    "reminder": _reminder_context,
    "turn-missed": late_email_contexts.turn_missed_context,
    "deadlines-moved": late_email_contexts.deadlines_moved_context,
    "briefing": late_email_contexts.briefing_context,
    "seat-opened": late_email_contexts.seat_opened_context,
    "open-seats": late_email_contexts.open_seats_context,
    "round-over": _default_round_over_context,
    "game-over": _game_over_context,
    "moderator-act": moderator_act,
    "nudge": _nudge_context,
    "player-left": player_left_context,
    "vote-opened": vote_opened_context,
    "vote-ended": vote_ended_context,
    "table-cancelled": table_cancelled_context,
    "club-invitation": club_email_contexts.club_invitation_context,
    "club-announcement": club_email_contexts.club_announcement_context,
    "club-act": club_email_contexts.club_act_context,
    "club-request": club_email_contexts.club_request_context,
    "club-admitted": club_email_contexts.club_admitted_context,
    "club-declined": club_email_contexts.club_declined_context,
    "warning": _warning_context,
    "ban": _ban_context,
    "ban-lifted": _ban_lifted_context,
    "report-decided": _report_decided_context,
}
