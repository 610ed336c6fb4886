"""Finished games that their players show to anyone: a link that no one can guess, and the little that its page says.

The page has the result, the mines and the roles, and the names that the players have at the table. It has no talk, notes,
hands or turns, and neither the table's name nor its address. It is not the table page with parts left out: what is added there
later must not become public.
"""

from typing import Final

import msgspec

from engine.view import View
from webapp.kernel.game_status import GameStatus
from webapp.kernel.keyring import Keyring, hash_of
from webapp.kernel.redacted import Redacted
from webapp.kernel.refusals import DenialReason, NotAllowed, NotFound
from webapp.kernel.tx import Tx
from webapp.play.access import GameAccess, LoadedGame, find_game
from webapp.play.queries import results, turn_log
from webapp.play.summaries import SeatSummary, seat_summaries
from webapp.play.views.finished_game import RoundOver, rounds_over

_PURPOSE: Final = "shared game"


class ShareLink(Redacted, frozen=True, kw_only=True):
    """The link of a game as its players see it."""

    nonce: bytes
    shared_by: int | None
    """The seat of the player who created it."""


class SharedGame(Redacted, frozen=True, kw_only=True):
    """A finished game as anyone with its link sees it."""

    seats: tuple[SeatSummary, ...]
    view: View
    """The onlooker's view after the last turn: it holds no hand."""
    rounds: tuple[RoundOver, ...]
    """The rounds, without hands and turns."""


def share_game(tx: Tx, access: GameAccess) -> None:
    """Create the link of a finished game; does nothing if it has one. Raises NotAllowed for all but its players."""
    game, _, person = access
    _require_player(access)
    assert person is not None
    link = tx.tokens.new_link(_PURPOSE)
    results.add_link(
        tx,
        game.row.id,
        person.id,
        nonce=link.nonce,
        token_hash=link.token_hash,
    )


def withdraw_link(tx: Tx, access: GameAccess, token: str) -> None:
    """Withdraw this link, whichever player created it; a newer one stays. Raises NotAllowed for all but the players."""
    _require_player(access)
    results.delete_link(tx, access.game.row.id, hash_of(token))


def share_link(tx: Tx, access: GameAccess) -> ShareLink | None:
    """Return the link of a finished game for one of its players; None if there is none."""
    game, seat, _ = access
    if seat is None or game.status != GameStatus.FINISHED:
        return None
    row = results.find_link(tx, game.row.id)
    if row is None:
        return None
    sharer = game.row.seat_of(row.account_id)
    return ShareLink(nonce=row.nonce, shared_by=None if sharer is None else sharer.number)


def share_token(link: ShareLink, keys: Keyring) -> str | None:
    """Return the token of a link; None if it was made with a key that is no longer known."""
    return keys.link_token(_PURPOSE, link.nonce) if keys.has_key_of(link.nonce) else None


def shared_game(tx: Tx, token: str) -> SharedGame:
    """Return what the page of a link shows. Raises NotFound for a link that is unknown or withdrawn."""
    slug = results.slug_of_link(tx, hash_of(token))
    if slug is None:
        raise NotFound
    game = find_game(tx, slug, None, mode="read").game
    return SharedGame(
        seats=seat_summaries(game.row, me=None, gone=game.view(None).gone),
        view=game.view(None),
        rounds=_public_rounds(tx, game),
    )


def _public_rounds(tx: Tx, game: LoadedGame) -> tuple[RoundOver, ...]:
    turns = turn_log.all_turns(tx, game.row.id)
    return tuple(
        msgspec.structs.replace(over, hands=(), seqs=()) for over in rounds_over(game, turns, None)
    )


def _require_player(access: GameAccess) -> None:
    if access.person is None or access.seat is None:
        raise NotAllowed(DenialReason.NOT_SEATED)
    if access.game.status != GameStatus.FINISHED:
        raise NotAllowed(DenialReason.GAME_NOT_OVER)
