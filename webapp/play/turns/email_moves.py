"""Moves by a link in an email: previewed by anyone who has the link, and played by the button there.

The link is bound to one player, their seat and one turn. What is shown is what an onlooker may know, and the move itself.
"""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

import msgspec

from engine.actions import Action
from engine.errors import ParseError
from engine.notation import read_action
from engine.view import View, legal_actions
from webapp.accounts.person import Banned, Person
from webapp.accounts.queries import accounts
from webapp.clock.held_turn import HeldTurn
from webapp.kernel.database import is_storable
from webapp.kernel.game_status import GameStatus
from webapp.kernel.keyring import derived_token, hash_of
from webapp.kernel.refusals import NotFound, StaleTurn
from webapp.kernel.tx import Tx
from webapp.mail.queries import replies
from webapp.play.access import GameAccess, game_for
from webapp.play.queries.games import AccessMode
from webapp.play.summaries import SeatSummary, TableSummary, seat_summaries, table_summary
from webapp.play.turns.turn_holding import play_or_hold, shown_held_turn


class MovePage(msgspec.Struct, frozen=True, kw_only=True):
    """A move that can be played, and the position as an onlooker knows it."""

    table: TableSummary
    seats: tuple[SeatSummary, ...]
    seat: int
    """The seat whose move it is."""
    view: View
    action: Action | None
    """None if the turn is over, the move isn't possible any more, or the viewer has to sign in."""
    deadline_at: datetime | None
    viewer: Person | None = None
    is_own: bool = False
    """Whether the viewer is signed in as the player whose move it is."""
    held_turn: HeldTurn | None = None
    """What the player holds already, whose place the move would take; only they are shown it."""
    needs_sign_in: bool = False
    """Whether the viewer has to be; the move is not shown then, because its card is in the player's hand."""


class _Turn(NamedTuple):
    access: GameAccess
    seat: int
    is_current: bool


def move_page(
    tx: Tx,
    token: str,
    action_text: str,
    *,
    find_viewer: Callable[[Tx], Person | None],
) -> MovePage:
    """Return the preview of a move, and change nothing. Raises NotFound for a link that was never sent."""
    access, seat, is_current = _turn_of(tx, token, mode="read")
    action, game = _read_action(action_text), access.game
    player, viewer = access.person, find_viewer(tx)
    assert player is not None
    is_own = viewer is not None and viewer.id == player.id
    needs_sign_in = player.moves_need_sign_in and not is_own
    held_turn = shown_held_turn(access) if is_own and is_current else None
    is_shown = is_current and not needs_sign_in and action in legal_actions(game.view(seat))
    return MovePage(
        table=table_summary(game.row),
        seats=seat_summaries(game.row, me=seat if is_own else None),
        seat=seat,
        view=game.view(None),
        action=action if is_shown else None,
        deadline_at=game.row.deadline_at if is_current else None,
        viewer=viewer,
        is_own=is_own,
        held_turn=held_turn,
        needs_sign_in=needs_sign_in,
    )


def play_move(tx: Tx, token: str, action_text: str) -> HeldTurn | None:
    """Play a move, or hold it as its player wishes and return it.

    Raises NotFound, StaleTurn once the turn is over, and what ``take_turn`` raises.
    """
    access, _, is_current = _turn_of(tx, token, mode="play")
    action = _read_action(action_text)
    if not is_current:
        raise StaleTurn(access.game.seq)
    return play_or_hold(tx, access, action, seq=access.game.seq)


def _turn_of(tx: Tx, token: str, *, mode: AccessMode) -> _Turn:
    """Return the game as the player of the link may see it, and whether it still waits for that turn. Raises NotFound."""
    found = replies.find_token(tx, hash_of(derived_token(token)))
    if found is None:
        raise NotFound
    row, slug = found
    try:
        access = game_for(tx, slug, _player(tx, row.account_id), mode=mode)
    except Banned as banned:
        # The page about the ban is for the banned person, and anyone may have the link.
        raise NotFound from banned
    if access.seat is None or not access.game.is_dealt:
        raise NotFound
    game = access.game.row
    is_own = game.awaiting == access.seat and game.turn_seq == row.seq
    return _Turn(access, access.seat, is_own and access.game.status == GameStatus.RUNNING)


def _player(tx: Tx, account_id: int) -> Person:
    person = accounts.find(tx, account_id)
    if person is None:
        raise NotFound
    return person


def _read_action(text: str) -> Action:
    """Return the action in a link. Raises NotFound for any other text."""
    if not is_storable(text):
        raise NotFound
    try:
        return read_action(text)
    except ParseError as error:
        raise NotFound from error
