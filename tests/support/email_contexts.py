"""Email contexts of every kind, taken from real games, as the services build them."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, Final, get_args

from engine.fairness import LABELS
from engine.narration import narrate
from engine.rulebook import HouseRules
from engine.view import legal_actions, view_for
from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.positions import due_seat
from tests.support.engine.random_players import mostly_digging_action
from tests.support.engine.seeded_random import SeededRng
from webapp.game_status import GameStatus
from webapp.services.email_kinds import NotificationKind
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
    UnsubscribeTokens,
)
from webapp.services.play.history import HistoryEntry
from webapp.services.play.summaries import Commitment, SeatSummary, TableSummary

NOW: Final = datetime(2026, 5, 5, 12, 30, tzinfo=UTC)
KINDS: Final[tuple[NotificationKind, ...]] = get_args(NotificationKind)
NAMES: Final = (
    "Anna",
    "Bob",
    "Carol",
    "Dāvis",
    "Ēriks",
    "Frida",
    "Ģirts",
    "Їжак",
    "Ingrid",
    "Jüri",
)
COMMITMENTS: Final = tuple(Commitment(label, label[-1].encode().hex() * 32) for label in LABELS)


def envelope_for(kind: NotificationKind, **changed: Any) -> Envelope:
    """Return the envelope of an email to Anna."""
    is_sign_in = kind == "sign-in"
    defaults: dict[str, Any] = {
        "kind": kind,
        "address": "anna@example.org",
        "name": "Anna",
        "language": "en",
        "zone": "Europe/Riga",
        "message_id": "<0123456789abcdef0123456789abcdef@lodepost.example>",
        "root_id": None if is_sign_in else "<fedcba9876543210fedcba9876543210@lodepost.example>",
        "list_id": None if is_sign_in else "k7h2m.lodepost.example",
        "unsubscribe": UnsubscribeTokens()
        if is_sign_in
        else UnsubscribeTokens(
            game="game-token", reminders="reminder-token", everything="all-token"
        ),
    }
    return Envelope(**(defaults | changed))


def table_summary(game: InMemoryGame | None = None, **changed: Any) -> TableSummary:
    """Return the table of a game; without one, a table of four that waits for players."""
    seats = game.state.seats if game else 4
    defaults: dict[str, Any] = {
        "slug": "k7h2m",
        "rulebook": game.state.rulebook if game else "en-2004",
        "house": game.state.house if game else HouseRules(open_gold=True, rounds=2),
        "seats": seats,
        "taken": seats if game else 2,
        "allowance": timedelta(days=2),
        "public": False,
        "host": "Bob",
        "status": GameStatus.RUNNING if game else GameStatus.OPEN,
        "opened_at": NOW - timedelta(days=3),
        "starter": None,
    }
    return TableSummary(**(defaults | changed))


def seat_summaries(
    count: int, *, me: int | None = 0, free: Sequence[int] = (), **common: Any
) -> tuple[SeatSummary, ...]:
    return tuple(
        SeatSummary(
            number=number,
            name="" if number in free else NAMES[number],
            is_bot=number == count - 1 and number not in free,
            is_me=number == me,
            is_free=number in free,
            is_ready=False,
            has_salt=number == 1,
            is_gone=number in common.get("gone", ()),
            is_awaited=number == common.get("awaited"),
        )
        for number in range(count)
    )


@cache
def game_after(
    turns: int, rulebook: str = "en-2004", seats: int = 5, seed: int = 1
) -> InMemoryGame:
    """Return a game after this many turns, or at its end; players make mistakes now and then."""
    rng, game = SeededRng(seed), InMemoryGame(rulebook, seats=seats)
    while not game.is_over and len(game.log) <= turns:
        game.play(mostly_digging_action(game.state, rng))
    return game


def history_for(game: InMemoryGame, seat: int, *, last: int) -> tuple[HistoryEntry, ...]:
    """Return the latest turns of a game as this seat may know them."""
    first = max(1, len(game.log) - last)
    return tuple(
        HistoryEntry(
            seq=seq,
            seat=0,
            by="clock" if seq % 7 == 0 else "player",
            at=NOW - timedelta(hours=len(game.log) - seq),
            lines=tuple(
                line
                for event in game.log[seq]
                for line in narrate(event, seat, reveal_all=game.is_over)
            ),
        )
        for seq in range(first, len(game.log))
    )


def turn_context(game: InMemoryGame, *, seat: int | None = None, **changed: Any) -> TurnContext:
    """Return the context of a turn's email to the player on turn, or to the given seat."""
    recipient = due_seat(game.state) if seat is None else seat
    view = view_for(game.state, recipient)
    defaults: dict[str, Any] = {
        "envelope": envelope_for("your-turn", name=NAMES[recipient]),
        "table": table_summary(game),
        "seats": seat_summaries(view.seats, me=recipient, gone=view.gone, awaited=recipient),
        "view": view,
        "menu": legal_actions(view),
        "since": history_for(game, recipient, last=view.seats),
        "deadline_at": NOW + timedelta(days=2),
    }
    return TurnContext(**(defaults | changed))


def email_context(kind: NotificationKind, **changed: Any) -> EmailContext:
    """Return a valid context of this kind, with anything changed."""
    return _CONTEXTS[kind](**changed)


def _sign_in(**changed: Any) -> SignInContext:
    defaults: dict[str, Any] = {
        "envelope": envelope_for("sign-in"),
        "code": "042137",
        "link_token": "link-token",
        "expires_at": NOW + timedelta(minutes=10),
    }
    return SignInContext(**(defaults | changed))


def _invitation(**changed: Any) -> InvitationContext:
    defaults: dict[str, Any] = {
        "envelope": envelope_for("invitation", name=""),
        "table": table_summary(),
        "host": "Bob",
        "seats": seat_summaries(4, me=None, free=(2, 3)),
        "token": "invitation-token",
        "commitments": COMMITMENTS,
    }
    return InvitationContext(**(defaults | changed))


def _ready_check(**changed: Any) -> ReadyCheckContext:
    defaults: dict[str, Any] = {
        "envelope": envelope_for("ready-check"),
        "table": table_summary(taken=4, status=GameStatus.READY_CHECK),
        "seats": seat_summaries(4),
        "commitments": COMMITMENTS,
    }
    return ReadyCheckContext(**(defaults | changed))


def _dealt(**changed: Any) -> DealtContext:
    defaults: dict[str, Any] = {
        "envelope": envelope_for("dealt"),
        "table": table_summary(taken=4, status=GameStatus.RUNNING),
        "seats": seat_summaries(4),
        "commitments": COMMITMENTS,
        "record": bytes(range(256)),
        "record_digest": "40aff2e9d2d8922e47afd4648e6967497158785fbd1da870e7110266bf944880",
    }
    return DealtContext(**(defaults | changed))


def _turn(**changed: Any) -> TurnContext:
    return turn_context(game_after(20), **changed)


def _reminder(**changed: Any) -> TurnContext:
    defaults: dict[str, Any] = {
        "envelope": envelope_for("reminder"),
        "deadline_at": NOW + timedelta(hours=2),
    }
    return turn_context(game_after(20), **(defaults | changed))


def round_over_context(game: InMemoryGame, seat: int, **changed: Any) -> RoundOverContext:
    """Return the context of the email about the latest round's end to this seat."""
    view = view_for(game.state, seat)
    defaults: dict[str, Any] = {
        "envelope": envelope_for("round-over"),
        "table": table_summary(game),
        "seats": seat_summaries(view.seats, me=seat, gone=view.gone),
        "view": view,
        "result": view.results[-1],
        "since": history_for(game, seat, last=4),
    }
    return RoundOverContext(**(defaults | changed))


def _round_over(**changed: Any) -> RoundOverContext:
    return round_over_context(_game_in_round_two(), 0, **changed)


@cache
def _game_in_round_two() -> InMemoryGame:
    turns = 30
    while game_after(turns).state.round == 1:
        turns += 1
    return game_after(turns)


def _game_over(**changed: Any) -> GameOverContext:
    game = game_after(1000)
    defaults: dict[str, Any] = {
        "envelope": envelope_for("game-over"),
        "table": table_summary(game, status=GameStatus.FINISHED),
        "seats": seat_summaries(5),
        "view": view_for(game.state, 0),
        "since": history_for(game, 0, last=3),
    }
    return GameOverContext(**(defaults | changed))


_CONTEXTS: Final[dict[NotificationKind, Callable[..., EmailContext]]] = {
    "sign-in": _sign_in,
    "invitation": _invitation,
    "ready-check": _ready_check,
    "dealt": _dealt,
    "your-turn": _turn,
    "reminder": _reminder,
    "round-over": _round_over,
    "game-over": _game_over,
}
