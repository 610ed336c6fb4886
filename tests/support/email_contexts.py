"""Digests of every kind, cut from real games, as the services would hand them over."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, Final, get_args

from engine.fairness import LABELS
from engine.rulebook import HouseRules
from engine.story import narrate
from engine.view import legal_actions, view_for
from tests.support.engine.logged_game import LoggedGame
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
    Unsubscribe,
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
    """A letter to Anna."""
    outside = kind == "sign-in"
    known: dict[str, Any] = {
        "kind": kind,
        "address": "anna@example.org",
        "name": "Anna",
        "language": "en",
        "zone": "Europe/Riga",
        "message_id": "<0123456789abcdef0123456789abcdef@lodepost.example>",
        "root_id": None if outside else "<fedcba9876543210fedcba9876543210@lodepost.example>",
        "list_id": None if outside else "k7h2m.lodepost.example",
        "unsubscribe": Unsubscribe()
        if outside
        else Unsubscribe(game="game-token", reminders="reminder-token", everything="all-token"),
    }
    return Envelope(**(known | changed))


def table_of(game: LoggedGame | None = None, **changed: Any) -> TableSummary:
    """The table of a game; without one, a table of four that waits for players."""
    seats = game.state.seats if game else 4
    known: dict[str, Any] = {
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
    return TableSummary(**(known | changed))


def seats_of(
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
def game_after(turns: int, rulebook: str = "en-2004", seats: int = 5, seed: int = 1) -> LoggedGame:
    """A game that went on for this many turns, or to its end; players err now and then."""
    rng, game = SeededRng(seed), LoggedGame(rulebook, seats=seats)
    while not game.is_over and len(game.log) <= turns:
        game.play(mostly_digging_action(game.state, rng))
    return game


def told_to(game: LoggedGame, seat: int, *, last: int) -> tuple[HistoryEntry, ...]:
    """The last turns of a game as this seat hears them."""
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


def turn_of(game: LoggedGame, *, seat: int | None = None, **changed: Any) -> TurnContext:
    """Whoever is on turn in this game is told so, or the seat that is given."""
    reader = due_seat(game.state) if seat is None else seat
    view = view_for(game.state, reader)
    known: dict[str, Any] = {
        "envelope": envelope_for("your-turn", name=NAMES[reader]),
        "table": table_of(game),
        "seats": seats_of(view.seats, me=reader, gone=view.gone, awaited=reader),
        "seat": reader,
        "view": view,
        "menu": legal_actions(view),
        "since": told_to(game, reader, last=view.seats),
        "started_at": NOW - timedelta(minutes=1),
        "deadline_at": NOW + timedelta(days=2),
        "now": NOW,
    }
    return TurnContext(**(known | changed))


def letter(kind: NotificationKind, **changed: Any) -> EmailContext:
    """One good letter of this kind, with anything changed."""
    return _LETTERS[kind](**changed)


def _sign_in(**changed: Any) -> SignInContext:
    known: dict[str, Any] = {
        "envelope": envelope_for("sign-in"),
        "code": "042137",
        "link_token": "link-token",
        "expires_at": NOW + timedelta(minutes=10),
    }
    return SignInContext(**(known | changed))


def _invitation(**changed: Any) -> InvitationContext:
    known: dict[str, Any] = {
        "envelope": envelope_for("invitation", name=""),
        "table": table_of(),
        "host": "Bob",
        "seats": seats_of(4, me=None, free=(2, 3)),
        "token": "invitation-token",
        "commitments": COMMITMENTS,
    }
    return InvitationContext(**(known | changed))


def _ready_check(**changed: Any) -> ReadyCheckContext:
    known: dict[str, Any] = {
        "envelope": envelope_for("ready-check"),
        "table": table_of(taken=4, status=GameStatus.READY_CHECK),
        "seats": seats_of(4),
        "seat": 0,
        "commitments": COMMITMENTS,
    }
    return ReadyCheckContext(**(known | changed))


def _dealt(**changed: Any) -> DealtContext:
    known: dict[str, Any] = {
        "envelope": envelope_for("dealt"),
        "table": table_of(taken=4, status=GameStatus.RUNNING),
        "seats": seats_of(4),
        "seat": 0,
        "commitments": COMMITMENTS,
        "record": bytes(range(256)),
        "record_digest": "40aff2e9d2d8922e47afd4648e6967497158785fbd1da870e7110266bf944880",
    }
    return DealtContext(**(known | changed))


def _turn(**changed: Any) -> TurnContext:
    return turn_of(game_after(20), **changed)


def _reminder(**changed: Any) -> TurnContext:
    known: dict[str, Any] = {
        "envelope": envelope_for("reminder"),
        "deadline_at": NOW + timedelta(hours=2),
    }
    return turn_of(game_after(20), **(known | changed))


def round_over_of(game: LoggedGame, seat: int, **changed: Any) -> RoundOverContext:
    """This seat is told how the latest round of this game ended."""
    view = view_for(game.state, seat)
    known: dict[str, Any] = {
        "envelope": envelope_for("round-over"),
        "table": table_of(game),
        "seats": seats_of(view.seats, me=seat, gone=view.gone),
        "seat": seat,
        "view": view,
        "result": view.results[-1],
        "since": told_to(game, seat, last=4),
    }
    return RoundOverContext(**(known | changed))


def _round_over(**changed: Any) -> RoundOverContext:
    return round_over_of(_game_in_round_two(), 0, **changed)


@cache
def _game_in_round_two() -> LoggedGame:
    turns = 30
    while game_after(turns).state.round == 1:
        turns += 1
    return game_after(turns)


def _game_over(**changed: Any) -> GameOverContext:
    game = game_after(1000)
    known: dict[str, Any] = {
        "envelope": envelope_for("game-over"),
        "table": table_of(game, status=GameStatus.FINISHED),
        "seats": seats_of(5),
        "seat": 0,
        "view": view_for(game.state, 0),
        "since": told_to(game, 0, last=3),
    }
    return GameOverContext(**(known | changed))


_LETTERS: Final[dict[NotificationKind, Callable[..., EmailContext]]] = {
    "sign-in": _sign_in,
    "invitation": _invitation,
    "ready-check": _ready_check,
    "dealt": _dealt,
    "your-turn": _turn,
    "reminder": _reminder,
    "round-over": _round_over,
    "game-over": _game_over,
}
