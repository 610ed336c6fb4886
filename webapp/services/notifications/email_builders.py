"""From a letter's row to what it says now; or why it need not be sent any more."""

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
from webapp.store.notifications.claimed import ClaimedNotification
from webapp.store.play.turns import TurnRow


class Occasion(NamedTuple):
    """Everything that a letter is made from. ``game`` is None for letters outside games."""

    letter: ClaimedNotification
    game: LoadedGame | None
    news: Sequence[TurnRow]
    keys: Keyring
    now: datetime


class Superseded(Exception):
    """What the letter was to say is no longer so; ``reason`` is kept with it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def message_id_of(letter: ClaimedNotification, keys: Keyring) -> str:
    """The Message-ID of a letter: the same on every retry, another on every occasion (RFC 5322)."""
    return keys.message_id(
        letter.kind, letter.game_id, letter.seq, letter.account_id, letter.occasion
    )


def root_id_of(game: LoadedGame, keys: Keyring) -> str:
    """The Message-ID that all letters of a game refer to."""
    return keys.message_id("root", game.slug)


def email_context_for(occasion: Occasion) -> EmailContext:
    """What the letter says. Raises Untrue when that is no longer so, or the recipient wants no such letters."""
    letter = occasion.letter
    if not letter.address:
        raise Superseded("no-address")
    if letter.muted and letter.kind != "sign-in":
        raise Superseded("unsubscribed")
    return _DIGESTS[letter.kind](occasion)


def _sign_in(occasion: Occasion) -> SignInContext:
    letter = occasion.letter
    if letter.nonce is None or letter.expires_at is None or letter.expires_at <= occasion.now:
        raise Superseded("expired")
    if letter.spent:
        raise Superseded("used")
    return SignInContext(
        envelope=_envelope(occasion),
        code=occasion.keys.code(letter.nonce),
        link_token=sign_in_token(letter.nonce, occasion.keys),
        expires_at=letter.expires_at,
    )


def _invitation(occasion: Occasion) -> InvitationContext:
    letter, game = occasion.letter, _game(occasion)
    if not game.status.is_before_deal:
        raise Superseded(game.status)
    if letter.spent or letter.nonce is None:
        raise Superseded("accepted")
    _require_seat_for(letter, game)
    return InvitationContext(
        envelope=_envelope(occasion),
        table=table_summary(game.row),
        seats=seat_summaries(game.row, me=None),
        host=letter.inviter or "",
        token=invitation_token(letter.nonce, occasion.keys),
        commitments=commitments_of(game.row),
    )


def _require_seat_for(letter: ClaimedNotification, game: LoadedGame) -> None:
    """Nobody is invited to a seat that is not there, or to a table where he sits already."""
    sitting = {seat.account_id for seat in game.row.seats} - {None}
    if letter.reader_id in sitting:
        raise Superseded("seated")
    if not any(seat.is_free for seat in game.row.seats):
        raise Superseded("full")


def _ready_check(occasion: Occasion) -> ReadyCheckContext:
    game, seat = _seated(occasion)
    if game.status != GameStatus.READY_CHECK or occasion.letter.superseded:
        raise Superseded("moved-on")
    if game.row.seats[seat].ready:
        raise Superseded("ready")
    return ReadyCheckContext(
        envelope=_envelope(occasion),
        table=table_summary(game.row),
        seats=seat_summaries(game.row, me=seat),
        seat=seat,
        commitments=commitments_of(game.row),
    )


def _dealt(occasion: Occasion) -> DealtContext:
    game, seat = _seated(occasion)
    record = game.row.record
    if record is None:
        raise Superseded("moved-on")
    return DealtContext(
        envelope=_envelope(occasion),
        table=table_summary(game.row),
        seats=seat_summaries(game.row, me=seat),
        seat=seat,
        commitments=commitments_of(game.row),
        record=record,
        record_digest=hashlib.sha256(record).hexdigest(),
    )


def _turn(occasion: Occasion) -> TurnContext:
    game, seat = _seated(occasion)
    row = game.row
    if row.awaiting != seat or row.turn_seq != occasion.letter.seq:
        raise Superseded("moved-on")
    view = view_for(game.state, seat)
    assert row.turn_started_at is not None
    assert row.deadline_at is not None
    return TurnContext(
        envelope=_envelope(occasion),
        table=table_summary(row),
        seats=seat_summaries(row, me=seat, gone=view.gone),
        seat=seat,
        view=view,
        menu=tuple(legal_actions(view)),
        since=_since(occasion, seat),
        started_at=row.turn_started_at,
        deadline_at=row.deadline_at,
        now=occasion.now,
    )


def _call(occasion: Occasion) -> TurnContext:
    digest = _turn(occasion)
    if occasion.letter.told_at is not None:
        raise Superseded("reminded")
    return digest


def _reminder(occasion: Occasion) -> TurnContext:
    digest = _turn(occasion)
    if int(digest.deadline_at.timestamp()) != occasion.letter.occasion:
        raise Superseded("deadline-moved")
    if has_passed(digest.deadline_at, now=occasion.now):
        raise Superseded("too-late")
    if _was_called_late(occasion):
        raise Superseded("called")
    return digest


def _was_called_late(occasion: Occasion) -> bool:
    """Whether the call for the turn, which says all that a reminder says, was sent when it was time for a reminder."""
    called_at, remind_at = occasion.letter.told_at, _game(occasion).row.remind_at
    return called_at is not None and remind_at is not None and called_at >= remind_at


def _round_over(occasion: Occasion) -> RoundOverContext:
    game, seat = _seated(occasion)
    if game.status == GameStatus.FINISHED:
        # The letter of the end tells every round.
        raise Superseded("moved-on")
    view, number = view_for(game.state, seat), occasion.letter.occasion
    if len(view.results) < number:
        raise Superseded("rewound")
    return RoundOverContext(
        envelope=_envelope(occasion),
        table=table_summary(game.row),
        seats=seat_summaries(game.row, me=seat, gone=view.gone),
        seat=seat,
        view=view,
        result=view.results[number - 1],
        since=_since(occasion, seat),
    )


def _game_over(occasion: Occasion) -> GameOverContext:
    game, seat = _seated(occasion)
    if game.status != GameStatus.FINISHED:
        raise Superseded("rewound")
    view = view_for(game.state, seat)
    return GameOverContext(
        envelope=_envelope(occasion),
        table=table_summary(game.row),
        seats=seat_summaries(game.row, me=seat, gone=view.gone),
        seat=seat,
        view=view,
        since=_since(occasion, seat),
    )


def _game(occasion: Occasion) -> LoadedGame:
    if occasion.game is None:
        raise Superseded("no-game")
    return occasion.game


def _seated(occasion: Occasion) -> tuple[LoadedGame, int]:
    """The game, and the recipient's seat in it."""
    game = _game(occasion)
    seat = game.row.seat_of(occasion.letter.account_id)
    if seat is None:
        raise Superseded("not-seated")
    return game, seat.number


def _since(occasion: Occasion, seat: int) -> tuple[HistoryEntry, ...]:
    over = occasion.game is not None and occasion.game.status == GameStatus.FINISHED
    return history_for(turns_since_own(occasion.news, seat), seat, reveal_all=over)


def _envelope(occasion: Occasion) -> Envelope:
    letter, game, keys = occasion.letter, occasion.game, occasion.keys
    return Envelope(
        kind=letter.kind,  # type: ignore[arg-type] # nothing else is ever written there
        address=letter.address,
        name=letter.name,
        language=letter.language,
        zone=letter.zone,
        message_id=message_id_of(letter, keys),
        root_id=None if game is None else root_id_of(game, keys),
        list_id=None if game is None else f"{game.slug}.{keys.domain}",
        unsubscribe=tokens_for(letter, keys)[0],
    )


_DIGESTS: Final[dict[str, Callable[[Occasion], EmailContext]]] = {
    "sign-in": _sign_in,
    "invitation": _invitation,
    "ready-check": _ready_check,
    "dealt": _dealt,
    "your-turn": _call,
    "reminder": _reminder,
    "round-over": _round_over,
    "game-over": _game_over,
}
