"""Rematches: the table at which the players of a finished game play again. A cancelled one does not count."""

from collections.abc import Collection

from sqlalchemy import (
    ColumnElement,
    SQLColumnExpression,
    Text,
    and_,
    case,
    cast,
    exists,
    func,
    select,
    update,
)
from sqlalchemy.orm import aliased

from webapp.accounts.schema import Account
from webapp.kernel.game_status import GameStatus
from webapp.kernel.redacted import Redacted
from webapp.kernel.schema import folded
from webapp.kernel.tx import Tx
from webapp.lobby.schema import Invitation, Seat
from webapp.play.schema import Game, has_status

_new_game = aliased(Game, name="rematch")


class RematchRow(Redacted, frozen=True, array_like=True):
    """What the players of the finished game may know of the rematch."""

    slug: str
    host_name: str
    status: str
    is_seated: bool
    """Whether the viewer sits there."""


class KnownPlayer(Redacted, frozen=True):
    """A player of a finished game, with the address that no other player is shown."""

    account_id: int
    address: str


def rematch_json(account_id: SQLColumnExpression[int]) -> ColumnElement[str | None]:
    """Return a subquery for the rematch of a finished game."""
    own_seat = aliased(Seat, name="own_seat_of_rematch")
    is_seated = (
        exists()
        .where(own_seat.game_id == _new_game.id, own_seat.account_id == account_id)
        .correlate_except(own_seat)
    )
    row = func.json_build_array(
        _new_game.slug,
        _new_game.host_name,
        _new_game.status,
        is_seated,
    )
    rematch = (
        select(cast(row, Text))
        .where(_new_game.rematch_of == Game.id, _new_game.status != GameStatus.CANCELLED)
        .correlate_except(_new_game)
        .scalar_subquery()
    )
    return case((has_status(GameStatus.FINISHED), rematch))


def slug_of_rematch(tx: Tx, game_id: int) -> str | None:
    """Return the table at which the players of this game play again, if one of them has opened it."""
    query = select(Game.slug).where(Game.rematch_of == game_id, Game.status != GameStatus.CANCELLED)
    return tx.execute(query).scalar_one_or_none()


def set_rematch_of(tx: Tx, game_id: int, finished_game_id: int) -> None:
    tx.execute(update(Game).where(Game.id == game_id).values(rematch_of=finished_game_id))


def players_by_address(tx: Tx, account_ids: Collection[int]) -> tuple[KnownPlayer, ...]:
    """Return these accounts without deleted ones, in the order of their addresses.

    Two rematches at once may invite the same people, and would deadlock if they locked their addresses in different orders.
    """
    rows = tx.execute(
        select(Account.id, Account.address)
        .where(Account.id.in_(account_ids), Account.address.is_not(None))
        .order_by(folded(Account.address), Account.id)
    )
    return tuple(KnownPlayer(row.id, row.address or "") for row in rows)


def accept_invitations(tx: Tx, game_id: int, address: str, account_id: int) -> None:
    """Mark the invitations of a person to a rematch as accepted, when they have taken a seat without the link."""
    is_own_invitation = and_(
        Invitation.game_id == game_id,
        Invitation.name.is_not(None),
        folded(Invitation.address) == folded(address),
        Invitation.accepted_by.is_(None),
    )
    tx.execute(update(Invitation).where(is_own_invitation).values(accepted_by=account_id))
