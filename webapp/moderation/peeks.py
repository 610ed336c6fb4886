"""The two steps before a peek: whether a moderator may look at the secrets of a game, and the record that they will.

Nothing secret is read here; what is shown afterwards comes from ``webapp.play.views.peek``, for the page of the peek alone.
"""

import hashlib
import secrets

import msgspec

from webapp.accounts.person import Person
from webapp.accounts.security_log import record_act
from webapp.kernel.refusals import DenialReason, NotAllowed, StaleTurn, checked_reason
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Tx
from webapp.moderation.performing import acting_relation, find_game_to_act_on
from webapp.moderation.queries import games_under_moderation, ledger, moderators
from webapp.moderation.queries.games_under_moderation import GameUnderModeration
from webapp.moderation.queries.ledger import NewLedgerEntry
from webapp.moderation.queries.moderators import PeekRow


class PeekRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The second step: the form with the reason."""

    slug: str
    seq: int
    """Where the game stood when the moderator was asked."""
    reason: str
    form_id: str


def peekable_game(tx: Tx, viewer: Person, slug: str) -> GameUnderModeration:
    """Return the public facts of a game whose secrets the viewer may look at.

    Raises NotFound without the right, and NotAllowed for someone who sits, sat or could sit there, or if there is
    nothing secret: before the deal and after the end.
    """
    game = find_game_to_act_on(tx, viewer, slug, GameRight.PEEK)
    _require_peekable(tx, viewer, game)
    return game


def record_peek(tx: Tx, viewer: Person, request: PeekRequest) -> None:
    """Record a peek in the ledger; the caller commits before it shows anything. A form sent twice is recorded once.

    Raises what ``peekable_game`` raises, StaleTurn if the game has moved on, and FieldErrors for ``reason``.
    """
    find_game_to_act_on(tx, viewer, request.slug, GameRight.PEEK)
    game = games_under_moderation.lock(tx, request.slug)
    assert game is not None
    form_key = _form_key(viewer, request)
    if ledger.entry_of_form(tx, form_key) is not None:
        return
    acted_as = acting_relation(tx, viewer, GameRight.PEEK, game)
    _require_peekable(tx, viewer, game)
    reason = checked_reason(request.reason)
    if request.seq != game.seq:
        raise StaleTurn(game.seq)
    entry = NewLedgerEntry(
        act=GameRight.PEEK,
        actor_id=viewer.id,
        acted_as=acted_as,
        game_id=game.id,
        seq=game.seq,
        reason=reason,
        form_id=form_key,
        at=tx.now,
    )
    ledger_id = record_act(tx, entry)
    assert ledger_id is not None
    peek = PeekRow(
        game_id=game.id, account_id=viewer.id, seq=game.seq, ledger_id=ledger_id, at=tx.now
    )
    moderators.add(tx, peek)


def record_operator_peek(tx: Tx, game: GameUnderModeration, reason: str) -> None:
    """Record in the ledger that the operator looks at the secrets of a game; the caller commits before it shows anything.

    Players read it once the game is over, as they read of a moderator's peek. Raises FieldErrors for ``reason``.
    """
    entry = NewLedgerEntry(
        act=GameRight.PEEK,
        actor_id=None,
        acted_as=acting_relation(tx, None, GameRight.PEEK, game),
        game_id=game.id,
        seq=game.seq,
        reason=checked_reason(reason),
        form_id=secrets.token_hex(),
        at=tx.now,
    )
    record_act(tx, entry)


def _require_peekable(tx: Tx, viewer: Person, game: GameUnderModeration) -> None:
    if moderators.has_had_or_may_take_seat(tx, game.id, viewer.id):
        raise NotAllowed(DenialReason.VIEWER_MAY_PLAY)
    if game.seq < 0 or game.status.is_over:
        raise NotAllowed(DenialReason.NOT_RUNNING)


def _form_key(viewer: Person, request: PeekRequest) -> str:
    text = "\n".join((str(viewer.id), request.slug, GameRight.PEEK, request.form_id))
    return hashlib.sha256(text.encode()).hexdigest()
